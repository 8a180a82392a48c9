/* The raw output file: records in the order in which they happened. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>

static int fd = -1;
static uint8_t *buffer;
static size_t used;
static uint64_t written;
static int failed; /* errno of the first write that failed: reported by raw_flush */
static int64_t settled_ns; /* when the buffer was last written out in passing */
enum { BUFFER = 1 << 16, SETTLE_NS = 100000000 };

int raw_open(const char *path)
{
	buffer = malloc(BUFFER);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return fd < 0 || !buffer ? -1 : 0;
}

static void drain(const uint8_t *p, size_t size)
{
	while (size && !failed) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno != EINTR)
			failed = errno;
		else if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
}

static void put(const void *p, size_t size)
{
	if (!size)
		return;
	written += size;
	if (used + size > BUFFER) {
		drain(buffer, used);
		used = 0;
	}
	if (size > BUFFER) {
		drain(p, size);
	} else {
		memcpy(buffer + used, p, size);
		used += size;
	}
}

void raw_put(uint16_t type, uint16_t ns, int64_t at_ns, const void *head, size_t head_size,
	     const void *body, size_t body_size)
{
	static const uint8_t zero[8];
	size_t size = sizeof(struct record) + head_size + body_size;
	struct record r = {type, ns, (uint32_t)size, at_ns};

	put(&r, sizeof r);
	put(head, head_size);
	put(body, body_size);
	put(zero, -size & 7);
}

void raw_write(void)
{
	drain(buffer, used);
	used = 0;
}

void raw_settle(int64_t now_ns)
{
	if (now_ns - settled_ns < SETTLE_NS)
		return;
	settled_ns = now_ns;
	raw_write();
}

uint64_t raw_written(void)
{
	return written;
}

int raw_flush(void)
{
	raw_write();
	if (!failed && fsync(fd) < 0 && errno != EINVAL)
		failed = errno;
	return failed;
}
