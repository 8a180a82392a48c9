/* Every packet that the kernel frees as lost, from its drop monitor (net/core/drop_monitor.c). SPDX: MIT
 * It speaks in the first network namespace only, so its socket is opened before any other is made. */
#include "agent.h"
#include <linux/genetlink.h>
#include <linux/net_dropmon.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

enum { QUEUE = 1 << 20, LISTEN_BYTES = 256 << 20, MESSAGE = 1 << 14, PATIENCE_NS = 1000 };

static void ready(struct watch *w, uint32_t events);
static struct watch monitor = {-1, ready};
static uint16_t family;

static const struct nlattr *find(const void *attributes, size_t size, uint16_t type)
{
	for (const uint8_t *p = attributes, *end = p + size; p + NLA_HDRLEN <= end;) {
		const struct nlattr *a = (const void *)p;
		if (a->nla_len < NLA_HDRLEN || a->nla_len > end - p)
			break;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		p += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static const struct nlattr *within(const struct nlattr *outer, uint16_t type)
{
	return outer ? find(outer + 1, outer->nla_len - NLA_HDRLEN, type) : NULL;
}

static uint32_t number(const struct nlattr *a)
{
	uint32_t value = 0;
	if (a)
		memcpy(&value, a + 1, a->nla_len - NLA_HDRLEN < 4 ? a->nla_len - NLA_HDRLEN : 4);
	return value;
}

static const struct nlattr *attribute(const struct nlmsghdr *m, uint16_t type)
{
	const size_t head = NLMSG_LENGTH(GENL_HDRLEN);

	return m->nlmsg_len < head ? NULL : find((const uint8_t *)m + head, m->nlmsg_len - head, type);
}

struct request { /* numbered, so that an alert is not taken for its answer */
	struct nlmsghdr n;
	struct genlmsghdr g;
	uint8_t attributes[64];
};

static void add(struct request *r, uint16_t type, const void *value, uint16_t size)
{
	struct nlattr a = {(uint16_t)(NLA_HDRLEN + size), type};
	uint8_t *at = (uint8_t *)r + r->n.nlmsg_len;

	memcpy(at, &a, sizeof a);
	if (size)
		memcpy(at + NLA_HDRLEN, value, size);
	r->n.nlmsg_len += (uint32_t)NLA_ALIGN(a.nla_len);
}

/* A message as it came, without what differs from run to run: the kernel's addresses. */
static void keep(struct nlmsghdr *m)
{
	struct nlattr *address = (struct nlattr *)(uintptr_t)attribute(m, NET_DM_ATTR_PC);

	if (address)
		memset(address + 1, 0, address->nla_len - NLA_HDRLEN);
	raw_put(R_DROP, LAB_NO_NS, 0, NULL, 0, m, m->nlmsg_len);
}

/* An alert, whose number is 0: of a packet that was lost. All else that is no answer is not for us. */
static bool is_alert(const struct nlmsghdr *m, size_t size)
{
	return NLMSG_OK(m, size) && m->nlmsg_type == family && m->nlmsg_seq == 0;
}

/* Sends a request and returns its answer (NULL with errno for an error), which stays until the next one. What
 * is lost meanwhile is kept. */
static const struct nlmsghdr *ask(struct request *r)
{
	static uint8_t answer[MESSAGE];
	static uint32_t sequence;
	struct nlmsghdr *m = (void *)answer;

	r->n.nlmsg_seq = ++sequence;
	if (send(monitor.fd, r, r->n.nlmsg_len, 0) < 0)
		return NULL;
	for (;;) {
		ssize_t n = recv(monitor.fd, answer, sizeof answer, 0);
		if (n < 0)
			return NULL;
		if (is_alert(m, (size_t)n))
			keep(m);
		else if (NLMSG_OK(m, (size_t)n) && m->nlmsg_seq == sequence)
			break;
	}
	if (m->nlmsg_type == NLMSG_ERROR && (errno = -((const struct nlmsgerr *)NLMSG_DATA(m))->error))
		return NULL;
	return m;
}

static struct request request(uint16_t to, uint8_t command, uint16_t flags)
{
	return (struct request){
		.n = {NLMSG_LENGTH(GENL_HDRLEN), to, (uint16_t)(NLM_F_REQUEST | flags), 0, 0},
		.g = {command, 1, 0},
	};
}

/* The family's number, and membership in the one group it has. */
static bool join(void)
{
	struct request r = request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	add(&r, CTRL_ATTR_FAMILY_NAME, "NET_DM", sizeof "NET_DM");
	const struct nlmsghdr *m = ask(&r);
	if (!m)
		return false;
	family = (uint16_t)number(attribute(m, CTRL_ATTR_FAMILY_ID));
	uint32_t group = number(within(within(attribute(m, CTRL_ATTR_MCAST_GROUPS), 1), CTRL_ATTR_MCAST_GRP_ID));
	return setsockopt(monitor.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) == 0;
}

static bool start(uint32_t snap)
{
	uint8_t packets = NET_DM_ALERT_MODE_PACKET;
	uint32_t queue = QUEUE;
	struct request config = request(family, NET_DM_CMD_CONFIG, NLM_F_ACK), go = request(family, NET_DM_CMD_START, NLM_F_ACK);

	add(&config, NET_DM_ATTR_ALERT_MODE, &packets, sizeof packets);
	add(&config, NET_DM_ATTR_TRUNC_LEN, &snap, sizeof snap);
	add(&config, NET_DM_ATTR_QUEUE_LEN, &queue, sizeof queue);
	add(&go, NET_DM_ATTR_SW_DROPS, NULL, 0);
	return ask(&config) && ask(&go);
}

void drops_watch(const struct record *r, uint32_t i)
{
	const struct drops_op *op = (const void *)payload(r);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	int room = LISTEN_BYTES;

	if (!place.own_kernel) {
		state_fail(i, 0, EPERM, "lost packets of the whole machine are not this run's: for a lab kernel only");
		return;
	}
	if (netns_count()) {
		state_fail(i, 0, EINVAL, "the drop monitor must come before the first namespace");
		return;
	}
	monitor.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (monitor.fd < 0 || connect(monitor.fd, (void *)&kernel, sizeof kernel) < 0 ||
	    setsockopt(monitor.fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) < 0 || !join() || !start(op->snap) ||
	    watch_add(&monitor, EPOLLIN) < 0)
		state_fail(i, 0, errno, "no drop monitor in this kernel");
}

static int take(void)
{
	enum { AT_ONCE = 64 };
	static uint8_t bytes[AT_ONCE][1 << 10];
	static struct iovec piece[AT_ONCE];
	static struct mmsghdr message[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++) {
		piece[i] = (struct iovec){bytes[i], sizeof bytes[i]};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &piece[i], .msg_iovlen = 1};
	}
	int n = recvmmsg(monitor.fd, message, AT_ONCE, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		struct nlmsghdr *m = (void *)bytes[i];
		if (is_alert(m, message[i].msg_len))
			keep(m);
	}
	return n;
}

/* Once: it is called again if there is more, and to ask in vain would move the clock. */
static void ready(struct watch *w, uint32_t events)
{
	(void)w;
	(void)events;
	take();
}

/* Takes the rest, which a worker of the kernel passes on as soon as nothing else runs, and says what was
 * lost on the way here. After it the clock has moved: call it when all else has been read. */
void drops_finish(int64_t at_ns)
{
	if (monitor.fd < 0)
		return;
	nanosleep(&(struct timespec){0, PATIENCE_NS}, NULL);
	while (take() > 0)
		;
	struct request r = request(family, NET_DM_CMD_STATS_GET, 0);
	const struct nlmsghdr *m = ask(&r);
	const struct nlattr *stats = m ? attribute(m, NET_DM_ATTR_STATS) : NULL;
	struct captured_out out = {0, 0, 0, number(within(stats, NET_DM_ATTR_STATS_DROPPED))};
	raw_put(R_CAPTURED, LAB_NO_NS, at_ns, &out, sizeof out, NULL, 0);
}
