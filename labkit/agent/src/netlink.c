/* Sends compiled netlink messages and keeps the kernel's answers and its own words for errors. SPDX: MIT */
#include "agent.h"
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { ANSWER = 1 << 16, AT_ONCE = 64 };
static uint8_t answer[ANSWER];

/* One socket per namespace and protocol, kept for the next message. */
static struct {
	unsigned ns;
	uint32_t protocol;
	int fd;
} *kept;
static size_t kept_count;

static int open_socket(unsigned ns, uint32_t protocol)
{
	int on = 1, room = 4 << 20;
	struct timeval patience = {3, 0}; /* the kernel answers at once or, to what is not a request, never */

	for (size_t i = 0; i < kept_count; i++)
		if (kept[i].ns == ns && kept[i].protocol == protocol)
			return kept[i].fd;
	int fd = netns_socket(ns, AF_NETLINK, SOCK_RAW, (int)protocol);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	kept = realloc(kept, (kept_count + 1) * sizeof *kept);
	if (!kept)
		abort();
	kept[kept_count].ns = ns;
	kept[kept_count].protocol = protocol;
	kept[kept_count++].fd = fd;
	return fd;
}

void netlink_close(void)
{
	for (size_t i = 0; i < kept_count; i++)
		close(kept[i].fd);
	kept_count = 0;
}

/* The text of an extended ACK, or "". */
static const char *extended_ack(const struct nlmsghdr *m, uint32_t *offset)
{
	const struct nlmsgerr *e = NLMSG_DATA(m);
	size_t at = NLMSG_LENGTH(sizeof *e);
	const char *text = "";

	if (!(m->nlmsg_flags & NLM_F_CAPPED))
		at += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof e->msg;
	if (!(m->nlmsg_flags & NLM_F_ACK_TLVS))
		return text;
	while (at + 4 <= m->nlmsg_len) {
		const struct nlattr *a = (const void *)((const uint8_t *)m + at);
		if (a->nla_len < 4 || at + a->nla_len > m->nlmsg_len)
			break;
		if ((a->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG)
			text = (const char *)(a + 1);
		if ((a->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_OFFS)
			memcpy(offset, a + 1, 4);
		at += NLA_ALIGN(a->nla_len);
	}
	return text;
}

/* Reads until `acks` acknowledgements have come; messages carry their index as sequence number. */
static void await(uint32_t record, int fd, unsigned acks)
{
	while (acks) {
		ssize_t n = recv(fd, answer, sizeof answer, 0);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			run_fail(record, 0, errno, "no answer from netlink");
			return;
		}
		for (struct nlmsghdr *m = (void *)answer; NLMSG_OK(m, (size_t)n); m = NLMSG_NEXT(m, n)) {
			const struct nlmsgerr *e = NLMSG_DATA(m);
			uint32_t offset = 0;
			if (m->nlmsg_type == NLMSG_DONE) /* of a dump, which has no other acknowledgement */
				acks -= acks > 0;
			if (m->nlmsg_type != NLMSG_ERROR)
				continue;
			if (e->error) {
				const char *text = extended_ack(m, &offset);
				run_fail(record, m->nlmsg_seq, -e->error, "%s", text);
				return;
			}
			acks--;
		}
	}
}

static int transmit(int fd, const void *bytes, size_t size)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	return sendto(fd, bytes, size, 0, (void *)&kernel, sizeof kernel) < 0 ? -1 : 0;
}

void netlink_send(uint32_t record, unsigned ns, const struct netlink_op *op, const void *messages, size_t size)
{
	int fd = open_socket(ns, op->protocol);
	uint8_t *copy = malloc(size), *p = copy, *batch = copy;
	uint32_t index = 0, waiting = 0;

	if (fd < 0 || !copy) {
		run_fail(record, 0, errno, "cannot open a netlink socket");
		free(copy);
		return;
	}
	memcpy(copy, messages, size);
	while (p < copy + size && !run_failed()) {
		struct nlmsghdr *m = (void *)p;
		m->nlmsg_seq = index++;
		m->nlmsg_pid = 0;
		waiting += (m->nlmsg_flags & NLM_F_ACK) != 0;
		p += NLMSG_ALIGN(m->nlmsg_len);
		bool last = p >= copy + size;
		if (!last && ((op->flags & NETLINK_BATCH) || index % AT_ONCE))
			continue;
		if (transmit(fd, batch, (size_t)(p - batch)) < 0)
			run_fail(record, index - 1, errno, "cannot send netlink messages");
		else
			await(record, fd, waiting);
		waiting = 0;
		batch = p;
	}
	free(copy);
}

/* Sends one dump request and keeps every message of the answer as it came. */
void netlink_dump(uint32_t record, unsigned ns, uint32_t phase, int64_t at_ns, const void *request, size_t size)
{
	int fd = open_socket(ns, NETLINK_ROUTE);
	struct dump_out head = {phase, record};
	bool done = false;

	if (fd < 0 || transmit(fd, request, size) < 0) {
		run_fail(record, 0, errno, "cannot ask netlink");
		return;
	}
	while (!done) {
		ssize_t n = recv(fd, answer, sizeof answer, 0), left = n;
		if (n < 0) {
			run_fail(record, 0, errno, "no answer from netlink");
			return;
		}
		for (struct nlmsghdr *m = (void *)answer; NLMSG_OK(m, (size_t)left); m = NLMSG_NEXT(m, left)) {
			if (m->nlmsg_type == NLMSG_ERROR) {
				const struct nlmsgerr *e = NLMSG_DATA(m);
				if (e->error)
					run_fail(record, 0, -e->error, "netlink dump refused");
				return;
			}
			m->nlmsg_pid = 0;
			done = done || m->nlmsg_type == NLMSG_DONE || !(m->nlmsg_flags & NLM_F_MULTI);
		}
		raw_put(R_NETLINK, (uint16_t)ns, at_ns, &head, sizeof head, answer, (size_t)n);
	}
}
