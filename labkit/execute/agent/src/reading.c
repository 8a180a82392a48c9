/* When a receiving application is woken: a crossing between process and kernel costs more than ten packets, so it
 * waits for a quarter of its buffer, which Linux makes larger as it is used. The window stays open. SPDX: MIT */
#include "agent.h"
#include <sys/socket.h>

enum { AGAIN = 64 };

int reading_lowat(int fd, int lowat, uint32_t reads, uint64_t left, uint32_t most)
{
	int buffer = 0, wanted = lowat;
	socklen_t size = sizeof buffer;

	if ((reads & (reads - 1)) == 0 || reads % AGAIN == 0) {
		getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
		wanted = buffer / 4;
		if ((uint32_t)wanted > most)
			wanted = (int)most;
	}
	if (left && left < (uint64_t)wanted)
		wanted = (int)left;
	if (wanted < 1)
		wanted = 1;
	if (wanted != lowat)
		setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted);
	return wanted;
}
