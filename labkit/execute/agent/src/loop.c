/* One epoll for sockets of every namespace, timers, pipes and processes. SPDX: MIT */
#include "agent.h"
#include <stdio.h>
#include <sys/epoll.h>

/* More than can be ready at once, so that a probe's event never splits a round of the flows'. */
enum { ROUND = 16384 };
static int epoll = -1;
static struct epoll_event round_events[ROUND];
static int in_round, position;

static int control(int op, struct watch *w, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = w};
	if (epoll < 0)
		epoll = epoll_create1(EPOLL_CLOEXEC);
	return epoll_ctl(epoll, op, w->fd, &e);
}

int watch_add(struct watch *w, uint32_t events)
{
	return control(EPOLL_CTL_ADD, w, events);
}

int watch_change(struct watch *w, uint32_t events)
{
	return control(EPOLL_CTL_MOD, w, events);
}

void watch_close(struct watch *w)
{
	if (w->fd < 0)
		return;
	for (int i = position; i < in_round; i++)
		if (round_events[i].data.ptr == w)
			round_events[i].data.ptr = NULL;
	control(EPOLL_CTL_DEL, w, 0);
	close(w->fd);
	w->fd = -1;
}

void loop_run(bool (*done)(void))
{
	while (!done()) {
		in_round = epoll_wait(epoll, round_events, ROUND, -1);
		if (in_round < 0 && errno != EINTR) {
			dprintf(2, "agent: cannot wait: %s\n", strerror(errno));
			abort();
		}
		for (position = 0; position < in_round;) {
			struct epoll_event *e = &round_events[position++];
			struct watch *w = e->data.ptr;
			if (w)
				w->ready(w, e->events);
		}
		in_round = position = 0;
	}
}
