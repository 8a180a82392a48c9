/* Sends compiled netlink messages and keeps the kernel's answers and its own words for errors. SPDX: MIT */
#include "agent.h"
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { ANSWER = 1 << 16, AT_ONCE = 64, PARTS = 8, PART = 1 << 15 /* the kernel's own limit for a part of a dump */ };
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

/* Messages must tile their space: each length sane and in bounds. */
bool netlink_tiles(const uint8_t *p, size_t left)
{
	while (left) {
		uint32_t len;
		if (left < NLMSG_HDRLEN)
			return false;
		memcpy(&len, p, sizeof len);
		if (len < NLMSG_HDRLEN || len > left)
			return false;
		size_t step = NLMSG_ALIGN((size_t)len);
		if (step > left)
			return false;
		p += step;
		left -= step;
	}
	return true;
}

const char *netlink_check(const struct record *r, unsigned netns)
{
	const struct netlink_op *op = (const void *)payload(r);
	(void)netns;

	if (op->protocol != NETLINK_ROUTE && op->protocol != NETLINK_NETFILTER && op->protocol != NETLINK_GENERIC)
		return "unknown netlink protocol";
	return netlink_tiles((const uint8_t *)(op + 1), payload_size(r) - sizeof *op) ? NULL : "damaged netlink message";
}

/* What has not been read after an error must not be taken for answers to the next message. They are all there:
 * the kernel answers while it is being asked. */
static void forget_answers(int fd)
{
	while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) >= 0 || errno == EINTR || errno == ENOBUFS)
		;
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
			state_fail(record, 0, errno, "no answer from netlink");
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
				state_fail(record, m->nlmsg_seq, -e->error, "%s", text);
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

void netlink_send(const struct record *r, uint32_t i)
{
	const struct netlink_op *op = (const void *)payload(r);
	size_t size = payload_size(r) - sizeof *op;
	int fd = open_socket(r->ns, op->protocol);
	uint8_t *copy = malloc(size), *p = copy, *batch = copy;
	uint32_t index = 0, waiting = 0;

	if (fd < 0 || !copy) {
		state_fail(i, 0, errno, "cannot open a netlink socket");
		free(copy);
		return;
	}
	memcpy(copy, op + 1, size);
	while (p < copy + size && !state_failed()) {
		struct nlmsghdr *m = (void *)p;
		m->nlmsg_seq = index++;
		m->nlmsg_pid = 0;
		waiting += (m->nlmsg_flags & NLM_F_ACK) != 0;
		p += NLMSG_ALIGN(m->nlmsg_len);
		bool last = p >= copy + size;
		if (!last && ((op->flags & NETLINK_BATCH) || index % AT_ONCE))
			continue;
		if (transmit(fd, batch, (size_t)(p - batch)) < 0)
			state_fail(i, index - 1, errno, "cannot send netlink messages");
		else
			await(i, fd, waiting);
		waiting = 0;
		batch = p;
	}
	if (state_failed())
		forget_answers(fd);
	free(copy);
}

static bool is_wanted(uint32_t index, struct devices only)
{
	uint32_t low = 0, high = only.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, here;
		memcpy(&here, only.index + 4 * (size_t)middle, 4);
		if (here == index)
			return true;
		if (here < index)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Shortens a qdisc's message to its kind and statistics, in place; returns its size, 0 if not wanted. */
static size_t shorten(struct nlmsghdr *m, struct devices only)
{
	const struct tcmsg *tc = NLMSG_DATA(m);
	size_t at = NLMSG_LENGTH(sizeof *tc), to = at;

	if (m->nlmsg_type != RTM_NEWQDISC || m->nlmsg_len < at || !is_wanted((uint32_t)tc->tcm_ifindex, only))
		return 0;
	while (at + NLA_HDRLEN <= m->nlmsg_len) {
		const struct nlattr *a = (const void *)((const uint8_t *)m + at);
		size_t step = NLA_ALIGN(a->nla_len);
		if (a->nla_len < NLA_HDRLEN || step > m->nlmsg_len - at)
			break;
		if (a->nla_type == TCA_KIND || a->nla_type == TCA_STATS2) {
			memmove((uint8_t *)m + to, a, step);
			to += step;
		}
		at += step;
	}
	m->nlmsg_len = (uint32_t)to;
	return to;
}

/* Keeps one part of an answer. Returns whether it was the last. */
static bool keep_part(uint32_t record, unsigned ns, const struct dump_out *head, int64_t at_ns, uint8_t *part,
		      size_t size, struct devices only)
{
	size_t at = 0, kept = 0;
	bool last = false;

	while (at < size && NLMSG_OK((const struct nlmsghdr *)(const void *)(part + at), size - at)) {
		struct nlmsghdr *m = (void *)(part + at);
		at += NLMSG_ALIGN(m->nlmsg_len);
		if (m->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = NLMSG_DATA(m);
			if (e->error)
				state_fail(record, 0, -e->error, "netlink dump refused");
			return true;
		}
		m->nlmsg_pid = 0;
		last = last || m->nlmsg_type == NLMSG_DONE || !(m->nlmsg_flags & NLM_F_MULTI);
		size_t wanted = only.count ? shorten(m, only) : 0;
		memmove(part + kept, m, wanted);
		kept += wanted;
	}
	if (!only.count)
		kept = size;
	if (kept)
		raw_put(R_NETLINK, (uint16_t)ns, at_ns, head, sizeof *head, part, kept);
	return last;
}

/* Sends one dump request and keeps the answer as it came, or of some devices the numbers. The parts
 * of an answer come with one call: what costs is to cross the border between process and kernel. */
void netlink_dump(uint32_t record, unsigned ns, const struct dump_out *head, int64_t at_ns, const void *request,
		  size_t size, struct devices only)
{
	static uint8_t part[PARTS][PART];
	struct iovec into[PARTS];
	struct mmsghdr got[PARTS] = {0};
	int fd = open_socket(ns, NETLINK_ROUTE);

	if (fd < 0 || transmit(fd, request, size) < 0) {
		state_fail(record, 0, errno, "cannot ask netlink");
		return;
	}
	for (int i = 0; i < PARTS; i++) {
		into[i] = (struct iovec){part[i], PART};
		got[i].msg_hdr = (struct msghdr){.msg_iov = &into[i], .msg_iovlen = 1};
	}
	for (bool last = false; !last;) {
		int parts = recvmmsg(fd, got, PARTS, MSG_WAITFORONE, NULL);
		if (parts < 0) {
			state_fail(record, 0, errno, "no answer from netlink");
			return;
		}
		for (int i = 0; i < parts; i++)
			last = keep_part(record, ns, head, at_ns, part[i], got[i].msg_len, only) || last;
	}
	if (state_failed())
		forget_answers(fd);
}

/* Sends one request and shows `each` every message of the answer, of which nothing is kept. */
bool netlink_ask(uint32_t record, unsigned ns, const void *request, size_t size, netlink_each each)
{
	int fd = open_socket(ns, NETLINK_ROUTE);
	ssize_t n = fd < 0 || transmit(fd, request, size) < 0 ? -1 : 0;

	for (bool last = false; n >= 0 && !last;) {
		n = recv(fd, answer, sizeof answer, 0);
		for (struct nlmsghdr *m = (void *)answer; n >= 0 && NLMSG_OK(m, (size_t)n); m = NLMSG_NEXT(m, n)) {
			last = last || m->nlmsg_type == NLMSG_DONE || !(m->nlmsg_flags & NLM_F_MULTI);
			each(ns, m);
		}
	}
	if (n < 0)
		state_fail(record, 0, errno, "no answer from netlink");
	return n >= 0;
}
