/* Reads a lab program and refuses a damaged one before anything is done. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/stat.h>

static char fault[128];
static const uint64_t longest_ns = (uint64_t)1 << 56; /* two years: sums of a few stay in 63 bits */
static const uint32_t largest_ring_kb = 1 << 18;

/* How many bytes of payload each type has at least, and how many strings end it. */
static const struct {
	uint16_t fixed;
	uint8_t strings;
} shape[] = {
	[P_NETNS] = {0, 1},
	[P_NETLINK] = {sizeof(struct netlink_op) + 16, 0},
	[P_SYSCTL] = {0, 2},
	[P_SEED] = {1, 0},
	[P_MODULE] = {0, 1},
	[P_OFFLOAD] = {0, 1},
	[P_FLOW] = {sizeof(struct flow_op), 0},
	[P_TRACE] = {sizeof(struct trace_op), 2},
	[P_SAMPLE] = {sizeof(struct sample_op), 0},
	[P_COUNTERS] = {16, 0},
	[P_EXEC] = {sizeof(struct exec_op), 1},
	[P_HOSTS] = {0, 0},
	[P_END] = {sizeof(struct end_op), 0},
	[P_CAPTURE] = {sizeof(struct capture_op), 0},
	[P_DROPS] = {sizeof(struct drops_op), 0},
	[P_LISTEN] = {sizeof(struct capture_op), 0},
	[P_SEND] = {sizeof(struct send_op) + 14, 0},
	[P_SERVER] = {sizeof(struct server_op), 0},
};

static bool strings_end(const struct record *r, unsigned wanted)
{
	const uint8_t *p = payload(r) + shape[r->type].fixed;
	size_t left = payload_size(r) - shape[r->type].fixed;

	for (unsigned i = 0; i < wanted; i++) {
		const uint8_t *nul = memchr(p, 0, left);
		if (!nul)
			return false;
		left -= (size_t)(nul - p) + 1;
		p = nul + 1;
	}
	return true;
}

/* Netlink messages must tile their space: each length sane and in bounds. */
static bool messages_tile(const uint8_t *p, size_t left)
{
	while (left) {
		uint32_t len;
		if (left < 16)
			return false;
		memcpy(&len, p, 4);
		if (len < 16 || len > left)
			return false;
		size_t step = ((size_t)len + 3) & ~(size_t)3;
		if (step > left)
			return false;
		p += step;
		left -= step;
	}
	return true;
}

static const char *check_flow(const struct flow_op *op)
{
	if (!op->size && !op->duration_ns)
		return "flow without end";
	if (op->duration_ns > longest_ns || op->interval_ns > longest_ns || op->read_after_ns > longest_ns)
		return "time out of range";
	if (op->protocol != 6 && op->protocol != 17)
		return "flow of an unknown protocol";
	if (op->protocol == 17 && (!op->interval_ns || !op->packet || op->packet > 65507))
		return "UDP flow without rate or packet size";
	return memchr(op->cc, 0, sizeof op->cc) ? NULL : "string without end";
}

static const char *check_sample(const struct record *r, const struct sample_op *op)
{
	size_t size = payload_size(r) - sizeof *op;

	if (op->interval_ns < 1000)
		return "sampling interval below 1 us";
	if (op->interval_ns > longest_ns)
		return "time out of range";
	if (op->kind == SAMPLE_TCP_INFO)
		return NULL;
	if (op->kind != SAMPLE_NETLINK)
		return "unknown kind of sample";
	if (r->ns == LAB_NO_NS)
		return "needs a namespace";
	if (op->devices > size / 4)
		return "more devices than fit";
	size -= (size_t)op->devices * 4;
	return size >= 16 && messages_tile((const uint8_t *)(op + 1) + op->devices * 4, size) ? NULL : "damaged netlink message";
}

static const char *check_netlink(const struct record *r, const struct netlink_op *op)
{
	if (op->protocol != NETLINK_ROUTE && op->protocol != NETLINK_NETFILTER && op->protocol != NETLINK_GENERIC)
		return "unknown netlink protocol";
	if (!messages_tile((const uint8_t *)(op + 1), payload_size(r) - sizeof *op))
		return "damaged netlink message";
	return NULL;
}

/* Types that act on the network of one namespace; without one it would be the machine's. */
static bool needs_ns(uint16_t type)
{
	return type == P_NETLINK || type == P_OFFLOAD || type == P_FLOW || type == P_EXEC || type == P_CAPTURE ||
	       type == P_LISTEN || type == P_SEND || type == P_SERVER;
}

static const char *check(const struct record *r, unsigned netns)
{
	const uint8_t *body = payload(r);
	size_t size = payload_size(r);

	if (r->type == 0 || r->type >= sizeof shape / sizeof *shape)
		return "unknown type";
	if (size < shape[r->type].fixed)
		return "too short";
	if (!strings_end(r, shape[r->type].strings))
		return "string without end";
	if (r->type == P_NETNS ? r->ns != netns : r->ns != LAB_NO_NS && r->ns >= netns)
		return "namespace out of order";
	if (r->ns == LAB_NO_NS && needs_ns(r->type))
		return "needs a namespace";
	if (r->at_ns < LAB_AT_SETUP || r->at_ns > (int64_t)longest_ns || (r->type == P_NETNS && r->at_ns >= 0))
		return "time out of range";
	if (r->type == P_COUNTERS && !messages_tile(body, size))
		return "damaged netlink message";
	if (r->type == P_NETLINK)
		return check_netlink(r, (const void *)body);
	if (r->type == P_SAMPLE)
		return check_sample(r, (const void *)body);
	if (r->type == P_FLOW)
		return ((const struct flow_op *)(const void *)body)->dst_ns < netns ? check_flow((const void *)body)
										      : "flow in an unknown namespace";
	if (r->type == P_CAPTURE && ((const struct capture_op *)(const void *)body)->ring_kb > largest_ring_kb)
		return "ring too large";
	if (r->type == P_END) {
		const struct end_op *end = (const void *)body;
		if (end->duration_ns > longest_ns || end->limit_ns > longest_ns)
			return "time out of range";
	}
	return NULL;
}

static const char *index_records(struct program *p, unsigned known_netns)
{
	size_t at = sizeof(struct header);

	for (uint32_t i = 0; i < p->records; i++) {
		const struct record *r = (const void *)(p->bytes + at);
		const char *wrong = NULL;

		if (p->size - at < sizeof *r || r->size < sizeof *r || r->size > p->size - at)
			wrong = "runs past the end";
		else
			wrong = check(r, known_netns);
		if (!wrong && (r->type == P_END) != (i + 1 == p->records))
			wrong = "END must be the last record and only that";
		if (wrong) {
			snprintf(fault, sizeof fault, "damaged lab program: record %u at byte %zu: %s", i, at, wrong);
			return fault;
		}
		if (r->type == P_NETNS)
			known_netns++;
		p->record[i] = r;
		size_t step = ((size_t)r->size + 7) & ~(size_t)7;
		at = step > p->size - at ? p->size : at + step;
	}
	return NULL;
}

const char *program_load(struct program *p, const char *path)
{
	struct stat st;
	struct header h;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*p = (struct program){0};
	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(fault, sizeof fault, "cannot read the lab program: %s", strerror(errno));
		return fault;
	}
	p->size = (size_t)st.st_size;
	p->bytes = malloc(p->size + 8);
	size_t got = 0;
	while (p->bytes && got < p->size) {
		ssize_t n = read(fd, p->bytes + got, p->size - got);
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(fd);
	if (!p->bytes || got < p->size || p->size < sizeof h)
		return "damaged lab program: shorter than its header";
	memcpy(&h, p->bytes, sizeof h);
	if (h.magic != LAB_MAGIC)
		return "not a lab program: wrong magic number";
	if (h.version != LAB_VERSION) {
		snprintf(fault, sizeof fault, "lab program of version %u, this agent reads version %u", h.version, LAB_VERSION);
		return fault;
	}
	if (h.records == 0 || h.records > p->size / sizeof(struct record))
		return "damaged lab program: impossible number of records";
	p->records = h.records;
	p->flags = h.flags;
	p->record = calloc(h.records, sizeof *p->record);
	if (!p->record)
		return "no memory for the lab program";
	return index_records(p, netns_count());
}

void program_free(struct program *p)
{
	free(p->record);
	free(p->bytes);
	*p = (struct program){0};
}
