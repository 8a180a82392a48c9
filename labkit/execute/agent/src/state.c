/* What every file of a run may have to say or ask: errors, the time since the epoch, what the run waits for
 * and that it has ended. SPDX: MIT */
#include "agent.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>

static int64_t epoch_ns, epoch_real_ns; /* of the first program: zero of all times in the raw file */
static int64_t start_ns;                /* of this program: zero of the times in it */
static uint32_t number;                 /* of the program, in an open laboratory */
static bool until_idle, until_packet;
static uint32_t busy;
static bool failed, ended;
static uint32_t reason;
static int64_t end_ns;

enum { SECOND = 1000000000 };

uint32_t state_program(bool ends_idle, bool ends_with_packet)
{
	until_idle = ends_idle;
	until_packet = ends_with_packet;
	failed = ended = false;
	busy = 0;
	return ++number;
}

void state_start(int64_t monotonic_ns)
{
	start_ns = monotonic_ns;
}

int64_t state_start_ns(void)
{
	return start_ns;
}

void state_epoch(int64_t monotonic_ns, int64_t real_ns)
{
	epoch_ns = monotonic_ns;
	epoch_real_ns = real_ns;
}

bool state_has_epoch(void)
{
	return epoch_ns != 0;
}

int64_t state_since_epoch(int64_t monotonic_ns)
{
	return monotonic_ns - epoch_ns;
}

int64_t state_since_real(int64_t realtime_ns)
{
	return realtime_ns - epoch_real_ns;
}

int64_t state_message_time(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
			struct timespec t;
			memcpy(&t, CMSG_DATA(c), sizeof t);
			return state_since_real(t.tv_sec * (int64_t)SECOND + t.tv_nsec);
		}
	return -1;
}

/* What happens between set-up and the start happens at the start. */
static int64_t not_before_start(int64_t at_ns)
{
	return at_ns > start_ns ? at_ns : start_ns;
}

void state_finish(uint32_t why, int64_t at_ns)
{
	if (ended)
		return;
	ended = true;
	reason = why;
	end_ns = not_before_start(at_ns);
}

void state_fail(uint32_t record, uint32_t message, int error, const char *format, ...)
{
	struct error_out head = {record, message, error, 0};
	int64_t at_ns = epoch_ns ? state_since_epoch(not_before_start(clock_current())) : LAB_AT_SETUP;
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	raw_put(R_ERROR, LAB_NO_NS, at_ns, &head, sizeof head, text, strlen(text) + 1);
	failed = true;
	state_finish(END_ERROR, clock_current());
}

bool state_failed(void)
{
	return failed;
}

bool state_ended(void)
{
	return ended;
}

int64_t state_end_ns(void)
{
	return end_ns;
}

uint32_t state_reason(void)
{
	return reason;
}

uint32_t state_begun(void)
{
	busy++;
	return number;
}

void state_done(uint32_t program)
{
	if (program == number && --busy == 0 && until_idle && !ended)
		state_finish(END_COMPLETE, clock_now());
}

void state_packet(void)
{
	if (until_packet)
		state_finish(END_PACKET, clock_now());
}
