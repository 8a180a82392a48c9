/* Tracepoints on a machine's own kernel: perf events, which end with the process that opened them and
 * touch nobody else's tracing. One ring per processor, read at intervals. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>

enum { CPUS = 1024, RING = 1 << 20, EVERY_NS = 50000000, LARGEST = 1 << 12, BATCH = 48 << 10 };

struct ring {
	int fd; /* of the event that owns it; the others of this processor write into it too */
	struct perf_event_mmap_page *page;
};

static struct ring rings[CPUS];
static unsigned processors;
static int *opened; /* each event on each processor */
static unsigned opened_count;
static uint64_t taken;
static uint64_t kept; /* bytes */
static uint8_t batch[BATCH + LARGEST + 64];
static size_t used;

/* The machine's tracefs, where it is mounted; or else a view of it that nobody else sees. */
static bool see_tracefs(void)
{
	static bool seen;
	if (!seen)
		seen = access("/sys/kernel/tracing/events", F_OK) == 0 ||
		       (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			mount("none", "/sys/kernel/tracing", "tracefs", MS_RDONLY, NULL) == 0);
	return seen;
}

static int number_of(const char *event)
{
	char path[200], text[16] = "";
	snprintf(path, sizeof path, "/sys/kernel/tracing/events/%s/id", event);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 ? atoi(text) : -1;
}

static int open_event(int id, unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof attr,
		.config = (uint64_t)id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool into_ring(struct ring *r, int fd)
{
	if (r->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) == 0;
	void *page = mmap(NULL, (size_t)getpagesize() + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return false;
	*r = (struct ring){fd, page};
	return true;
}

bool perf_add(uint32_t record, const char *event, const char *filter, perf_keep_text keep)
{
	char format[200];

	if (!see_tracefs()) {
		state_fail(record, 0, errno, "trace: tracing needs root, and a kernel with tracefs");
		return false;
	}
	int id = number_of(event);
	if (id < 0) {
		state_fail(record, 0, errno, "trace: no event %s in this kernel", event);
		return false;
	}
	processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (unsigned cpu = 0; cpu < processors && cpu < CPUS; cpu++) {
		int fd = open_event(id, cpu);
		if (fd < 0 || (*filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) || !into_ring(&rings[cpu], fd) ||
		    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0) {
			state_fail(record, 0, errno, "trace: event %s", event);
			return false;
		}
		opened = realloc(opened, (opened_count + 1) * sizeof *opened);
		if (!opened)
			abort();
		opened[opened_count++] = fd;
	}
	snprintf(format, sizeof format, "events/%s/format", event);
	keep(record, format);
	return true;
}

static void flush(void)
{
	if (used && limits_room(LIMIT_TRACE, LAB_NO_NS, 0, &kept, used) == used)
		raw_put(R_EVENTS, LAB_NO_NS, 0, NULL, 0, batch, used);
	used = 0;
}

/* One sample: when, how much, the event as its format has it. */
static void keep_sample(const uint8_t *body, size_t size)
{
	enum { HEAD = 12 };
	struct event_out out = {0};
	uint64_t at_ns;

	if (size < HEAD)
		return;
	memcpy(&at_ns, body, 8);
	memcpy(&out.size, body + 8, 4);
	if (out.size > size - HEAD)
		return;
	taken++;
	out.at_ns = (int64_t)at_ns;
	if (used + sizeof out + out.size > BATCH)
		flush();
	memcpy(batch + used, &out, sizeof out);
	used += sizeof out;
	memcpy(batch + used, body + HEAD, out.size);
	mask_event(batch + used, out.size);
	memset(batch + used + out.size, 0, -out.size & 7);
	used += (out.size + 7) & ~7u;
}

static void drain_ring(struct ring *r)
{
	static uint8_t record[LARGEST];
	const uint8_t *data = (const uint8_t *)r->page + getpagesize();
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;

	while (tail < head) {
		struct perf_event_header h;
		for (size_t i = 0; i < sizeof h; i++)
			((uint8_t *)&h)[i] = data[(tail + i) % RING];
		if (h.size < sizeof h || h.size > sizeof record)
			break;
		for (size_t i = 0; i < h.size; i++)
			record[i] = data[(tail + i) % RING];
		if (h.type == PERF_RECORD_SAMPLE)
			keep_sample(record + sizeof h, h.size - sizeof h);
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void drain(void)
{
	for (unsigned cpu = 0; cpu < processors && cpu < CPUS; cpu++)
		drain_ring(&rings[cpu]);
	flush();
}

static void at_interval(void *arg, int64_t at_ns)
{
	drain();
	clock_at(at_ns + EVERY_NS, at_interval, arg);
}

void perf_start(void)
{
	clock_at(clock_now() + EVERY_NS, at_interval, NULL);
}

/* Takes the rest; returns how many events happened, by the kernel's own count, and never came here. */
uint64_t perf_finish(void)
{
	uint64_t happened = 0, count;

	for (unsigned i = 0; i < opened_count; i++) {
		ioctl(opened[i], PERF_EVENT_IOC_DISABLE, 0);
		if (read(opened[i], &count, sizeof count) == sizeof count)
			happened += count;
	}
	drain();
	return happened > taken ? happened - taken : 0;
}
