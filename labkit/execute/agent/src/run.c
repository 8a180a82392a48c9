/* One lab program: set-up, epoch, what happens when, end. SPDX: MIT */
#include "agent.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

static struct program *running;
static uint32_t number;            /* of the program, in an open laboratory */
static int64_t epoch_ns, epoch_real_ns; /* of the first program: zero of all times in the raw file */
static int64_t start_ns;           /* of this program: zero of the times in it */
static bool failed, ended;
static uint32_t busy;
static uint32_t reason;
static int64_t end_ns;
static bool watched;
static int64_t look_ns; /* when to look at the clock again, in real time */

enum { SECOND = 1000000000 };

bool run_failed(void)
{
	return failed;
}

int64_t run_since_epoch(int64_t monotonic_ns)
{
	return monotonic_ns - epoch_ns;
}

/* What happens between set-up and the start happens at the start. */
static int64_t not_before_start(int64_t at_ns)
{
	return at_ns > start_ns ? at_ns : start_ns;
}

static void finish(uint32_t why, int64_t at_ns)
{
	if (ended)
		return;
	ended = true;
	reason = why;
	end_ns = not_before_start(at_ns);
}

void run_fail(uint32_t record, uint32_t message, int error, const char *format, ...)
{
	struct error_out head = {record, message, error, 0};
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	raw_put(R_ERROR, LAB_NO_NS, epoch_ns ? run_since_epoch(not_before_start(clock_current())) : LAB_AT_SETUP, &head, sizeof head, text,
		strlen(text) + 1);
	failed = true;
	finish(END_ERROR, clock_current());
}

int64_t run_since_real(int64_t realtime_ns)
{
	return realtime_ns - epoch_real_ns;
}

int64_t run_end(void)
{
	return end_ns;
}

int64_t message_time(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
			struct timespec t;
			memcpy(&t, CMSG_DATA(c), sizeof t);
			return run_since_real(t.tv_sec * (int64_t)SECOND + t.tv_nsec);
		}
	return -1;
}

uint32_t run_started(void)
{
	busy++;
	return number;
}

void run_ended(uint32_t program)
{
	const struct end_op *end = (const void *)payload(running->record[running->records - 1]);
	if (program == number && --busy == 0 && !end->duration_ns && !ended)
		finish(END_COMPLETE, clock_now());
}

void run_packet(void)
{
	if (running->flags & PROGRAM_PACKET)
		finish(END_PACKET, clock_now());
}

/* On a host, a flow that asks for more packets than the machine can send holds up all timers: then the
 * clock itself says when it is time to stop. */
static bool is_done(void)
{
	const struct end_op *end = (const void *)payload(running->record[running->records - 1]);
	int64_t now;

	if (is_init || ended || !start_ns || (now = clock_now()) < look_ns)
		return ended;
	look_ns = now + SECOND;
	if (access("stop", F_OK) == 0)
		finish(END_STOPPED, now);
	else if (end->duration_ns && now - start_ns > (int64_t)end->duration_ns + SECOND)
		finish(END_DURATION, now);
	else if (end->limit_ns && now - start_ns > (int64_t)end->limit_ns + SECOND)
		finish(END_LIMIT, now);
	return ended;
}

static void timed_step(void *arg, int64_t at_ns)
{
	(void)at_ns;
	if (!ended)
		step(running->record[(uint32_t)(uintptr_t)arg], (uint32_t)(uintptr_t)arg);
}

/* What needs the epoch: flows, programs, samples and timed changes. */
static void schedule(uint32_t i)
{
	const struct record *r = running->record[i];
	const uint8_t *body = payload(r);
	int64_t at = start_ns + (r->at_ns < 0 ? 0 : r->at_ns);

	switch (r->type) {
	case P_FLOW: {
		const struct flow_op *op = (const void *)body;
		(op->protocol == 6 ? tcp_prepare : udp_prepare)(i, r->ns, op, at);
		break;
	}
	case P_SERVER:
		server_prepare(i, r->ns, (const void *)body, at);
		break;
	case P_EXEC: {
		const struct exec_op *op = (const void *)body;
		exec_at(i, r->ns, op, (const char *)body + sizeof *op, at);
		break;
	}
	case P_SAMPLE: {
		const struct sample_op *op = (const void *)body;
		sample_every(i, r->ns, op, body + sizeof *op, payload_size(r) - sizeof *op, start_ns);
		break;
	}
	default:
		if (r->at_ns >= 0)
			clock_at(at, timed_step, (void *)(uintptr_t)i);
	}
}

static void at_duration(void *arg, int64_t at_ns)
{
	(void)arg;
	finish(END_DURATION, at_ns);
}

static void at_limit(void *arg, int64_t at_ns)
{
	(void)arg;
	finish(END_LIMIT, at_ns);
}

/* Once a virtual second: has the host asked to stop? The file's absence costs one look. Whoever watches the
 * run has laid a file "clock", whose size is to be the time in ms. */
static void heartbeat(void *arg, int64_t at_ns)
{
	if (watched && truncate("clock", (at_ns - start_ns) / (SECOND / 1000)) < 0)
		watched = false;
	if (access("stop", F_OK) == 0)
		finish(END_STOPPED, at_ns);
	else
		clock_at(at_ns + SECOND, heartbeat, arg);
}

/* In a lab kernel the epoch is a whole second, so that a longer set-up does not shift a run; later
 * programs of an open laboratory start at the next whole millisecond. */
static void choose_start(void)
{
	struct timespec real;
	int64_t now = clock_now(), grain = epoch_ns ? SECOND / 1000 : SECOND;

	start_ns = is_init ? (now / grain + 2) * grain : now + SECOND / 20;
	if (epoch_ns)
		return;
	clock_gettime(CLOCK_REALTIME, &real);
	epoch_ns = start_ns;
	epoch_real_ns = real.tv_sec * (int64_t)SECOND + real.tv_nsec + start_ns - now;
	if (is_init) /* the lab kernel's two clocks differ by a whole second; reading them cost a tick each */
		epoch_real_ns = (epoch_real_ns + SECOND / 2) / SECOND * SECOND;
	struct epoch_out out = {epoch_ns, epoch_real_ns};
	raw_put(R_EPOCH, LAB_NO_NS, 0, &out, sizeof out, NULL, 0);
}

static void counters(uint32_t phase, int64_t at_ns)
{
	for (uint32_t i = 0; i < running->records; i++) {
		const struct record *r = running->record[i];
		if (r->type == P_COUNTERS)
			counters_take(i, phase, at_ns, payload(r), payload_size(r));
	}
}

static void begin(void)
{
	const struct end_op *end = (const void *)payload(running->record[running->records - 1]);

	choose_start();
	counters(PHASE_BEFORE, run_since_epoch(start_ns));
	trace_start();
	if (end->duration_ns)
		clock_at(start_ns + (int64_t)end->duration_ns, at_duration, NULL);
	if (end->limit_ns)
		clock_at(start_ns + (int64_t)end->limit_ns, at_limit, NULL);
	watched = access("clock", F_OK) == 0;
	clock_at(start_ns + SECOND, heartbeat, NULL);
	run_started();
	for (uint32_t i = 0; i < running->records && !failed; i++)
		schedule(i);
	run_ended(number);
}

static void stop_timers(void)
{
	clock_forget(at_duration);
	clock_forget(at_limit);
	clock_forget(heartbeat);
	clock_forget(timed_step);
	samples_end();
}

int run_program(struct program *p)
{
	running = p;
	number++;
	failed = ended = false;
	busy = 0;
	for (uint32_t i = 0; i < p->records && !failed; i++)
		if (p->record[i]->at_ns == LAB_AT_SETUP)
			step(p->record[i], i);
	if (!failed)
		begin();
	loop_run(is_done);
	stop_timers();
	if (!(p->flags & PROGRAM_MORE)) {
		tcp_end_all();
		udp_end_all();
		server_end_all();
		exec_kill(0);
	} else if (reason != END_COMPLETE) {
		exec_kill(number);
	}
	int64_t at = epoch_ns ? run_since_epoch(end_ns) : LAB_AT_SETUP;
	struct end_out out = {0, 0, trace_finish()};
	if (epoch_ns)
		counters(PHASE_AFTER, at);
	capture_finish(at);
	drops_finish(at);
	out.reason = reason;
	raw_put(R_END, LAB_NO_NS, at, &out, sizeof out, NULL, 0);
	return raw_flush();
}
