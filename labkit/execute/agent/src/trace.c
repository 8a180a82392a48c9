/* Kernel tracepoints into the raw file, page by page as the ring buffer has them; on a machine's own kernel, by
 * perf.c. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

static const char root[] = "/sys/kernel/tracing";
static bool mounted, on;
static int pipe_fd = -1, stats_fd = -1;
static uint32_t first; /* record that asks for tracing */
static uint64_t kept;  /* bytes */
enum { EVERY_NS = 1000000000 };

static int tell(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, file);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

static void keep_text(uint32_t record, const char *file)
{
	static char text[65536];
	struct dump_out head = {PHASE_BEFORE, record};
	char path[256];
	size_t used = (size_t)snprintf(text, sizeof text, "%s", file) + 1;

	snprintf(path, sizeof path, "%s/%s", root, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	for (ssize_t n; fd >= 0 && used < sizeof text && (n = read(fd, text + used, sizeof text - used)) > 0;)
		used += (size_t)n;
	if (fd < 0)
		state_fail(record, 0, errno, "trace: cannot read %s", file);
	else
		close(fd);
	text[used < sizeof text ? used : sizeof text - 1] = 0;
	mask_learn(text + strlen(text) + 1);
	raw_put(R_FILE, LAB_NO_NS, LAB_AT_SETUP, &head, sizeof head, text, used);
}

static bool open_buffer(uint32_t record, uint32_t buffer_kb)
{
	char number[16];

	if (!mounted && mount("none", root, "tracefs", 0, NULL) < 0) {
		state_fail(record, 0, errno, "trace: cannot mount tracefs");
		return false;
	}
	mounted = true;
	snprintf(number, sizeof number, "%u", buffer_kb);
	tell("tracing_on", "0");
	tell("buffer_subbuf_size_kb", "64"); /* kernels from 6.8; others keep a page */
	if (tell("trace_clock", "local") < 0 || tell("buffer_size_kb", number) < 0) {
		state_fail(record, 0, errno, "trace: no room for a buffer of %u kB", buffer_kb);
		return false;
	}
	keep_text(record, "events/header_page");
	return true;
}

void trace_add(const struct record *r, uint32_t i)
{
	const struct trace_op *op = (const void *)payload(r);
	const char *event = (const char *)(op + 1), *filter = event + strlen(event) + 1;
	char file[160];

	if (!place.own_kernel) {
		on = perf_add(i, event, filter, keep_text) || on;
		return;
	}
	if (!on && !open_buffer(i, op->buffer_kb))
		return;
	first = on ? first : i;
	on = true;
	snprintf(file, sizeof file, "events/%s/format", event);
	keep_text(i, file);
	snprintf(file, sizeof file, "events/%s/filter", event);
	if (*filter && tell(file, filter) < 0)
		state_fail(i, 0, errno, "trace: event %s: filter refused: %s", event, filter);
	snprintf(file, sizeof file, "events/%s/enable", event);
	if (tell(file, "1") < 0)
		state_fail(i, 0, errno, "trace: no event %s in this kernel", event);
}

/* A number of the buffer's own: "entries" is how many events wait, "overrun" how many had no room. */
static unsigned long long buffer_has(const char *what)
{
	static char text[4096];
	ssize_t n = pread(stats_fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, what);
	if (!at)
		state_fail(first, 0, n < 0 ? errno : EPROTO, "trace: cannot read how much was recorded");
	return at ? strtoull(at + strlen(what), NULL, 10) : 0;
}

/* In the lab kernel a system call that fails moves the clock: to read in vain would change the run. */
static void drain(void)
{
	static uint8_t page[65536];
	ssize_t n;

	while (pipe_fd >= 0 && buffer_has("entries: ") && (n = read(pipe_fd, page, sizeof page)) > 0) {
		size_t size = mask_page(page, (size_t)n);
		if (limits_room(LIMIT_TRACE, LAB_NO_NS, 0, &kept, size) < size)
			break;
		raw_put(R_TRACE, LAB_NO_NS, 0, NULL, 0, page, size);
	}
}

static void at_interval(void *arg, int64_t at_ns)
{
	drain();
	clock_at(at_ns + EVERY_NS, at_interval, arg);
}

void trace_start(void)
{
	char path[256];

	if (on && !place.own_kernel)
		perf_start();
	if (!on || !place.own_kernel || pipe_fd >= 0)
		return;
	snprintf(path, sizeof path, "%s/per_cpu/cpu0/trace_pipe_raw", root);
	pipe_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof path, "%s/per_cpu/cpu0/stats", root);
	stats_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (pipe_fd < 0 || stats_fd < 0 || tell("tracing_on", "1") < 0) {
		state_fail(first, 0, errno, "trace: cannot read what is recorded");
		return;
	}
	clock_at(state_start_ns() + EVERY_NS, at_interval, NULL); /* however long the set-up took */
}

/* Takes the rest; returns how many events the buffer had no room for since it was opened. */
uint64_t trace_finish(void)
{
	if (!on)
		return 0;
	if (!place.own_kernel)
		return perf_finish();
	drain();
	return buffer_has("overrun: ");
}
