/* Every kind of record, in one table: how long it must be, what else makes it a damaged one, and what is done
 * with it when. A new kind is a struct in format.h, a file that does it, and a line here. SPDX: MIT */
#include "agent.h"

enum { MESSAGE = 16 /* a netlink message's header */, FRAME = 14 /* an Ethernet header */ };

struct step {
	uint16_t fixed; /* bytes of payload before its texts: at least so many */
	uint8_t texts;  /* each with its zero byte */
	bool in_ns;     /* acts on the network of one namespace; without one it would be the machine's */
	bool traffic;   /* begins in a namespace at its instant, after commands */
	const char *(*check)(const struct record *r, unsigned netns);           /* NULL, or what is wrong */
	void (*take)(const struct record *r, uint32_t i);                       /* during set-up, or at its instant */
	void (*prepare)(const struct record *r, uint32_t i, int64_t at_ns);     /* in its place: before the epoch, for at_ns */
	void (*measure)(const struct record *r, uint32_t i, uint32_t phase, int64_t at_ns); /* before and after the run */
};

static const char *check_end(const struct record *r, unsigned netns)
{
	const struct end_op *op = (const void *)payload(r);
	(void)netns;

	return op->duration_ns > LONGEST_NS || op->limit_ns > LONGEST_NS ? "time out of range" : NULL;
}

static const struct step table[] = {
	[P_NETNS] = {.texts = 1, .take = netns_make},
	[P_NETLINK] = {sizeof(struct netlink_op) + MESSAGE, .in_ns = true, .check = netlink_check, .take = netlink_send},
	[P_SYSCTL] = {.texts = 2, .take = sysctl_write},
	[P_SEED] = {1, .take = seed_kernel},
	[P_MODULE] = {.texts = 1, .take = module_load},
	[P_OFFLOAD] = {.texts = 1, .in_ns = true, .take = netns_offloads_off},
	[P_FLOW] = {sizeof(struct flow_op), .traffic = true, .check = flow_check, .prepare = flow_prepare},
	[P_TRACE] = {sizeof(struct trace_op), .texts = 2, .take = trace_add},
	[P_SAMPLE] = {sizeof(struct sample_op), .check = sample_check, .prepare = sample_every},
	[P_COUNTERS] = {MESSAGE, .check = counters_check, .measure = counters_take},
	[P_EXEC] = {sizeof(struct exec_op), .texts = 1, .in_ns = true, .prepare = exec_prepare},
	[P_HOSTS] = {.take = view_set_hosts},
	[P_END] = {sizeof(struct end_op), .check = check_end},
	[P_CAPTURE] = {sizeof(struct capture_op), .in_ns = true, .check = capture_check, .take = capture_add},
	[P_DROPS] = {sizeof(struct drops_op), .take = drops_watch},
	[P_LISTEN] = {sizeof(struct capture_op), .in_ns = true, .take = inject_listen},
	[P_SEND] = {sizeof(struct send_op) + FRAME, .in_ns = true, .take = inject_send},
	[P_SERVER] = {sizeof(struct server_op), .in_ns = true, .prepare = server_prepare},
	[P_LIMITS] = {sizeof(struct limits_op), .take = limits_set},
	[P_SHOW] = {.texts = 2, .check = view_check_file, .take = view_add_file},
	[P_CHAIN] = {sizeof(struct chain_op), .in_ns = true, .check = chain_check, .take = chain_set},
	[P_REQUEST] = {sizeof(struct request_op), .traffic = true, .check = request_check, .prepare = request_prepare},
	[P_BACKGROUND] = {sizeof(struct background_op), .traffic = true, .check = background_check, .prepare = background_prepare},
	[P_EXCHANGES] = {sizeof(struct exchanges_op), .traffic = true, .check = exchanges_check, .prepare = exchanges_prepare},
	[P_STREAM] = {sizeof(struct stream_op), .traffic = true, .check = stream_check, .prepare = stream_prepare},
	[P_TUN] = {sizeof(struct tun_op), .texts = 1, .in_ns = true, .take = tun_make},
	[P_TUNNEL] = {sizeof(struct tunnel_op), .traffic = true, .check = tunnel_check, .prepare = tunnel_prepare},
	[P_PARAMETER] = {.texts = 2, .take = parameter_write},
	[P_TRAIN] = {sizeof(struct train_op), .traffic = true, .check = train_check, .prepare = train_prepare},
};

static bool texts_end(const struct record *r)
{
	const uint8_t *p = payload(r) + table[r->type].fixed;
	size_t left = payload_size(r) - table[r->type].fixed;

	for (unsigned i = 0; i < table[r->type].texts; i++) {
		const uint8_t *nul = memchr(p, 0, left);
		if (!nul)
			return false;
		left -= (size_t)(nul - p) + 1;
		p = nul + 1;
	}
	return true;
}

const char *step_check(const struct record *r, unsigned netns)
{
	if (r->type == 0 || r->type >= sizeof table / sizeof *table)
		return "unknown type";
	const struct step *s = &table[r->type];
	if (!s->check && !s->take && !s->prepare && !s->measure)
		return "unknown type";
	if (payload_size(r) < s->fixed)
		return "too short";
	if (!texts_end(r))
		return "string without end";
	if (r->type == P_NETNS ? r->ns != netns : r->ns != LAB_NO_NS && r->ns >= netns)
		return "namespace out of order";
	if (r->ns == LAB_NO_NS && (s->in_ns || s->traffic))
		return "needs a namespace";
	if (r->at_ns < LAB_AT_SETUP || r->at_ns > (int64_t)LONGEST_NS || (r->type == P_NETNS && r->at_ns >= 0))
		return "time out of range";
	return s->check ? s->check(r, netns) : NULL;
}

void step_take(const struct record *r, uint32_t i)
{
	if (table[r->type].take)
		table[r->type].take(r, i);
}

bool step_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	if (table[r->type].prepare)
		table[r->type].prepare(r, i, at_ns);
	return table[r->type].prepare != NULL;
}

bool step_is_traffic(const struct record *r)
{
	return table[r->type].traffic;
}

void step_measure(const struct record *r, uint32_t i, uint32_t phase, int64_t at_ns)
{
	if (table[r->type].measure)
		table[r->type].measure(r, i, phase, at_ns);
}
