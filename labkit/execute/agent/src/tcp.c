/* TCP flows: a client that always has data, and the beginning and end of each flow. The receiver, which is in
 * this process as well, is in tcp_receive.c. SPDX: MIT */
#include "tcp.h"
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <sys/ioctl.h>

enum { TAIL_NS = 10000000 };

static struct flow *flows, **last_flow = &flows;
uint8_t tcp_data[CHUNK];

static void put_info(const struct flow *f, int fd, uint32_t side, int64_t at_ns)
{
	struct info_out head = {f->op.id, side};
	uint8_t info[512];
	socklen_t size = sizeof info;

	if (fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0)
		raw_put(R_TCP_INFO, LAB_NO_NS, at_ns, &head, sizeof head, info, size);
}

static bool all_arrived(const struct flow *f)
{
	return f->op.size && f->out.received >= f->op.size;
}

void tcp_flow_end(struct flow *f, int error, int64_t now_ns)
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
	if (f->op.duration_ns && !all_arrived(f) && f->sender.fd >= 0) /* what is still queued is not sent after the end */
		setsockopt(f->sender.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	raw_put(R_FLOW, LAB_NO_NS, f->out.end_ns, &f->out, sizeof f->out, NULL, 0);
	watch_close(&f->sender);
	watch_close(&f->receiver);
	watch_close(&f->listener);
	run_ended(f->program);
}

/* Closes only when the last byte has been acknowledged: tcp_probe fires while established. */
static void tail(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	int unacked = 0;

	if (ioctl(f->sender.fd, SIOCOUTQ, &unacked) == 0 && unacked > 0)
		clock_at(at_ns + TAIL_NS, tail, f);
	else
		tcp_flow_end(f, 0, at_ns);
}

void tcp_all_read(struct flow *f)
{
	if (f->stop_ns == 0) {
		f->stop_ns = -1;
		tail(f, clock_now());
	}
}

static void sender_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, sender);

	if (f->out.established_ns < 0 || (events & (EPOLLERR | EPOLLHUP))) {
		int error = 0;
		socklen_t size = sizeof error;
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error || (events & EPOLLHUP)) {
			tcp_flow_end(f, error ? error : EPIPE, clock_now());
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
		ssize_t n = send(w->fd, tcp_data, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				tcp_flow_end(f, errno, clock_now());
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

	tcp_read_rest(f);
	tcp_flow_end(f, f->out.established_ns < 0 ? ETIMEDOUT : f->op.size && !all_arrived(f) ? ETIME : 0, at_ns);
}

static void start(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = f->op.daddr, .sin_port = htons(f->op.dport)};

	if (connect(f->sender.fd, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
		tcp_flow_end(f, errno, at_ns);
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

static bool set_cc(int fd, const char *name)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
}

void tcp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns)
{
	struct flow *f = calloc(1, sizeof *f);
	bool served = op->flags & FLOW_SERVED;
	int on = 1;

	if (!f)
		abort();
	f->op = *op;
	f->record = record;
	f->program = run_started();
	f->src_ns = src_ns;
	f->out = (struct flow_out){.id = op->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	f->reads_from_ns = start_ns + (int64_t)op->read_after_ns;
	f->listener = (struct watch){served ? -1 : endpoint(f, op->dst_ns, op->daddr, op->dport, op->rcvbuf, SO_RCVBUF),
				     tcp_listener_ready};
	f->sender = (struct watch){endpoint(f, src_ns, op->saddr, op->sport, op->sndbuf, SO_SNDBUF), sender_ready};
	f->receiver = (struct watch){-1, tcp_receiver_ready};
	*last_flow = f;
	last_flow = &f->next;
	if (f->sender.fd < 0 || (!served && (f->listener.fd < 0 || listen(f->listener.fd, 8) < 0))) {
		run_fail(record, 0, errno, "flow %u: cannot open its sockets", op->id);
	} else if (op->cc[0] && (!set_cc(f->sender.fd, op->cc) || (!served && !set_cc(f->listener.fd, op->cc)))) {
		run_fail(record, 0, errno, "flow %u: the kernel has no congestion control %s", op->id, op->cc);
	} else {
		if (op->flags & FLOW_NODELAY)
			setsockopt(f->sender.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		if (!served)
			watch_add(&f->listener, EPOLLIN);
		clock_at(start_ns, start, f);
	}
}

/* A server has accepted a connection: is it one of a flow's? */
bool tcp_serve(unsigned ns, const struct sockaddr_in *from, int fd)
{
	for (struct flow *f = flows; f; f = f->next) {
		const struct flow_op *op = &f->op;
		if (f->over || f->receiver.fd >= 0 || !(op->flags & FLOW_SERVED) || op->dst_ns != ns ||
		    op->saddr != from->sin_addr.s_addr || op->sport != ntohs(from->sin_port))
			continue;
		if (op->cc[0])
			set_cc(fd, op->cc);
		tcp_accepted(f, fd);
		return true;
	}
	return false;
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
		next = f->next;
		if (!f->over) {
			tcp_read_rest(f);
			tcp_flow_end(f, ETIME, run_end());
		}
		free(f);
	}
	flows = NULL;
	last_flow = &flows;
}
