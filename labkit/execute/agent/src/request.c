/* Requests and responses over one TCP connection: a client asks, the server works on it and answers, the client
 * thinks and asks again. Both are in this process, so that the server knows what a request says: its own size and
 * that of the response. Each reads when all is there that it waits for, or a quarter of its buffer: a crossing
 * between process and kernel costs more than ten packets. What has arrived is what can be read: a segment that
 * fills a gap brings older ones with it, so the kernel's stamp of the last of them would be too early. SPDX: MIT */
#include "tcp_flow.h"
#include <linux/tcp.h>

enum { A_REQUEST = 1 << 16 }; /* what it counts for beside its bytes, when they are too many at one instant */
static const uint64_t largest = 1 << 30, most_requests = UINT32_MAX;

static int64_t monotonic(int64_t since_epoch)
{
	return since_epoch - state_since_epoch(0);
}

static void put_request(struct flow *f, int64_t at_ns)
{
	struct asking *x = &f->asking;

	x->asked = false;
	raw_put(R_REQUEST, LAB_NO_NS, at_ns, &x->out, sizeof x->out, NULL, 0);
}

/* Hands over what there is room for. Returns how much, or -1: that failed, and the flow is over. */
static int64_t push(struct flow *f, struct watch *w, struct side *s)
{
	int64_t sent = 0;

	while (s->to_send) {
		size_t chunk = s->to_send < CHUNK ? (size_t)s->to_send : CHUNK;
		ssize_t n = send(w->fd, tcp_flow_data, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			tcp_flow_end(f, errno, clock_now());
			return -1;
		}
		if (n < 0)
			break;
		s->to_send -= (uint64_t)n;
		sent += n;
	}
	if (s->blocked != (s->to_send > 0)) {
		s->blocked = !s->blocked;
		watch_change(w, s->blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
	}
	return sent;
}

/* Reads what there is of what is expected. Returns how much, or -1: that failed, and the flow is over. */
static int64_t pull(struct flow *f, struct watch *w, struct side *s)
{
	int64_t got = 0;

	while (s->to_read) {
		size_t wanted = s->to_read < CHUNK ? (size_t)s->to_read : CHUNK;
		ssize_t n = recv(w->fd, tcp_flow_data, wanted, MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			tcp_flow_end(f, n < 0 ? errno : ECONNRESET, clock_now());
			return -1;
		}
		s->to_read -= (uint64_t)n;
		got += n;
		if ((size_t)n < wanted)
			break;
	}
	return got;
}

static void wake_at(struct flow *f, struct watch *w, struct side *s, uint64_t most)
{
	int buffer = 0, lowat;
	socklen_t size = sizeof buffer;

	if (most > 1) {
		getsockopt(w->fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size);
		if (most > (uint64_t)buffer / 4)
			most = (uint64_t)buffer / 4;
		if (most > f->op.read_bytes)
			most = f->op.read_bytes;
	}
	lowat = most < 1 ? 1 : (int)most;
	if (lowat != s->lowat)
		setsockopt(w->fd, SOL_SOCKET, SO_RCVLOWAT, &lowat, sizeof lowat);
	s->lowat = lowat;
}

/* at_ns: the instant that made it ask, since the epoch. In real time it may be later by now. */
static void ask(struct flow *f, int64_t at_ns)
{
	struct asking *x = &f->asking;

	x->asked = true;
	x->out.number++;
	x->out.sent_ns = place.virtual_time ? at_ns : state_since_epoch(clock_now());
	x->out.first_ns = x->out.done_ns = -1;
	x->client.to_send = x->server.to_read = x->op.request;
	x->client.to_read = x->op.response;
	push(f, &f->sender, &x->client);
}

static void ask_now(void *arg, int64_t at_ns)
{
	ask(arg, state_since_epoch(at_ns));
}

static void think(struct flow *f)
{
	struct asking *x = &f->asking;
	int64_t now_ns = x->out.done_ns, think_ns = (int64_t)x->op.think_ns, rest_ns;

	if (f->op.flags & FLOW_POISSON)
		think_ns = random_exponential(&x->random, x->op.think_ns);
	x->out.think_ns = think_ns;
	if (think_ns)
		clock_at(monotonic(now_ns + think_ns), ask_now, f);
	else if ((rest_ns = tcp_flow_rest(f, x->op.request + x->op.response + A_REQUEST)))
		clock_at(rest_ns, ask_now, f);
	else
		ask(f, now_ns);
}

static void response_arrives(struct flow *f)
{
	struct asking *x = &f->asking;
	int64_t n = pull(f, &f->sender, &x->client);

	if (n <= 0)
		return;
	int64_t at_ns = state_since_epoch(clock_now());
	if (x->out.first_ns < 0)
		x->out.first_ns = at_ns;
	if (f->out.received == 0)
		f->out.first_ns = at_ns;
	f->out.last_ns = at_ns;
	f->out.received += (uint64_t)n;
	if (x->client.to_read) {
		wake_at(f, &f->sender, &x->client, x->client.to_read);
		return;
	}
	x->out.done_ns = at_ns;
	put_request(f, at_ns);
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, sender);
	struct asking *x = &f->asking;
	bool connected = f->out.established_ns >= 0;

	if (!tcp_flow_connected(f, events))
		return;
	if (!connected) {
		watch_change(w, EPOLLIN);
		ask(f, f->out.established_ns);
		return;
	}
	if ((events & EPOLLOUT) && x->client.blocked && push(f, w, &x->client) < 0)
		return;
	if (!(events & EPOLLIN) || !x->asked)
		return;
	response_arrives(f);
	if (f->over || x->asked)
		return;
	wake_at(f, w, &x->client, 1);
	if (x->op.count && x->out.number == x->op.count)
		tcp_flow_all_read(f);
	else
		think(f);
}

static void answer(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	(void)at_ns;

	f->asking.server.to_send = f->asking.op.response;
	int64_t n = push(f, &f->receiver, &f->asking.server);
	if (n > 0)
		f->out.sent += (uint64_t)n;
}

static void server_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, receiver);
	struct asking *x = &f->asking;

	if (events & (EPOLLERR | EPOLLHUP)) {
		int error = 0;
		socklen_t size = sizeof error;
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
		tcp_flow_end(f, error ? error : ECONNRESET, clock_now());
		return;
	}
	if ((events & EPOLLOUT) && x->server.blocked) {
		int64_t n = push(f, w, &x->server);
		if (n < 0)
			return;
		f->out.sent += (uint64_t)n;
	}
	if (!(events & EPOLLIN) || !x->server.to_read || pull(f, w, &x->server) <= 0)
		return;
	wake_at(f, w, &x->server, x->server.to_read);
	if (x->server.to_read)
		return;
	if (x->op.service_ns)
		clock_at(clock_now() + (int64_t)x->op.service_ns, answer, f);
	else
		answer(f, 0);
}

static void accepted(struct flow *f)
{
	int on = 1;

	if (f->op.flags & FLOW_NODELAY)
		setsockopt(f->receiver.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* The end cuts it: what has arrived until then counts. */
static void cut(struct flow *f)
{
	if (f->asking.asked)
		response_arrives(f);
}

static void ended(struct flow *f)
{
	if (f->asking.asked)
		put_request(f, f->out.end_ns);
}

static const struct tcp_use requests = {
	.sender_ready = client_ready,
	.receiver_ready = server_ready,
	.accepted = accepted,
	.cut = cut,
	.ended = ended,
	.receiver_sends = true,
};

static void stop(void *arg, int64_t at_ns)
{
	struct flow *f = arg;

	cut(f);
	tcp_flow_end(f, f->out.established_ns < 0 ? ETIMEDOUT : f->op.size && !all_arrived(f) ? ETIME : 0, at_ns);
}

static void start(void *arg, int64_t at_ns)
{
	struct flow *f = arg;

	if (tcp_flow_connect(f) && f->op.duration_ns)
		clock_at(at_ns + (int64_t)f->op.duration_ns, stop, f);
}

const char *request_check(const struct record *r, unsigned netns)
{
	const struct request_op *op = (const void *)payload(r);
	const char *wrong = flow_check(r, netns);

	if (wrong)
		return wrong;
	if (op->flow.protocol != IPPROTO_TCP || (op->flow.flags & FLOW_SERVED))
		return "requests over anything but a TCP connection of their own";
	if (!op->request || op->request > largest || !op->response || op->response > largest || op->count > most_requests)
		return "size out of range";
	if (op->flow.size != op->count * op->response)
		return "requests whose responses have another size than the flow";
	return op->service_ns > LONGEST_NS || op->think_ns > LONGEST_NS / 64 ? "time out of range" : NULL;
}

void request_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct request_op *op = (const void *)payload(r);
	struct flow *f = tcp_flow_open(i, r->ns, &op->flow, &requests);

	if (!f)
		return;
	f->asking.op = *op;
	f->asking.out.flow = op->flow.id;
	f->asking.random = op->flow.seed;
	f->asking.client.lowat = f->asking.server.lowat = 1;
	clock_at(at_ns, start, f);
}
