/* What is read at intervals and before and after a run: TCP_INFO, netlink dumps, /proc/net. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/netlink.h>

struct sample {
	uint32_t record;
	unsigned ns;
	struct sample_op op;
	struct devices only;
	const void *request;
	size_t size;
	struct sample *next;
};

static struct sample *samples;

static void take(void *arg, int64_t at_ns)
{
	struct sample *s = arg;
	struct dump_out head = {PHASE_SAMPLE, s->record};

	if (s->op.kind == SAMPLE_TCP_INFO)
		tcp_sample_all(run_since_epoch(at_ns));
	else
		netlink_dump(s->record, s->ns, &head, run_since_epoch(at_ns), s->request, s->size, s->only);
	clock_at(at_ns + (int64_t)s->op.interval_ns, take, s);
}

void sample_every(uint32_t record, unsigned ns, const struct sample_op *op, const void *request,
		  size_t size, int64_t epoch_ns)
{
	struct sample *s = malloc(sizeof *s);
	if (!s)
		abort();
	size_t skip = op->kind == SAMPLE_NETLINK ? (size_t)op->devices * 4 : 0;
	struct devices only = {request, op->devices};
	*s = (struct sample){record, ns, *op, only, (const uint8_t *)request + skip, size - skip, samples};
	samples = s;
	clock_at(epoch_ns, take, s);
}

void samples_end(void)
{
	clock_forget(take);
	while (samples) {
		struct sample *next = samples->next;
		free(samples);
		samples = next;
	}
}

static void keep_file(unsigned ns, struct dump_out head, int64_t at_ns, const char *path)
{
	static char text[65536];
	size_t used = strlen(path) + 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return; /* a kernel without this table */
	memcpy(text, path, used);
	for (ssize_t n; used < sizeof text && (n = read(fd, text + used, sizeof text - used)) > 0;)
		used += (size_t)n;
	close(fd);
	raw_put(R_FILE, (uint16_t)ns, at_ns, &head, sizeof head, text, used);
}

void counters_take(uint32_t record, uint32_t phase, int64_t at_ns, const void *requests, size_t size)
{
	static const char *const files[] = {"/proc/net/snmp", "/proc/net/netstat", "/proc/net/softnet_stat"};
	struct dump_out head = {phase, record};

	for (unsigned ns = 0; ns < netns_count(); ns++) {
		const uint8_t *p = requests, *end = p + size;
		while (p < end && !run_failed()) {
			const struct nlmsghdr *m = (const void *)p;
			netlink_dump(record, ns, &head, at_ns, m, m->nlmsg_len, (struct devices){NULL, 0});
			p += NLMSG_ALIGN(m->nlmsg_len);
		}
		if (netns_enter(ns) < 0)
			continue;
		for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
			keep_file(ns, head, at_ns, files[i]);
	}
}
