/* The receiving end of TCP flows. Its application reads what there is when it is woken (reading.c). A slow one takes
 * a hundredth of a second's worth and then works on it; meanwhile the buffer fills. SPDX: MIT */
#include "tcp_flow.h"
#include <linux/tcp.h>

enum { BITS = 8, AT_ONCE_PER_S = 100, NS_PER_MS = 1000000 };
static const int64_t second_ns = 1000000000;

/* Reads what there is, at most so much. Returns false at the end of the stream or on an error. */
static bool read_some(struct flow *f, uint64_t most, int *error)
{
	while (most) {
		size_t wanted = most < CHUNK ? (size_t)most : CHUNK;
		char control[64];
		struct iovec into = {tcp_flow_data, wanted};
		struct msghdr m = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
		ssize_t n = recvmsg(f->receiver.fd, &m, MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0) {
			*error = errno == EAGAIN || errno == EINTR ? 0 : errno;
			return *error == 0;
		}
		if (n == 0)
			return false;
		int64_t at = state_message_time(&m);
		if (f->out.received == 0)
			f->out.first_ns = at;
		f->out.last_ns = at;
		f->out.received += (uint64_t)n;
		f->reads++;
		most -= (uint64_t)n;
		if ((size_t)n < wanted)
			return true;
	}
	return true;
}

static void back_from_work(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	(void)at_ns;

	f->working = false;
	watch_change(&f->receiver, EPOLLIN);
}

static void work_until(struct flow *f, int64_t at_ns)
{
	f->working = true;
	watch_change(&f->receiver, 0);
	clock_at(at_ns, back_from_work, f);
}

/* When the last of all bytes came. A read is stamped with the arrival of its last bytes in sequence. Where segments came
 * out of order, these may have been there for long, and another one came since and closed the gap: TCP knows when. A
 * reader that waited is here at that instant; for one that was away it is known to a jiffy. */
static void last_came(struct flow *f)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof info;

	if (getsockopt(f->receiver.fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 || !info.tcpi_rcv_ooopack)
		return;
	int64_t at = state_since_epoch(clock_now()) - (int64_t)info.tcpi_last_data_recv * NS_PER_MS;
	if (at > f->out.last_ns)
		f->out.last_ns = at;
}

void tcp_receiver_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, receiver);
	uint64_t before = f->out.received, most = f->op.read_rate / BITS / AT_ONCE_PER_S;
	int error = 0;
	(void)events;

	if (f->working) { /* nobody reads: it can only be that the connection was reset */
		tcp_flow_end(f, ECONNRESET, clock_now());
		return;
	}
	bool more = read_some(f, f->op.read_rate == 0 ? UINT64_MAX : most ? most : 1, &error);
	if (all_arrived(f)) {
		last_came(f);
		watch_change(&f->receiver, 0);
		tcp_flow_all_read(f);
	} else if (!more) {
		tcp_flow_end(f, error ? error : ECONNRESET, clock_now());
	} else if (f->op.read_rate) {
		double seconds = (double)(f->out.received - before) * BITS / (double)f->op.read_rate;
		work_until(f, clock_now() + (int64_t)(seconds * (double)second_ns));
	} else {
		f->lowat = reading_lowat(f->receiver.fd, f->lowat, f->reads, f->op.size ? f->op.size - f->out.received : 0,
					 f->op.read_bytes);
	}
}

void tcp_receiver_accepted(struct flow *f)
{
	f->lowat = 1;
	if (f->op.read_after_ns && clock_now() < f->reads_from_ns)
		work_until(f, f->reads_from_ns);
}

void tcp_receiver_cut(struct flow *f)
{
	int error = 0;

	if (f->receiver.fd >= 0 && !f->op.read_rate && !f->op.read_after_ns)
		read_some(f, UINT64_MAX, &error);
}
