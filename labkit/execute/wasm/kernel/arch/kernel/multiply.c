// SPDX-License-Identifier: GPL-2.0-only
/* What the compiler calls for 64 bits times 64 bits with a result of 128. There is no library of its to link. */
#include <linux/types.h>

typedef __int128 s128_;

s128_ __multi3(u64 a, u64 a_high, u64 b, u64 b_high);

s128_ __multi3(u64 a, u64 a_high, u64 b, u64 b_high)
{
	u64 low = 0xffffffff;
	u64 a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
	u64 p = a0 * b0;
	u64 q = a1 * b0 + (p >> 32);
	u64 r = a0 * b1 + (q & low);
	u64 high = a1 * b1 + (q >> 32) + (r >> 32) + a * b_high + a_high * b;

	return (s128_)(((unsigned __int128)high << 64) | (r << 32) | (p & low));
}
