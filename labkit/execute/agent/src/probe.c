/* What is read at intervals and before and after a run: TCP_INFO, TCP_CC_INFO, netlink dumps, /proc/net. SPDX: MIT */
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
enum { SHORTEST_NS = 1000 };

static void take(void *arg, int64_t at_ns)
{
	struct sample *s = arg;
	struct dump_out head = {PHASE_SAMPLE, s->record};

	if (s->op.kind == SAMPLE_TCP_INFO)
		tcp_flow_sample_all(state_since_epoch(at_ns));
	else if (s->op.kind == SAMPLE_CC_INFO)
		tcp_flow_sample_cc(state_since_epoch(at_ns));
	else
		netlink_dump(s->record, s->ns, &head, state_since_epoch(at_ns), s->request, s->size, s->only);
	clock_at(at_ns + (int64_t)s->op.interval_ns, take, s);
}

const char *sample_check(const struct record *r, unsigned netns)
{
	const struct sample_op *op = (const void *)payload(r);
	size_t size = payload_size(r) - sizeof *op;
	(void)netns;

	if (op->interval_ns < SHORTEST_NS)
		return "sampling interval below 1 us";
	if (op->interval_ns > LONGEST_NS)
		return "time out of range";
	if (op->kind == SAMPLE_TCP_INFO || op->kind == SAMPLE_CC_INFO)
		return NULL;
	if (op->kind != SAMPLE_NETLINK)
		return "unknown kind of sample";
	if (r->ns == LAB_NO_NS)
		return "needs a namespace";
	if (op->devices > size / 4)
		return "more devices than fit";
	size -= (size_t)op->devices * 4;
	const uint8_t *request = (const uint8_t *)(op + 1) + (size_t)op->devices * 4;
	return size >= sizeof(struct nlmsghdr) && netlink_tiles(request, size) ? NULL : "damaged netlink message";
}

void sample_every(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct sample_op *op = (const void *)payload(r);
	const uint8_t *request = (const uint8_t *)(op + 1);
	struct sample *s = malloc(sizeof *s);
	if (!s)
		abort();
	size_t skip = op->kind == SAMPLE_NETLINK ? (size_t)op->devices * 4 : 0;
	struct devices only = {request, op->devices};
	*s = (struct sample){i, r->ns, *op, only, request + skip, payload_size(r) - sizeof *op - skip, samples};
	samples = s;
	clock_at(at_ns, take, s);
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

/* Without MPTCP's counters, which come last: no traffic of ours moves them, and not each kernel has them. */
static void keep_file(unsigned ns, struct dump_out head, int64_t at_ns, const char *path)
{
	static char text[65536];
	size_t used = strlen(path) + 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return; /* a kernel without this table */
	memcpy(text, path, used);
	for (ssize_t n; used < sizeof text - 1 && (n = read(fd, text + used, sizeof text - 1 - used)) > 0;)
		used += (size_t)n;
	close(fd);
	text[used] = 0;
	const char *mptcp = strstr(text + strlen(path) + 1, "MPTcpExt:");
	if (mptcp)
		used = (size_t)(mptcp - text);
	raw_put(R_FILE, (uint16_t)ns, at_ns, &head, sizeof head, text, used);
}

const char *counters_check(const struct record *r, unsigned netns)
{
	(void)netns;
	return netlink_tiles(payload(r), payload_size(r)) ? NULL : "damaged netlink message";
}

void counters_take(const struct record *r, uint32_t i, uint32_t phase, int64_t at_ns)
{
	static const char *const files[] = {"/proc/net/snmp", "/proc/net/netstat", "/proc/net/softnet_stat"};
	struct dump_out head = {phase, i};

	for (unsigned ns = 0; ns < netns_count(); ns++) {
		const uint8_t *p = payload(r), *end = p + payload_size(r);
		while (p < end && !state_failed()) {
			const struct nlmsghdr *m = (const void *)p;
			netlink_dump(i, ns, &head, at_ns, m, m->nlmsg_len, (struct devices){NULL, 0});
			p += NLMSG_ALIGN(m->nlmsg_len);
		}
		if (netns_enter(ns) < 0)
			continue;
		for (unsigned f = 0; f < sizeof files / sizeof *files; f++)
			keep_file(ns, head, at_ns, files[f]);
	}
}
