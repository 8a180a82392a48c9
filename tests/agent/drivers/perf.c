/* perf START <RECORDS: perf.c with rings that hold what they are told to: RECORDS as a kernel would have written
 * them from byte START of the first processor's ring on, over its end if need be. They go to the file raw. */
#include "agent.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>

enum { RING = 1 << 20 };
static int first = -1;

/* An event: a file whose first bytes are how often it has happened, which is the ring's page as well. */
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	int fd = memfd_create("event", MFD_CLOEXEC);
	(void)number;

	if (fd < 0 || ftruncate(fd, getpagesize() + RING) < 0)
		abort();
	first = first < 0 ? fd : first;
	return fd;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	(void)request;
	return 0;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return 0;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	return __real_open64(strncmp(path, "/sys/", 5) ? path : "id", flags, 0644);
}

static void keep(uint32_t record, const char *file)
{
	(void)record;
	(void)file;
}

int main(int argc, char **argv)
{
	size_t start = argc == 2 ? (size_t)atoi(argv[1]) : 0, at = start;
	struct end_out out = {0};

	if (raw_open("raw") < 0 || !perf_add(0, "tcp/tcp_probe", "", keep) || !perf_add(1, "tcp/tcp_rack", "x", keep))
		return 2;
	uint8_t *page = mmap(NULL, (size_t)getpagesize() + RING, PROT_READ | PROT_WRITE, MAP_SHARED, first, 0);
	if (page == MAP_FAILED)
		return 2;
	for (int c; (c = getchar()) != EOF; at++)
		page[(size_t)getpagesize() + at % RING] = (uint8_t)c;
	struct perf_event_mmap_page *head = (void *)page;
	head->data_tail = start;
	head->data_head = at;
	head->version = 1000; /* read as the event's count */
	out.lost_trace_events = perf_finish();
	raw_put(R_END, LAB_NO_NS, 0, &out, sizeof out, NULL, 0);
	return raw_flush();
}
