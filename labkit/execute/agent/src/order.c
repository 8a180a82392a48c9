/* What comes first of one instant: changes, in their order; then commands, until each has ended or waits for something;
 * then traffic. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

/* In virtual time the clock moves when all are asleep, but also while a program asks for the time again and again, or the
 * kernel itself has one wait: then the next look comes after twice as long. Elsewhere it moves all the time. */
enum { FIRST_LOOK_NS = 1, PATIENCE_NS = 10000000, REAL_NS = 20000000 };

static void slept(struct watch *w, uint32_t events);
static struct watch patience = {-1, slept};
static bool held, waiting;
static int64_t instant_ns, look_after_ns;

typedef bool (*record_is)(const struct record *r);

static int64_t instant(const struct record *r)
{
	return r->at_ns < 0 ? 0 : r->at_ns;
}

/* While commands run before traffic, the calls of theirs that fail take no time, so that it begins at its instant. A
 * kernel without our patches has no such switch. */
static void hold(bool on)
{
	static int fd = -1;

	held = on;
	if (fd < 0 && place.host_files)
		fd = open("/sys/module/kernel/parameters/hold_clock", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, on ? "1" : "0", 1) < 0)
		state_fail(0, 0, errno, "cannot hold the clock");
}

static void go_on(void)
{
	waiting = false;
	watch_close(&patience);
	hold(false);
}

static void look_at(int64_t at_ns)
{
	struct itimerspec t = {.it_value = {at_ns / 1000000000, at_ns % 1000000000}};

	if (timerfd_settime(patience.fd, TFD_TIMER_ABSTIME, &t, NULL) < 0)
		state_fail(0, 0, errno, "no timer for commands");
}

static bool mine(pid_t group)
{
	return exec_running(instant_ns, group);
}

static void slept(struct watch *w, uint32_t events)
{
	int64_t now = clock_now(), last = instant_ns + PATIENCE_NS;
	(void)w;
	(void)events;

	if (place.host_files && now < last && processes_at_work(mine)) {
		look_after_ns *= 2;
		look_at(now + look_after_ns < last ? now + look_after_ns : last);
		return;
	}
	go_on();
	clock_go_on();
}

static void commands_begin(void *arg, int64_t at_ns)
{
	(void)arg;
	(void)at_ns;
	hold(true);
}

static void traffic_waits(void *arg, int64_t at_ns)
{
	(void)arg;

	waiting = true;
	instant_ns = at_ns;
	clock_hold();
	patience.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (patience.fd < 0 || watch_add(&patience, EPOLLIN | EPOLLET) < 0) {
		state_fail(0, 0, errno, "no timer for commands");
		return;
	}
	look_after_ns = place.virtual_time ? FIRST_LOOK_NS : REAL_NS;
	look_at(at_ns + look_after_ns);
}

void order_look(void)
{
	if (!waiting || exec_running(instant_ns, 0))
		return;
	go_on();
	clock_go_on();
}

void order_end(void)
{
	clock_forget(commands_begin);
	clock_forget(traffic_waits);
	if (held) /* commands could not be started, or it ended while they ran */
		hold(false);
	if (waiting) {
		go_on();
		clock_release();
	}
}

static bool any(const struct program *p, uint32_t records, record_is is, int64_t at_ns)
{
	for (uint32_t i = 0; i < records; i++)
		if (is(p->record[i]) && instant(p->record[i]) == at_ns)
			return true;
	return false;
}

static bool is_command(const struct record *r)
{
	return r->type == P_EXEC;
}

/* fn once at each instant at which both commands and traffic begin */
static void at_both(const struct program *p, record_is traffic, timer_fn fn)
{
	for (uint32_t i = 0; i < p->records; i++) {
		int64_t at_ns = instant(p->record[i]);
		if (is_command(p->record[i]) && !any(p, i, is_command, at_ns) && any(p, p->records, traffic, at_ns))
			clock_at(state_start_ns() + at_ns, fn, NULL);
	}
}

void order_schedule(const struct program *p, record_is traffic, void (*schedule)(uint32_t i))
{
	for (uint32_t i = 0; i < p->records && !state_failed(); i++)
		if (!is_command(p->record[i]) && !traffic(p->record[i]))
			schedule(i);
	at_both(p, traffic, commands_begin);
	for (uint32_t i = 0; i < p->records && !state_failed(); i++)
		if (is_command(p->record[i]))
			schedule(i);
	at_both(p, traffic, traffic_waits);
	for (uint32_t i = 0; i < p->records && !state_failed(); i++)
		if (traffic(p->record[i]))
			schedule(i);
}
