// SPDX-License-Identifier: GPL-2.0-only
/* The sum of 16-bit words (RFC 1071, section 2, C), eight bytes at a time: what does not fit is carried around the end. */
#include <linux/unaligned.h>
#include <net/checksum.h>

static unsigned int folded(u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

static u64 plus(u64 sum, u64 word)
{
	sum += word;
	return sum + (sum < word);
}

/* An address need not be a multiple of anything. Two sums: neither waits for the other. */
unsigned int do_csum(const unsigned char *at, int left)
{
	u64 sum = 0, other = 0;

	for (; left >= 16; left -= 16, at += 16) {
		sum = plus(sum, get_unaligned((u64 *)at));
		other = plus(other, get_unaligned((u64 *)(at + 8)));
	}
	for (; left >= 4; left -= 4, at += 4)
		sum = plus(sum, get_unaligned((u32 *)at));
	if (left >= 2) {
		sum = plus(sum, get_unaligned((u16 *)at));
		at += 2;
		left -= 2;
	}
	if (left > 0)
		sum = plus(sum, *at);
	return folded(plus(sum, other));
}
