/* The course of one lab program: set-up, epoch, what happens when, end. What is done with each record is in
 * steps.c and the files it names. SPDX: MIT */
#include "agent.h"
#include <time.h>

static struct program *running;
static bool watched;
static int64_t look_ns; /* when to look at the clock again, in real time */

enum { SECOND = 1000000000, OFTEN = SECOND / 10 };
static const int64_t minute = 60 * (int64_t)SECOND;

static const struct end_op *end_of(const struct program *p)
{
	return (const void *)payload(p->record[p->records - 1]);
}

/* On a host, a flow that asks for more packets than the machine can send holds up all timers: then the
 * clock itself says when it is time to stop. */
static bool is_done(void)
{
	const struct end_op *end = end_of(running);
	int64_t now, start_ns = state_start_ns();

	raw_settle(clock_current());
	order_look();
	if (limits_met() || place.virtual_time || state_ended() || !start_ns || (now = clock_now()) < look_ns)
		return state_ended();
	look_ns = now + OFTEN;
	if (access("stop", F_OK) == 0)
		state_finish(END_STOPPED, now);
	else if (end->duration_ns && now - start_ns > (int64_t)end->duration_ns + SECOND)
		state_finish(END_DURATION, now);
	else if (end->limit_ns && now - start_ns > (int64_t)end->limit_ns + SECOND)
		state_finish(END_LIMIT, now);
	return state_ended();
}

static void timed_step(void *arg, int64_t at_ns)
{
	uint32_t i = (uint32_t)(uintptr_t)arg;
	(void)at_ns;

	if (!state_ended())
		step_take(running->record[i], i);
}

/* What must be ready before its instant is prepared now; all else waits for its instant, or was set-up. */
static void schedule(uint32_t i)
{
	const struct record *r = running->record[i];
	int64_t at_ns = state_start_ns() + (r->at_ns < 0 ? 0 : r->at_ns);

	if (!step_prepare(r, i, at_ns) && r->at_ns >= 0)
		clock_at(at_ns, timed_step, (void *)(uintptr_t)i);
}

static void at_duration(void *arg, int64_t at_ns)
{
	(void)arg;
	state_finish(END_DURATION, at_ns);
}

static void at_limit(void *arg, int64_t at_ns)
{
	(void)arg;
	state_finish(END_LIMIT, at_ns);
}

/* Once a virtual second, and from 1,000 s on after a thousandth of the time: has the host asked to stop? The file's
 * absence costs one look. Whoever watches the run has laid a file "clock", whose size is to be the time in ms. */
static void heartbeat(void *arg, int64_t at_ns)
{
	int64_t passed = at_ns - state_start_ns(), pause = passed / 1000;

	if (watched && truncate("clock", (off_t)(passed / (SECOND / 1000))) < 0)
		watched = false;
	raw_write();
	if (access("stop", F_OK) == 0)
		state_finish(END_STOPPED, at_ns);
	else
		clock_at(at_ns + (pause < SECOND ? SECOND : pause > minute ? minute : pause), heartbeat, arg);
}

/* In virtual time the epoch is a whole second, so that a longer set-up does not shift a run; later
 * programs of an open laboratory start at the next whole millisecond. */
static void choose_start(void)
{
	bool first = !state_has_epoch();
	int64_t now = clock_now(), grain = first ? SECOND : SECOND / 1000;
	int64_t start_ns = place.virtual_time ? (now / grain + 2) * grain : now + SECOND / 20;
	struct timespec real;

	state_start(start_ns);
	if (!first)
		return;
	clock_gettime(CLOCK_REALTIME, &real);
	struct epoch_out out = {start_ns, real.tv_sec * (int64_t)SECOND + real.tv_nsec + start_ns - now};
	if (place.virtual_time) /* the two clocks differ by a whole second; reading them cost a tick each */
		out.real_ns = (out.real_ns + SECOND / 2) / SECOND * SECOND;
	state_epoch(out.monotonic_ns, out.real_ns);
	raw_put(R_EPOCH, LAB_NO_NS, 0, &out, sizeof out, NULL, 0);
}

static void measure(uint32_t phase, int64_t at_ns)
{
	for (uint32_t i = 0; i < running->records; i++)
		step_measure(running->record[i], i, phase, at_ns);
}

static void begin(void)
{
	const struct end_op *end = end_of(running);

	choose_start();
	int64_t start_ns = state_start_ns();
	measure(PHASE_BEFORE, state_since_epoch(start_ns));
	trace_start();
	if (end->duration_ns)
		clock_at(start_ns + (int64_t)end->duration_ns, at_duration, NULL);
	if (end->limit_ns)
		clock_at(start_ns + (int64_t)end->limit_ns, at_limit, NULL);
	watched = access("clock", F_OK) == 0;
	clock_at(start_ns + SECOND, heartbeat, NULL);
	uint32_t program = state_begun();
	order_schedule(running, step_is_traffic, schedule);
	state_done(program);
}

static void stop_timers(void)
{
	clock_forget(at_duration);
	clock_forget(at_limit);
	clock_forget(heartbeat);
	clock_forget(timed_step);
	samples_end();
	order_end();
}

/* Before its place, too: what is made until then draws numbers, netem the beginning of a correlation, SFQ a key for its
 * hashes. They would be of what another kernel has drawn while it started, and the same for each seed. */
static void seed_first(const struct program *p)
{
	for (uint32_t i = 0; i < p->records; i++)
		if (p->record[i]->type == P_SEED)
			step_take(p->record[i], i);
}

int run_program(struct program *p)
{
	running = p;
	uint32_t number = state_program(!end_of(p)->duration_ns, p->flags & PROGRAM_PACKET);
	seed_first(p);
	for (uint32_t i = 0; i < p->records && !state_failed(); i++)
		if (p->record[i]->at_ns == LAB_AT_SETUP)
			step_take(p->record[i], i);
	if (!state_failed())
		devices_await(p);
	if (!state_failed())
		begin();
	loop_run(is_done);
	stop_timers();
	if (!(p->flags & PROGRAM_MORE)) {
		flow_end_all();
		background_end_all();
		pool_end_all();
		train_end_all();
		tunnel_end_all();
		server_end_all();
		exec_kill(0);
	} else if (state_reason() != END_COMPLETE) {
		exec_kill(number);
	}
	bool started = state_has_epoch();
	int64_t at_ns = started ? state_since_epoch(state_end_ns()) : LAB_AT_SETUP;
	struct end_out out = {0, 0, trace_finish()};
	if (started)
		measure(PHASE_AFTER, at_ns);
	capture_finish(at_ns);
	drops_finish(at_ns);
	out.reason = state_reason();
	raw_put(R_END, LAB_NO_NS, at_ns, &out, sizeof out, NULL, 0);
	return raw_flush();
}
