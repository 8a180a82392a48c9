/* P_FLOW: one struct for bulk transfers over TCP (tcp.c) and datagrams over UDP (udp.c). SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>

enum { LARGEST_DATAGRAM = 65507 };

const char *flow_check(const struct record *r, unsigned netns)
{
	const struct flow_op *op = (const void *)payload(r);

	if (op->dst_ns >= netns)
		return "flow in an unknown namespace";
	if (!op->size && !op->duration_ns)
		return "flow without end";
	if (op->duration_ns > LONGEST_NS || op->interval_ns > LONGEST_NS || op->read_after_ns > LONGEST_NS)
		return "time out of range";
	if (op->protocol != IPPROTO_TCP && op->protocol != IPPROTO_UDP)
		return "flow of an unknown protocol";
	if (op->protocol == IPPROTO_UDP && (!op->interval_ns || !op->packet || op->packet > LARGEST_DATAGRAM))
		return "UDP flow without rate or packet size";
	return memchr(op->cc, 0, sizeof op->cc) ? NULL : "string without end";
}

void flow_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct flow_op *op = (const void *)payload(r);

	(op->protocol == IPPROTO_TCP ? tcp_prepare : udp_prepare)(i, r->ns, op, at_ns);
}

void flow_end_all(void)
{
	tcp_flow_end_all();
	udp_end_all();
}
