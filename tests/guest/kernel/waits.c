/* Waits for 20 ms without ever sleeping, and says by how much the clock moved: waits KIND. SPDX: MIT */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 20000000 };

static const struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = 9, .sin_addr.s_addr = 0x0100007f};
static int by_then, queue, receiver; /* a pipe that can be read then, an epoll of it, a socket */
static volatile bool flag;

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void sleep_by_then(void)
{
	struct timespec t = {0, WAIT_NS};

	nanosleep(&t, NULL);
}

static void *set_flag(void *unused)
{
	sleep_by_then();
	flag = true;
	return unused;
}

static bool coarse(long long start)
{
	return now(CLOCK_MONOTONIC_COARSE) - start < WAIT_NS;
}

static bool seconds(long long start) /* of which there is nothing smaller: until the next */
{
	return time(NULL) == start / 1000000000;
}

static bool ticks(long long start)
{
	static clock_t first;
	struct tms used;

	(void)start;
	if (!first)
		first = times(&used);
	return times(&used) - first < 2;
}

static bool processor(long long start)
{
	return clock() - start / 1000 < WAIT_NS / 1000;
}

static bool thread(long long start)
{
	return now(CLOCK_THREAD_CPUTIME_ID) - start < WAIT_NS;
}

static bool usage(long long start)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_utime.tv_usec + used.ru_stime.tv_usec - start / 1000 < WAIT_NS / 1000;
}

static bool yields(long long start)
{
	(void)start;
	return !sched_yield() && !flag;
}

static bool calls(long long start)
{
	(void)start;
	return getppid() && !flag;
}

static bool selects(long long start)
{
	struct timeval none = {0, 0};
	fd_set set;

	(void)start;
	FD_ZERO(&set);
	FD_SET(by_then, &set);
	return select(by_then + 1, &set, NULL, NULL, &none) == 0;
}

static bool polls(long long start)
{
	struct pollfd one = {by_then, POLLIN, 0};

	(void)start;
	return poll(&one, 1, 0) == 0;
}

static bool epolls(long long start)
{
	struct epoll_event event;

	(void)start;
	return epoll_wait(queue, &event, 1, 0) == 0;
}

static bool receives(long long start)
{
	char byte;

	(void)start;
	return recv(receiver, &byte, 1, MSG_DONTWAIT) < 0;
}

static const struct {
	const char *name;
	clockid_t clock;
	bool (*waits)(long long start);
} kinds[] = {
	{"coarse", CLOCK_MONOTONIC_COARSE, coarse},
	{"time", CLOCK_REALTIME, seconds},
	{"times", CLOCK_MONOTONIC, ticks},
	{"clock", CLOCK_PROCESS_CPUTIME_ID, processor},
	{"thread", CLOCK_THREAD_CPUTIME_ID, thread},
	{"getrusage", CLOCK_PROCESS_CPUTIME_ID, usage},
	{"sched_yield", CLOCK_MONOTONIC, yields},
	{"getppid", CLOCK_MONOTONIC, calls},
	{"select", CLOCK_MONOTONIC, selects},
	{"poll", CLOCK_MONOTONIC, polls},
	{"epoll", CLOCK_MONOTONIC, epolls},
	{"recv", CLOCK_MONOTONIC, receives},
};

static void prepare(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t other;
	int ends[2];

	receiver = socket(AF_INET, SOCK_DGRAM, 0);
	queue = epoll_create1(0);
	if (receiver < 0 || queue < 0 || pipe(ends) < 0 || bind(receiver, (const void *)&here, sizeof here) < 0)
		exit(2);
	by_then = ends[0];
	epoll_ctl(queue, EPOLL_CTL_ADD, by_then, &event);
	if (fork() == 0) {
		sleep_by_then();
		sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (const void *)&here, sizeof here);
		_exit(write(ends[1], "x", 1) != 1);
	}
	if (pthread_create(&other, NULL, set_flag, NULL))
		exit(3);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		prepare();
		long long start = now(kinds[i].clock), moved = now(CLOCK_MONOTONIC);
		while (kinds[i].waits(start))
			;
		printf("%lld\n", now(CLOCK_MONOTONIC) - moved);
		return 0;
	}
	return 1;
}
