/* TCP flows: a client that always has data and a server that reads it, both in this process.
 * The receiver's application reads when a quarter of its buffer is there: each crossing between
 * process and kernel costs more than ten packets, and the window stays open. SPDX: MIT */
#include "agent.h"
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { CHUNK = 1 << 20, TAIL_NS = 10000000 };

struct flow {
	struct watch sender, receiver, listener; /* first: see the casts below */
	struct flow_op op;
	struct flow_out out;
	uint32_t record, program;
	unsigned src_ns;
	uint32_t reads;
	int lowat;
	int64_t stop_ns; /* of a flow by duration */
	bool over;
	struct flow *next;
};

static struct flow *flows, **last_flow = &flows;
static uint8_t data[CHUNK]; /* what is sent: zeros; and where MSG_TRUNC does not write */

#define OWNER(w, member) ((struct flow *)((uint8_t *)(w) - offsetof(struct flow, member)))

static void put_info(const struct flow *f, int fd, uint32_t side, int64_t at_ns)
{
	struct info_out head = {f->op.id, side};
	uint8_t info[512];
	socklen_t size = sizeof info;

	if (fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0)
		raw_put(R_TCP_INFO, LAB_NO_NS, at_ns, &head, sizeof head, info, size);
}

static void flow_end(struct flow *f, int error, int64_t now_ns)
{
	struct linger reset = {1, 0};

	if (f->over)
		return;
	f->over = true;
	clock_cancel(f);
	f->out.error = error;
	f->out.end_ns = run_since_epoch(now_ns);
	put_info(f, f->sender.fd, 0, f->out.end_ns);
	put_info(f, f->receiver.fd, 1, f->out.end_ns);
	if (f->op.duration_ns && f->sender.fd >= 0) /* what is still queued is not sent after the end */
		setsockopt(f->sender.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	raw_put(R_FLOW, LAB_NO_NS, f->out.end_ns, &f->out, sizeof f->out, NULL, 0);
	watch_close(&f->sender);
	watch_close(&f->receiver);
	watch_close(&f->listener);
	run_ended(f->program);
}

/* Reads everything there is. Returns false at the end of the stream or on an error. */
static bool read_all(struct flow *f, int *error)
{
	for (;;) {
		char control[64];
		struct iovec into = {data, CHUNK};
		struct msghdr m = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
		ssize_t n = recvmsg(f->receiver.fd, &m, MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0) {
			*error = errno == EAGAIN || errno == EINTR ? 0 : errno;
			return *error == 0;
		}
		if (n == 0)
			return false;
		int64_t at = message_time(&m);
		if (f->out.received == 0)
			f->out.first_ns = at;
		f->out.last_ns = at;
		f->out.received += (uint64_t)n;
		f->reads++;
		if (n < CHUNK)
			return true;
	}
}

static void set_lowat(struct flow *f)
{
	uint64_t left = f->op.size - f->out.received;
	int buffer = 0, lowat = f->lowat;
	socklen_t size = sizeof buffer;

	if ((f->reads & (f->reads - 1)) == 0 || f->reads % 64 == 0) {
		getsockopt(f->receiver.fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
		lowat = buffer / 4;
		if ((uint32_t)lowat > f->op.read_bytes)
			lowat = (int)f->op.read_bytes;
	}
	if (f->op.size && left < (uint64_t)lowat)
		lowat = (int)left;
	if (lowat < 1)
		lowat = 1;
	if (lowat != f->lowat)
		setsockopt(f->receiver.fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof lowat);
	f->lowat = lowat;
}

/* Closes only when the last byte has been acknowledged: tcp_probe fires while established. */
static void tail(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	int unacked = 0;

	if (ioctl(f->sender.fd, SIOCOUTQ, &unacked) == 0 && unacked > 0)
		clock_at(at_ns + TAIL_NS, tail, f);
	else
		flow_end(f, 0, at_ns);
}

static void receiver_ready(struct watch *w, uint32_t events)
{
	struct flow *f = OWNER(w, receiver);
	int error = 0;
	(void)events;

	bool more = read_all(f, &error);
	if (f->op.size && f->out.received >= f->op.size) {
		watch_change(&f->receiver, 0);
		if (f->stop_ns == 0) {
			f->stop_ns = -1;
			tail(f, clock_now());
		}
	} else if (!more) {
		flow_end(f, error ? error : ECONNRESET, clock_now());
	} else {
		set_lowat(f);
	}
}

static void listener_ready(struct watch *w, uint32_t events)
{
	struct flow *f = OWNER(w, listener);
	(void)events;

	int fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	watch_close(w); /* one connection a flow */
	f->receiver.fd = fd;
	f->lowat = 1;
	watch_add(&f->receiver, EPOLLIN);
}

static void sender_ready(struct watch *w, uint32_t events)
{
	struct flow *f = OWNER(w, sender);

	if (f->out.established_ns < 0 || (events & (EPOLLERR | EPOLLHUP))) {
		int error = 0;
		socklen_t size = sizeof error;
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error || (events & EPOLLHUP)) {
			flow_end(f, error ? error : EPIPE, clock_now());
			return;
		}
		f->out.established_ns = run_since_epoch(clock_now());
	}
	for (;;) {
		uint64_t left = f->op.size ? f->op.size - f->out.sent : CHUNK;
		size_t chunk = left < CHUNK ? (size_t)left : CHUNK;
		if (chunk == 0) {
			watch_change(w, 0);
			return;
		}
		ssize_t n = send(w->fd, data, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				flow_end(f, errno, clock_now());
			return;
		}
		f->out.sent += (uint64_t)n;
		if ((size_t)n < chunk)
			return;
	}
}

static void stop_sending(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	int error = 0;

	if (f->receiver.fd >= 0)
		read_all(f, &error);
	flow_end(f, f->out.established_ns < 0 ? ETIMEDOUT : 0, at_ns);
}

static void start(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = f->op.daddr, .sin_port = htons(f->op.dport)};

	if (connect(f->sender.fd, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
		flow_end(f, errno, at_ns);
		return;
	}
	watch_add(&f->sender, EPOLLOUT);
	if (f->op.duration_ns)
		clock_at(at_ns + (int64_t)f->op.duration_ns, stop_sending, f);
}

static int endpoint(struct flow *f, unsigned ns, uint32_t addr, uint16_t port, uint32_t buffer, int buffer_option)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = addr, .sin_port = htons(port)};
	int on = 1, mss = (int)f->op.mss, room = (int)(buffer / 2); /* the kernel doubles it */
	int fd = netns_socket(ns, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	/* On the listener already: the kernel begins to stamp a little after it is asked to. */
	if (buffer_option == SO_RCVBUF)
		setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	if ((buffer && setsockopt(fd, SOL_SOCKET, buffer_option, &room, sizeof room) < 0) ||
	    (mss && setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss) < 0) ||
	    bind(fd, (void *)&own, sizeof own) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void tcp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns)
{
	struct flow *f = calloc(1, sizeof *f);
	int on = 1;

	if (!f)
		abort();
	f->op = *op;
	f->record = record;
	f->program = run_started();
	f->src_ns = src_ns;
	f->out = (struct flow_out){.id = op->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	f->listener = (struct watch){endpoint(f, op->dst_ns, op->daddr, op->dport, op->rcvbuf, SO_RCVBUF), listener_ready};
	f->sender = (struct watch){endpoint(f, src_ns, op->saddr, op->sport, op->sndbuf, SO_SNDBUF), sender_ready};
	f->receiver = (struct watch){-1, receiver_ready};
	*last_flow = f;
	last_flow = &f->next;
	if (f->listener.fd < 0 || f->sender.fd < 0 || listen(f->listener.fd, 8) < 0) {
		run_fail(record, 0, errno, "flow %u: cannot open its sockets", op->id);
	} else if (op->cc[0] && (setsockopt(f->sender.fd, IPPROTO_TCP, TCP_CONGESTION, op->cc, (socklen_t)strlen(op->cc)) < 0 ||
				 setsockopt(f->listener.fd, IPPROTO_TCP, TCP_CONGESTION, op->cc, (socklen_t)strlen(op->cc)) < 0)) {
		run_fail(record, 0, errno, "flow %u: the kernel has no congestion control %s", op->id, op->cc);
	} else {
		if (op->flags & FLOW_NODELAY)
			setsockopt(f->sender.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		watch_add(&f->listener, EPOLLIN);
		clock_at(start_ns, start, f);
	}
}

/* The sender's TCP_INFO of every flow that has a connection. */
void tcp_sample_all(int64_t at_ns)
{
	for (struct flow *f = flows; f; f = f->next)
		if (!f->over && f->out.established_ns >= 0)
			put_info(f, f->sender.fd, 0, at_ns);
}

/* Flows that the end of the run cuts keep what was measured: error ETIME. */
void tcp_end_all(void)
{
	for (struct flow *f = flows, *next; f; f = next) {
		int error = 0;
		next = f->next;
		if (!f->over) {
			if (f->receiver.fd >= 0)
				read_all(f, &error);
			flow_end(f, ETIME, run_end());
		}
		free(f);
	}
	flows = NULL;
	last_flow = &flows;
}
