/* Random numbers of traffic and of chains, each one's from a seed of its own. SPDX: MIT */
#include "agent.h"
#include <string.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
uint64_t random_bits(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

double random_share(uint64_t *state)
{
	return (double)((random_bits(state) >> 11) + 1) * 0x1p-53;
}

/* The natural logarithm of a share, by sums, products and quotients of doubles alone: every library's log() has its own
 * last bit. x = 2^e m, and ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1)/(m + 1), which is 0.172 at most. */
static double logarithm(double x)
{
	enum { MANTISSA = 52, BIAS = 1023, LAST = 21 };
	const double ln_2 = 0x1.62e42fefa39efp-1, root_2 = 0x1.6a09e667f3bcdp+0;
	double m, s, sum = 0;
	uint64_t bits;
	int e;

	memcpy(&bits, &x, sizeof bits);
	e = (int)(bits >> MANTISSA) - BIAS;
	bits = (bits & ((UINT64_C(1) << MANTISSA) - 1)) | ((uint64_t)BIAS << MANTISSA);
	memcpy(&m, &bits, sizeof m);
	if (m > root_2) {
		m /= 2;
		e++;
	}
	s = (m - 1) / (m + 1);
	for (int k = LAST; k > 0; k -= 2)
		sum = sum * (s * s) + 1.0 / k;
	return e * ln_2 + 2 * s * sum;
}

int64_t random_exponential(uint64_t *state, uint64_t mean)
{
	return (int64_t)(-logarithm(random_share(state)) * (double)mean);
}
