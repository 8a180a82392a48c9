/* Random numbers of traffic, each flow's from a seed of its own. SPDX: MIT */
#include "agent.h"
#include <math.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

int64_t random_exponential(uint64_t *state, uint64_t mean)
{
	double u = (double)((next_random(state) >> 11) + 1) * 0x1p-53;

	return (int64_t)(-log(u) * (double)mean);
}
