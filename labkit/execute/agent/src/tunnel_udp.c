/* A tunnel over UDP: a packet is a datagram. Nothing is sent again, and what finds no room is lost. SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { LARGEST = 65535, AT_ONCE = 64 };

struct relay {
	struct watch tun, link; /* see RELAY_OF */
	struct tunnel *tunnel;
	bool forward; /* it is the one at src */
	uint8_t waiting[LARGEST];
	size_t size; /* of the packet that waits for room in the socket; 0: none does */
};

struct tunnel {
	struct tunnel_op op;
	unsigned src_ns;
	struct flow_out out;
	struct relay src, dst;
	bool over;
	struct tunnel *next;
};

#define RELAY_OF(w, member) ((struct relay *)((uint8_t *)(w) - offsetof(struct relay, member)))

static struct tunnel *tunnels, **last = &tunnels;

static void tunnel_end(struct tunnel *t, int error, int64_t now_ns)
{
	if (t->over)
		return;
	t->over = true;
	clock_cancel(t);
	t->out.error = error;
	t->out.end_ns = state_since_epoch(now_ns);
	raw_put(R_FLOW, LAB_NO_NS, t->out.end_ns, &t->out, sizeof t->out, NULL, 0);
	if (error) {
		tun_unplug(t->src_ns, t->op.src);
		tun_unplug(t->op.flow.dst_ns, t->op.dst);
	}
	watch_close(&t->src.tun);
	watch_close(&t->src.link);
	watch_close(&t->dst.tun);
	watch_close(&t->dst.link);
}

static bool later(void)
{
	return errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
}

/* Sends the packet that waits. False: it still does, or the tunnel is over. */
static bool push(struct relay *r)
{
	struct tunnel *t = r->tunnel;

	if (!r->size)
		return true;
	if (send(r->link.fd, r->waiting, r->size, MSG_DONTWAIT) < 0) {
		if (!later())
			tunnel_end(t, errno, clock_now());
		return false;
	}
	if (r->forward) {
		t->out.sent_packets++;
		t->out.sent += r->size;
	}
	r->size = 0;
	return true;
}

static void device_ready(struct watch *w, uint32_t events)
{
	struct relay *r = RELAY_OF(w, tun);
	(void)events;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		ssize_t n = read(w->fd, r->waiting, LARGEST);
		if (n < 0) {
			if (!later())
				tunnel_end(r->tunnel, errno, clock_now());
			return;
		}
		r->size = (size_t)n;
		if (!push(r)) {
			if (!r->tunnel->over) {
				watch_change(w, 0);
				watch_change(&r->link, EPOLLIN | EPOLLOUT);
			}
			return;
		}
	}
}

/* Of a datagram that has come. False: there was none. */
static bool arrives(struct relay *r)
{
	static uint8_t bytes[LARGEST];
	struct tunnel *t = r->tunnel;
	char control[64];
	struct iovec into = {bytes, sizeof bytes};
	struct msghdr m = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	ssize_t n = recvmsg(r->link.fd, &m, MSG_DONTWAIT);

	if (n < 0) {
		if (!later())
			tunnel_end(t, errno, clock_now());
		return false;
	}
	if (!r->forward) {
		int64_t at = state_message_time(&m);
		if (t->out.received_packets++ == 0)
			t->out.first_ns = at;
		t->out.last_ns = at;
		t->out.received += (uint64_t)n;
	}
	if (write(r->tun.fd, bytes, (size_t)n) < 0)
		tunnel_end(t, errno, clock_now());
	return !t->over;
}

static void socket_ready(struct watch *w, uint32_t events)
{
	struct relay *r = RELAY_OF(w, link);

	if ((events & EPOLLOUT) && push(r)) {
		watch_change(w, EPOLLIN);
		watch_change(&r->tun, EPOLLIN);
	}
	while (!r->tunnel->over && arrives(r))
		;
}

static int endpoint(unsigned ns, const struct flow_op *op, bool src)
{
	struct sockaddr_in ends[2] = {
		{.sin_family = AF_INET, .sin_addr.s_addr = op->saddr, .sin_port = htons(op->sport)},
		{.sin_family = AF_INET, .sin_addr.s_addr = op->daddr, .sin_port = htons(op->dport)},
	};
	int sndbuf = (int)(op->sndbuf / 2), rcvbuf = (int)(op->rcvbuf / 2), on = 1;
	int fd = netns_socket(ns, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if ((sndbuf && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof sndbuf) < 0) ||
	    (rcvbuf && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof rcvbuf) < 0) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ||
	    bind(fd, (void *)&ends[!src], sizeof *ends) < 0 || connect(fd, (void *)&ends[src], sizeof *ends) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void start(void *arg, int64_t at_ns)
{
	struct tunnel *t = arg;

	t->out.established_ns = state_since_epoch(at_ns);
	watch_add(&t->src.tun, EPOLLIN);
	watch_add(&t->dst.tun, EPOLLIN);
	watch_add(&t->src.link, EPOLLIN);
	watch_add(&t->dst.link, EPOLLIN);
}

void tunnel_udp_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct tunnel_op *op = (const void *)payload(r);
	struct tunnel *t = calloc(1, sizeof *t);

	if (!t)
		abort();
	t->op = *op;
	t->src_ns = r->ns;
	t->out = (struct flow_out){.id = op->flow.id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	t->src = (struct relay){.tun = {tun_open(r->ns, op->src), device_ready}, .tunnel = t, .forward = true,
				.link = {endpoint(r->ns, &op->flow, true), socket_ready}};
	t->dst = (struct relay){.tun = {tun_open(op->flow.dst_ns, op->dst), device_ready}, .tunnel = t,
				.link = {endpoint(op->flow.dst_ns, &op->flow, false), socket_ready}};
	*last = t;
	last = &t->next;
	if (t->src.tun.fd < 0 || t->dst.tun.fd < 0 || t->src.link.fd < 0 || t->dst.link.fd < 0) {
		state_fail(i, 0, errno, "tunnel %u: cannot open its sockets and devices", op->flow.id);
		return;
	}
	clock_at(at_ns, start, t);
}

void tunnel_end_all(void)
{
	for (struct tunnel *t = tunnels, *next; t; t = next) {
		next = t->next;
		tunnel_end(t, 0, state_end_ns());
		free(t);
	}
	tunnels = NULL;
	last = &tunnels;
}
