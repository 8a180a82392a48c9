/* exponential SEED MEAN COUNT: each number that is drawn, as the share that it is made of (2^53 of it) and the number. */
#include "agent.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	uint64_t state, mean;

	if (argc != 4)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	mean = strtoull(argv[2], NULL, 10);
	for (int left = atoi(argv[3]); left > 0; left--) {
		uint64_t before = state;
		uint64_t share = (uint64_t)(random_share(&before) * 0x1p53);
		printf("%llu %lld\n", (unsigned long long)share, (long long)random_exponential(&state, mean));
	}
	return 0;
}
