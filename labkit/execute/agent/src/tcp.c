/* Bulk transfers over TCP: a client that always has data, from its start to its end. The receiver, which is in
 * this process as well, is in tcp_receive.c, the connection in tcp_flow.c. SPDX: MIT */
#include "tcp_flow.h"

static void go_on(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	(void)at_ns;

	watch_change(&f->sender, EPOLLOUT);
}

static void sender_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, sender);

	if (!tcp_flow_connected(f, events))
		return;
	for (;;) {
		uint64_t left = f->op.size ? f->op.size - f->out.sent : CHUNK;
		size_t chunk = left < CHUNK ? (size_t)left : CHUNK;
		if (chunk == 0) {
			watch_change(w, 0);
			return;
		}
		ssize_t n = send(w->fd, tcp_flow_data, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				tcp_flow_end(f, errno, clock_now());
			return;
		}
		f->out.sent += (uint64_t)n;
		int64_t until_ns = tcp_flow_rest(f, (uint64_t)n);
		if (until_ns) {
			watch_change(w, 0);
			clock_at(until_ns, go_on, f);
			return;
		}
		if ((size_t)n < chunk)
			return;
	}
}

static const struct tcp_use bulk = {
	.sender_ready = sender_ready,
	.receiver_ready = tcp_receiver_ready,
	.accepted = tcp_receiver_accepted,
	.cut = tcp_receiver_cut,
};

static void stop_sending(void *arg, int64_t at_ns)
{
	struct flow *f = arg;

	tcp_receiver_cut(f);
	tcp_flow_end(f, f->out.established_ns < 0 ? ETIMEDOUT : f->op.size && !all_arrived(f) ? ETIME : 0, at_ns);
}

static void start(void *arg, int64_t at_ns)
{
	struct flow *f = arg;

	if (tcp_flow_connect(f) && f->op.duration_ns)
		clock_at(at_ns + (int64_t)f->op.duration_ns, stop_sending, f);
}

void tcp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns)
{
	struct flow *f = tcp_flow_open(record, src_ns, op, &bulk);

	if (!f)
		return;
	f->reads_from_ns = start_ns + (int64_t)op->read_after_ns;
	clock_at(start_ns, start, f);
}
