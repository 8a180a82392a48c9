/* UDP flows: one datagram at a time, at constant or Poisson distances; the receiver counts. SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Reading: 32 expected datagrams at a time, which fits twice into the default receive buffer. */
enum { AT_ONCE = 32, MIN_PAUSE_NS = 1000, MAX_PAUSE_NS = 10000000, MS = 1000000, BITS = 8 };

struct flow {
	int sender, receiver;
	struct flow_op op;
	struct flow_out out;
	uint32_t program;
	int64_t next_ns, stop_ns, read_pause_ns, linger_ns;
	uint64_t random;
	bool sending, told, over;
	struct flow *next;
};

static struct flow *flows, **last_flow = &flows;
static uint8_t data[65536];

static int64_t gap(struct flow *f)
{
	if (!(f->op.flags & FLOW_POISSON))
		return (int64_t)f->op.interval_ns;
	return random_exponential(&f->random, f->op.interval_ns);
}

/* Returns whether there was as much as one call takes. */
static bool read_some(struct flow *f, int most)
{
	struct mmsghdr m[AT_ONCE];
	char control[AT_ONCE][64];
	struct iovec into = {data, sizeof data};

	for (int i = 0; i < most; i++)
		m[i].msg_hdr = (struct msghdr){.msg_iov = &into, .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = 64};
	int n = recvmmsg(f->receiver, m, (unsigned)most, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++) {
		int64_t at = state_message_time(&m[i].msg_hdr);
		if (f->out.received_packets++ == 0)
			f->out.first_ns = at;
		f->out.last_ns = at;
		f->out.received += m[i].msg_len;
	}
	return n == most;
}

static bool is_slow(const struct flow *f)
{
	return f->op.read_rate || f->op.read_after_ns;
}

static void flow_end(struct flow *f, int error, int64_t now_ns)
{
	f->over = true;
	clock_cancel(f);
	while (!is_slow(f) && read_some(f, AT_ONCE))
		;
	f->out.error = error;
	f->out.end_ns = state_since_epoch(now_ns);
	raw_put(R_FLOW, LAB_NO_NS, f->out.end_ns, &f->out, sizeof f->out, NULL, 0);
	close(f->sender);
	close(f->receiver);
	state_done(f->program);
}

/* A slow application takes what it can work on in a millisecond, at least one datagram, and works on it; if
 * there is none, it looks again after as long as one would have taken. Returns how long: not nothing, or time
 * would stand still. */
static int64_t read_slowly(struct flow *f)
{
	uint64_t before = f->out.received, at_once = f->op.read_rate / BITS / 1000 / f->op.packet;

	read_some(f, at_once < 1 ? 1 : at_once > AT_ONCE ? AT_ONCE : (int)at_once);
	uint64_t work = f->out.received > before ? f->out.received - before : f->op.packet;
	double ns = (double)work * BITS / (double)f->op.read_rate * 1e9;
	return ns < MIN_PAUSE_NS ? MIN_PAUSE_NS : (int64_t)ns;
}

static void read_now(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	uint64_t before = f->out.received_packets;
	int64_t pause = f->read_pause_ns;

	if (f->op.read_rate)
		pause = read_slowly(f);
	else
		while (read_some(f, AT_ONCE))
			;
	/* Silence since the last arrival, not since the last look: a slow link's datagrams are far apart. */
	if (!f->sending && at_ns >= f->stop_ns + f->linger_ns && f->out.received_packets == before &&
	    state_since_epoch(at_ns) >= f->out.last_ns + f->linger_ns)
		flow_end(f, f->out.sent < f->op.size ? ETIME : 0, at_ns);
	else
		clock_at(at_ns + pause, read_now, f);
}

static void send_one(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	uint64_t left = f->op.size ? f->op.size - f->out.sent : f->op.packet;
	size_t size = left < f->op.packet ? (size_t)left : f->op.packet;

	if ((f->op.size && left == 0) || (f->op.duration_ns && at_ns >= f->stop_ns)) {
		f->sending = false;
		f->stop_ns = at_ns;
		return;
	}
	if (send(f->sender, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size) {
		f->out.sent += size;
		f->out.sent_packets++;
		f->told = false;
	} else if ((errno == EMSGSIZE || errno == EHOSTUNREACH) && !f->told) {
		f->told = true; /* by ICMP, of a datagram before; it is said once */
	} else if (errno != EAGAIN && errno != ENOBUFS && errno != ECONNREFUSED) {
		flow_end(f, errno, at_ns);
		return;
	}
	f->next_ns += gap(f);
	clock_at(f->next_ns, send_one, f);
}

static void start(void *arg, int64_t at_ns)
{
	struct flow *f = arg;

	f->sending = true;
	f->next_ns = at_ns;
	f->stop_ns = f->op.duration_ns ? at_ns + (int64_t)f->op.duration_ns : INT64_MAX / 2;
	f->out.established_ns = state_since_epoch(at_ns);
	clock_at(at_ns + (f->op.read_after_ns ? (int64_t)f->op.read_after_ns : f->read_pause_ns), read_now, f);
	send_one(f, at_ns);
}

static int endpoint(unsigned ns, uint32_t addr, uint16_t port, uint32_t buffer, int option)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = addr, .sin_port = htons(port)};
	int room = (int)(buffer / 2), fd = netns_socket(ns, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	if (fd < 0 || (buffer && setsockopt(fd, SOL_SOCKET, option, &room, sizeof room) < 0) ||
	    bind(fd, (void *)&own, sizeof own) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

void udp_prepare(uint32_t record, unsigned src_ns, const struct flow_op *op, int64_t start_ns)
{
	struct flow *f = calloc(1, sizeof *f);
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = op->daddr, .sin_port = htons(op->dport)};
	int on = 1;

	if (!f)
		abort();
	f->op = *op;
	f->program = state_begun();
	f->random = op->seed;
	f->out = (struct flow_out){.id = op->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	f->read_pause_ns = op->interval_ns < MAX_PAUSE_NS / AT_ONCE ? (int64_t)op->interval_ns * AT_ONCE : MAX_PAUSE_NS;
	f->linger_ns = (int64_t)op->linger_ms * MS;
	f->receiver = endpoint(op->dst_ns, op->daddr, op->dport, op->rcvbuf, SO_RCVBUF);
	f->sender = endpoint(src_ns, op->saddr, op->sport, op->sndbuf, SO_SNDBUF);
	*last_flow = f;
	last_flow = &f->next;
	if (f->receiver < 0 || f->sender < 0 || connect(f->sender, (void *)&to, sizeof to) < 0) {
		state_fail(record, 0, errno, "flow %u: cannot open its sockets", op->id);
		return;
	}
	setsockopt(f->receiver, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	clock_at(start_ns, start, f);
}

void udp_end_all(void)
{
	for (struct flow *f = flows, *next; f; f = next) {
		next = f->next;
		if (!f->over)
			flow_end(f, ETIME, state_end_ns());
		free(f);
	}
	flows = NULL;
	last_flow = &flows;
}
