// SPDX-License-Identifier: GPL-2.0-only
/* The sum of 16-bit words (RFC 1071), four bytes at a time into 64 bits, which hold what is carried. */
#include <linux/unaligned.h>
#include <net/checksum.h>

static unsigned int folded(u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* An address need not be a multiple of anything. */
unsigned int do_csum(const unsigned char *at, int left)
{
	u64 sum = 0;

	for (; left >= 16; left -= 16, at += 16)
		sum += (u64)get_unaligned((u32 *)at) + get_unaligned((u32 *)(at + 4)) +
		       get_unaligned((u32 *)(at + 8)) + get_unaligned((u32 *)(at + 12));
	for (; left >= 4; left -= 4, at += 4)
		sum += get_unaligned((u32 *)at);
	if (left >= 2) {
		sum += get_unaligned((u16 *)at);
		at += 2;
		left -= 2;
	}
	if (left > 0)
		sum += *at;
	return folded(sum);
}
