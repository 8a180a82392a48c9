/* Things to come, on absolute CLOCK_MONOTONIC: a binary heap behind one timerfd. SPDX: MIT */
#include "agent.h"
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

struct entry {
	int64_t at_ns;
	uint64_t order; /* entries of one instant fire in the order in which they were made */
	timer_fn fn;
	void *arg;
};

static struct entry *heap;
static size_t count, room;
static uint64_t next_order;
static int64_t current_ns, armed_ns;
static bool serving; /* the timer is armed once at the end, whatever is added meanwhile */
static bool held;    /* what is left of this instant waits, and all that comes later */
static bool moved;   /* armed anew since it was last served: its event may be of the instant before */

static bool before(const struct entry *a, const struct entry *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void swap(size_t i, size_t j)
{
	struct entry t = heap[i];
	heap[i] = heap[j];
	heap[j] = t;
}

static void sift_down(size_t i)
{
	for (;;) {
		size_t least = i, l = 2 * i + 1, r = l + 1;
		if (l < count && before(&heap[l], &heap[least]))
			least = l;
		if (r < count && before(&heap[r], &heap[least]))
			least = r;
		if (least == i)
			return;
		swap(i, least);
		i = least;
	}
}

static void serve(struct watch *w, uint32_t events);
static struct watch timer = {-1, serve};

/* Without a timer nothing would ever happen, not even the end. */
static void must(int result)
{
	if (result >= 0)
		return;
	dprintf(2, "agent: no timer: %s\n", strerror(errno));
	abort();
}

static void arm(void)
{
	int64_t at = count ? heap[0].at_ns : 0;
	struct itimerspec t = {.it_value = {at / 1000000000, at % 1000000000}};

	if (timer.fd < 0) {
		must(timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
		must(watch_add(&timer, EPOLLIN | EPOLLET)); /* so that it need not be read each time */
	}
	if (serving || held || at == armed_ns)
		return;
	moved = true;
	must(timerfd_settime(timer.fd, TFD_TIMER_ABSTIME, &t, NULL));
	armed_ns = at;
}

void clock_at(int64_t monotonic_ns, timer_fn fn, void *arg)
{
	if (count == room) {
		room = room ? 2 * room : 64;
		heap = realloc(heap, room * sizeof *heap);
		if (!heap)
			abort();
	}
	heap[count] = (struct entry){monotonic_ns > 0 ? monotonic_ns : 1, next_order++, fn, arg};
	for (size_t i = count++; i && before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(i, (i - 1) / 2);
	arm();
}

static void due(int64_t now)
{
	serving = true;
	while (!held && count && heap[0].at_ns <= now) {
		struct entry e = heap[0];
		heap[0] = heap[--count];
		sift_down(0);
		current_ns = e.at_ns;
		e.fn(e.arg, e.at_ns);
	}
	serving = false;
	armed_ns = 0;
	arm();
}

static void serve(struct watch *w, uint32_t events)
{
	uint64_t expirations;
	(void)events;

	if (moved && read(w->fd, &expirations, sizeof expirations) < 0)
		return;
	due(armed_ns);
	moved = false;
}

static void keep(bool (*wanted)(const struct entry *e, const void *key), const void *key)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (wanted(&heap[i], key))
			heap[kept++] = heap[i];
	count = kept;
	for (size_t i = count / 2; i-- > 0;)
		sift_down(i);
}

static bool other_arg(const struct entry *e, const void *key)
{
	return e->arg != key;
}

static bool other_fn(const struct entry *e, const void *key)
{
	return e->fn != *(const timer_fn *)key;
}

void clock_cancel(void *arg)
{
	keep(other_arg, arg);
}

void clock_forget(timer_fn fn)
{
	keep(other_fn, &fn);
}

int64_t clock_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int64_t clock_current(void)
{
	return current_ns;
}

void clock_hold(void)
{
	held = true;
}

void clock_release(void)
{
	held = false;
	arm();
}

void clock_go_on(void)
{
	held = false;
	due(current_ns);
}
