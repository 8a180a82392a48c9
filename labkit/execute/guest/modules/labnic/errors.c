// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bit errors, and the sum that finds them. Each bit is flipped with a small probability, independently of the others. To draw a number for each of
 * 12,000 bits of a frame would be slow, and is not needed: the number of good bits between two errors has a geometric
 * distribution, so we draw that, once per error. A frame without one costs a subtraction.
 */
#include "labnic.h"
#include <linux/crc32.h>
#include <linux/highmem.h>

#define ONE		24	/* binary places of a logarithm */
#define FRACTION	8	/* binary places of a mean gap */
#define LN2		11629080U	/* ln 2, in 2^-24 */

/* log2 of x (1 to 2^32) in 2^-24, by squaring: each squaring gives one more binary place. */
static u32 labnic_log2(u64 x)
{
	u32 whole = fls64(x) - 1, log = whole << ONE;
	int bit;

	x = whole > 31 ? x >> (whole - 31) : x << (31 - whole);	/* 1.0 to 2.0, in 2^-31 */
	for (bit = ONE - 1; bit >= 0; bit--) {
		x = x * x >> 31;
		if (x >> 32) {
			x >>= 1;
			log |= 1U << bit;
		}
	}
	return log;
}

/*
 * Good bits before the next error.
 *
 * With gaps of mean m, a burst of b bits flips (b + 1)/2 of them and one error comes every m + b bits. The rate is to
 * be p, so m = (b + 1)/(2p) - b. A geometric variate of mean m is an exponential one of mean m + 1/2, rounded down
 * (up to terms of p), and -ln U is exponential for U uniform in (0, 1].
 */
static u64 labnic_gap(struct labnic_noise *noise)
{
	u64 scale = div64_u64((noise->burst + 1) * 500000000000000ULL << FRACTION, noise->rate);
	u64 u = (u64)prandom_u32_state(&noise->random) + 1;
	u64 exponential = ((u64)(32U << ONE) - labnic_log2(u)) * LN2 >> ONE;

	scale = scale + (1 << FRACTION) / 2 - ((u64)noise->burst << FRACTION);
	return mul_u64_u64_shr(scale, exponential, ONE + FRACTION);
}

/* Everything random about a port comes from one number. Needs the lock, or the port to be new. */
void labnic_seed(struct labnic_port *port, u64 seed)
{
	prandom_seed_state(&port->line.random, seed);
	prandom_seed_state(&port->memory.random, ~seed);
	prandom_seed_state(&port->backoff, seed ^ 0x9e3779b97f4a7c15ULL);
}

/* rate: in 1e-15. The next error is drawn anew. Needs the lock. */
void labnic_noise_set(struct labnic_noise *noise, u64 rate, u32 burst)
{
	noise->rate = rate;
	noise->burst = burst;
	if (rate)
		noise->good = labnic_gap(noise);
}

/* Bits go over the wire with the least significant of a byte first. */
static void labnic_flip(struct sk_buff *skb, u64 bit)
{
	if (bit < (u64)skb->len * 8)
		skb->data[bit / 8] ^= 1 << bit % 8;
	else
		labnic_cb(skb)->fcs ^= 1U << (bit - (u64)skb->len * 8);
}

/*
 * Let a frame pass the noise; returns how many bits were flipped. The sender keeps its data to send it again, so
 * the damage is done to a copy. with_fcs: the check sequence passes as well. Needs the lock.
 */
u32 labnic_damage(struct labnic_noise *noise, struct sk_buff **frame, bool with_fcs)
{
	u64 bits = ((*frame)->len + (with_fcs ? ETH_FCS_LEN : 0)) * 8, at = noise->good;
	struct sk_buff *copy;
	u32 flipped = 0, i;

	if (!noise->rate)
		return 0;
	if (at >= bits) {
		noise->good -= bits;
		return 0;
	}
	copy = skb_copy(*frame, GFP_ATOMIC);
	if (copy)
		labnic_cb(copy)->touched = true;
	while (at < bits) {
		for (i = 0; i < noise->burst; i++) {
			if (i && prandom_u32_state(&noise->random) & 1)
				continue;
			if (copy && at + i < bits) {
				labnic_flip(copy, at + i);
				flipped++;
			}
		}
		at += noise->burst + labnic_gap(noise);
	}
	noise->good = at - bits;
	if (copy) {
		consume_skb(*frame);
		*frame = copy;
	}
	return flipped;
}

/* The frame check sequence: the CRC-32 of IEEE 802.3, 3.2.9, over all that comes before it. */
u32 labnic_fcs(const struct sk_buff *skb)
{
	u32 crc = crc32_le(~0, skb->data, skb_headlen(skb));
	u32 offset, size, done;
	struct page *page;
	int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		skb_frag_foreach_page(frag, skb_frag_off(frag), skb_frag_size(frag), page, offset, size, done) {
			u8 *data = kmap_local_page(page);

			crc = crc32_le(crc, data + offset, size);
			kunmap_local(data);
		}
	}
	return ~crc;
}
