/* Background traffic: many transfers of given sizes that begin at given instants, each over a TCP connection of its
 * own, to one port. What a transfer needs is there only while it lasts. When the client has handed over all of it, it
 * closes its half; the server closes when it has read the rest. SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { BACKLOG = 4096, CHUNK = 1 << 18, MOST_AT_ONCE = 1 << 20 };

struct transfer {
	struct watch client, server; /* see TRANSFER_OF */
	struct background *of;
	struct transfer_out out;
	uint64_t sent;
	uint32_t reads;
	int lowat;
	uint16_t port; /* the client's */
	struct transfer *next;
};

struct background {
	struct watch listener; /* first: ready() is called with it */
	unsigned src_ns;
	struct background_op op;
	struct flow_out out;
	struct transfer_op *due; /* [op.count] */
	uint64_t begun, over;
	int64_t start_ns;
	uint32_t program;
	bool ended;
	struct transfer *under_way;
	struct background *next;
};

#define TRANSFER_OF(w, member) ((struct transfer *)((uint8_t *)(w) - offsetof(struct transfer, member)))

static struct background *all, **last = &all;
static uint8_t data[CHUNK];

static void background_end(struct background *b, int error, int64_t now_ns)
{
	if (b->ended)
		return;
	b->ended = true;
	clock_cancel(b);
	watch_close(&b->listener);
	b->out.error = error;
	b->out.end_ns = state_since_epoch(now_ns);
	raw_put(R_FLOW, LAB_NO_NS, b->out.end_ns, &b->out, sizeof b->out, NULL, 0);
	state_done(b->program);
}

static void transfer_end(struct transfer *t, int error, int64_t now_ns)
{
	struct background *b = t->of;
	struct transfer **at = &b->under_way;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->out.error = error;
	if (!error)
		t->out.done_ns = state_since_epoch(now_ns);
	raw_put(R_TRANSFER, LAB_NO_NS, state_since_epoch(now_ns), &t->out, sizeof t->out, NULL, 0);
	watch_close(&t->client);
	watch_close(&t->server);
	free(t);
	if (++b->over == b->op.count)
		background_end(b, 0, now_ns);
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct transfer *t = TRANSFER_OF(w, client);

	if (events & (EPOLLERR | EPOLLHUP)) {
		transfer_end(t, endpoint_error(w->fd), clock_now());
		return;
	}
	if (t->out.established_ns < 0)
		t->out.established_ns = state_since_epoch(clock_now());
	if (t->of->out.established_ns < 0)
		t->of->out.established_ns = t->out.established_ns;
	while (t->sent < t->out.size) {
		uint64_t left = t->out.size - t->sent;
		ssize_t n = send(w->fd, data, left < CHUNK ? (size_t)left : CHUNK, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				transfer_end(t, errno, clock_now());
			return;
		}
		t->sent += (uint64_t)n;
		t->of->out.sent += (uint64_t)n;
	}
	shutdown(w->fd, SHUT_WR);
	watch_change(w, 0);
}

static void await_more(struct transfer *t)
{
	t->lowat = reading_lowat(t->server.fd, t->lowat, t->reads, t->out.size - t->out.received, MOST_AT_ONCE);
}

static void server_ready(struct watch *w, uint32_t events)
{
	struct transfer *t = TRANSFER_OF(w, server);
	struct flow_out *sum = &t->of->out;
	int64_t now_ns = clock_now(), at_ns = state_since_epoch(now_ns);
	ssize_t n;
	(void)events;

	do {
		n = recv(w->fd, data, CHUNK, MSG_DONTWAIT | MSG_TRUNC);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n <= 0) {
			transfer_end(t, n < 0 ? errno : ECONNRESET, now_ns);
			return;
		}
		if (t->out.first_ns < 0)
			t->out.first_ns = at_ns;
		if (sum->first_ns < 0)
			sum->first_ns = at_ns;
		sum->last_ns = at_ns;
		t->out.received += (uint64_t)n;
		sum->received += (uint64_t)n;
		t->reads++;
	} while (n == CHUNK && t->out.received < t->out.size);
	if (t->out.received >= t->out.size)
		transfer_end(t, 0, now_ns);
	else
		await_more(t);
}

static void accept_ready(struct watch *w, uint32_t events)
{
	struct background *b = (struct background *)w;
	struct transfer *t = b->under_way;
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	(void)events;

	int fd = accept4(w->fd, (void *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	while (t && (t->server.fd >= 0 || htons(t->port) != from.sin_port || from.sin_addr.s_addr != b->op.flow.saddr))
		t = t->next;
	if (!t) { /* it has failed since, or is none of ours */
		close(fd);
		return;
	}
	t->server.fd = fd;
	await_more(t);
	watch_add(&t->server, EPOLLIN);
}

static void transfer_begin(struct background *b, int64_t at_ns)
{
	const struct flow_op *op = &b->op.flow;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = op->daddr, .sin_port = htons(op->dport)}, own;
	struct transfer *t = calloc(1, sizeof *t);
	socklen_t size = sizeof own;

	if (!t)
		abort();
	t->of = b;
	t->out = (struct transfer_out){.flow = op->id, .number = b->begun + 1, .size = b->due[b->begun].size,
		.start_ns = state_since_epoch(at_ns), .established_ns = -1, .first_ns = -1, .done_ns = -1};
	t->client = (struct watch){endpoint_tcp(b->src_ns, op->saddr, 0, op), client_ready};
	t->server = (struct watch){-1, server_ready};
	t->next = b->under_way;
	b->under_way = t;
	b->begun++;
	if (t->client.fd < 0 || (connect(t->client.fd, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS)) {
		transfer_end(t, errno, at_ns);
		return;
	}
	getsockname(t->client.fd, (void *)&own, &size);
	t->port = ntohs(own.sin_port);
	watch_add(&t->client, EPOLLOUT);
}

static void begin_next(void *arg, int64_t at_ns)
{
	struct background *b = arg;

	if (b->begun + 1 < b->op.count) /* before it: the last one's end is the background's */
		clock_at(b->start_ns + (int64_t)b->due[b->begun + 1].after_ns, begin_next, b);
	transfer_begin(b, at_ns);
}

const char *background_check(const struct record *r, unsigned netns)
{
	const struct background_op *op = (const void *)payload(r);
	const struct transfer_op *due = (const void *)(op + 1);
	const char *wrong = flow_check(r, netns);
	uint64_t before = 0;

	if (wrong)
		return wrong;
	if (op->flow.protocol != IPPROTO_TCP)
		return "background of an unknown protocol";
	if (!op->count || op->count != (payload_size(r) - sizeof *op) / sizeof *due ||
	    (payload_size(r) - sizeof *op) % sizeof *due)
		return "background with another number of transfers than it says";
	for (uint64_t i = 0; i < op->count; before = due[i++].after_ns)
		if (due[i].after_ns < before || due[i].after_ns > LONGEST_NS || !due[i].size || due[i].size > LONGEST_NS)
			return "transfer without a size, or out of order";
	return NULL;
}

void background_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct background_op *op = (const void *)payload(r);
	struct background *b = calloc(1, sizeof *b);
	size_t size = op->count * sizeof *b->due;

	if (!b || !(b->due = malloc(size)))
		abort();
	memcpy(b->due, op + 1, size); /* it may go on when its program has ended */
	b->op = *op;
	b->src_ns = r->ns;
	b->start_ns = at_ns;
	b->program = state_begun();
	b->out = (struct flow_out){.id = op->flow.id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	b->listener = (struct watch){endpoint_tcp(op->flow.dst_ns, op->flow.daddr, op->flow.dport, &op->flow), accept_ready};
	*last = b;
	last = &b->next;
	if (b->listener.fd < 0 || listen(b->listener.fd, BACKLOG) < 0) {
		state_fail(i, 0, errno, "background %u: cannot listen with congestion control %s", op->flow.id, op->flow.cc);
		return;
	}
	watch_add(&b->listener, EPOLLIN);
	clock_at(at_ns + (int64_t)b->due[0].after_ns, begin_next, b);
}

/* Those that the end of the run cuts keep what was measured: error ETIME. */
void background_end_all(void)
{
	for (struct background *b = all, *next; b; b = next) {
		next = b->next;
		for (struct transfer *t = b->under_way, *other; t; t = other) {
			other = t->next;
			transfer_end(t, ETIME, state_end_ns());
		}
		background_end(b, ETIME, state_end_ns());
		free(b->due);
		free(b);
	}
	all = NULL;
	last = &all;
}
