/* Random numbers of traffic and of chains, each one's from a seed of its own. SPDX: MIT */
#include "agent.h"
#include <math.h>

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

int64_t random_exponential(uint64_t *state, uint64_t mean)
{
	return (int64_t)(-log(random_share(state)) * (double)mean);
}
