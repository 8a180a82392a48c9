/* A tunnel over one TCP connection: a relay at each of its ends, both in this process, between a TUN device and a
 * socket. Each packet goes into the stream behind its length (two bytes, the higher first), as OpenVPN has it. A relay
 * holds one packet; while the socket has no room for it, packets wait in the device's own queue, and what finds that
 * full is lost. Reading and writing take no virtual time. SPDX: MIT */
#include "tcp_flow.h"
#include <linux/tcp.h>

enum { PREFIX = 2, LARGEST = 65535, AT_ONCE = 64 };

struct relay {
	struct watch tun; /* see RELAY_OF */
	struct watch *link;
	struct flow *flow;
	uint64_t *packets; /* that it has taken from the device, where they are counted */
	size_t size, done; /* of the packet with its prefix in `out`: how much of it the socket has */
	size_t filled;     /* bytes in `in` that are not a whole packet yet */
	uint8_t out[PREFIX + LARGEST], in[4 * (PREFIX + LARGEST)];
};

struct tunnel {
	struct tunnel_op op;
	unsigned src_ns;
	struct relay src, dst;
};

#define RELAY_OF(w) ((struct relay *)((uint8_t *)(w) - offsetof(struct relay, tun)))

/* Hands the rest of the packet over. False: there is no room for it, or the connection is over. */
static bool push(struct relay *r)
{
	while (r->done < r->size) {
		ssize_t n = send(r->link->fd, r->out + r->done, r->size - r->done, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			tcp_flow_end(r->flow, errno, clock_now());
			return false;
		}
		if (n < 0)
			return false;
		r->done += (size_t)n;
		if (r->link == &r->flow->sender)
			r->flow->out.sent += (uint64_t)n;
	}
	return true;
}

/* The device is listened to while the socket has room, and the socket for room while it has none. */
static void listen_to(struct relay *r, bool device)
{
	watch_change(&r->tun, device ? EPOLLIN : 0);
	watch_change(r->link, device ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

static void device_ready(struct watch *w, uint32_t events)
{
	struct relay *r = RELAY_OF(w);
	(void)events;

	for (unsigned i = 0; i < AT_ONCE; i++) {
		ssize_t n = read(w->fd, r->out + PREFIX, LARGEST);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				tcp_flow_end(r->flow, errno, clock_now());
			return;
		}
		r->out[0] = (uint8_t)(n >> 8);
		r->out[1] = (uint8_t)n;
		r->size = PREFIX + (size_t)n;
		r->done = 0;
		if (r->packets)
			++*r->packets;
		if (!push(r)) {
			if (!r->flow->over)
				listen_to(r, false);
			return;
		}
	}
}

/* Every whole packet in `in` goes into the device. False: that failed, and the tunnel is over. */
static bool deliver(struct relay *r)
{
	size_t at = 0, size;

	while (r->filled - at >= PREFIX && r->filled - at >= (size = PREFIX + (size_t)(r->in[at] << 8 | r->in[at + 1]))) {
		if (write(r->tun.fd, r->in + at + PREFIX, size - PREFIX) < 0) {
			tcp_flow_end(r->flow, errno, clock_now());
			return false;
		}
		if (r->link == &r->flow->receiver)
			r->flow->out.received_packets++;
		at += size;
	}
	memmove(r->in, r->in + at, r->filled - at);
	r->filled -= at;
	return true;
}

/* It reads whatever comes as it comes: now is when it came, also where it closed a gap before what had overtaken it. */
static void count(struct flow *f, uint64_t bytes)
{
	int64_t at = state_since_epoch(clock_now());

	if (f->out.received == 0)
		f->out.first_ns = at;
	f->out.last_ns = at;
	f->out.received += bytes;
}

static void arrives(struct relay *r)
{
	for (;;) {
		size_t room = sizeof r->in - r->filled;
		ssize_t n = recv(r->link->fd, r->in + r->filled, room, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			tcp_flow_end(r->flow, n < 0 ? errno : ECONNRESET, clock_now());
			return;
		}
		if (r->link == &r->flow->receiver)
			count(r->flow, (uint64_t)n);
		r->filled += (size_t)n;
		if (!deliver(r) || (size_t)n < room)
			return;
	}
}

static void socket_ready(struct relay *r, uint32_t events)
{
	if ((events & EPOLLOUT) && r->done < r->size && push(r))
		listen_to(r, true);
	if ((events & EPOLLIN) && !r->flow->over)
		arrives(r);
}

static void sender_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, sender);
	bool connected = f->out.established_ns >= 0;

	if (!tcp_flow_connected(f, events))
		return;
	if (!connected)
		listen_to(&f->tunnel->src, true);
	else
		socket_ready(&f->tunnel->src, events);
}

static void receiver_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, receiver);
	int error = 0;
	socklen_t size = sizeof error;

	if (events & (EPOLLERR | EPOLLHUP)) {
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		tcp_flow_end(f, error ? error : ECONNRESET, clock_now());
		return;
	}
	socket_ready(&f->tunnel->dst, events);
}

static void accepted(struct flow *f)
{
	int on = 1;

	if (f->op.flags & FLOW_NODELAY)
		setsockopt(f->receiver.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	listen_to(&f->tunnel->dst, true);
}

static void cut(struct flow *f)
{
	(void)f; /* what has not come out of a tunnel has not arrived */
}

static void ended(struct flow *f)
{
	struct tunnel *t = f->tunnel;

	if (!t) /* it could not even be prepared */
		return;
	if (f->out.error) {
		tun_unplug(t->src_ns, t->op.src);
		tun_unplug(t->op.flow.dst_ns, t->op.dst);
	}
	watch_close(&t->src.tun);
	watch_close(&t->dst.tun);
}

static const struct tcp_use tunnels = {
	.sender_ready = sender_ready,
	.receiver_ready = receiver_ready,
	.accepted = accepted,
	.cut = cut,
	.ended = ended,
	.unawaited = true,
};

static void start(void *arg, int64_t at_ns)
{
	(void)at_ns;
	tcp_flow_connect(arg);
}

const char *tunnel_check(const struct record *r, unsigned netns)
{
	const struct tunnel_op *op = (const void *)payload(r);

	if (op->flow.dst_ns >= netns)
		return "tunnel to an unknown namespace";
	if (op->flow.protocol != IPPROTO_TCP && op->flow.protocol != IPPROTO_UDP)
		return "tunnel over an unknown protocol";
	return memchr(op->flow.cc, 0, sizeof op->flow.cc) ? NULL : "string without end";
}

/* Both ends send: what a flow has of one buffer at each end, a tunnel has of both. */
static void set_buffers(int fd, const struct flow_op *op)
{
	int sndbuf = (int)(op->sndbuf / 2), rcvbuf = (int)(op->rcvbuf / 2); /* the kernel doubles them */

	if (sndbuf)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, sizeof sndbuf);
	if (rcvbuf)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf, sizeof rcvbuf);
}

void tunnel_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct tunnel_op *op = (const void *)payload(r);
	struct tunnel *t;
	struct flow *f;

	if (op->flow.protocol == IPPROTO_UDP) {
		tunnel_udp_prepare(r, i, at_ns);
		return;
	}
	f = tcp_flow_open(i, r->ns, &op->flow, &tunnels);
	if (!f)
		return;
	t = f->tunnel = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->op = *op;
	t->src_ns = r->ns;
	t->src = (struct relay){.tun = {tun_open(r->ns, op->src), device_ready}, .link = &f->sender, .flow = f,
				.packets = &f->out.sent_packets};
	t->dst = (struct relay){.tun = {tun_open(op->flow.dst_ns, op->dst), device_ready}, .link = &f->receiver, .flow = f};
	if (t->src.tun.fd < 0 || t->dst.tun.fd < 0) {
		state_fail(i, 0, errno, "tunnel %u: has no such TUN device", op->flow.id);
		return;
	}
	set_buffers(f->sender.fd, &op->flow);
	set_buffers(f->listener.fd, &op->flow);
	watch_add(&t->src.tun, 0);
	watch_add(&t->dst.tun, 0);
	clock_at(at_ns, start, f);
}
