/* One TCP connection whose two ends are both in this process, and exchanges over it. Requests go out in the order in
 * which they are asked; the server works on each and answers; responses take turns, frame by frame. Bytes carry
 * nothing: whose they are follows from the order in which they were written. SPDX: MIT */
#include "connection.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { CHUNK = 1 << 18, MOST_AT_ONCE = 1 << 20 };

struct turn {
	struct exchange *of;
	uint64_t left;
	struct turn *next;
};

static uint8_t data[CHUNK];

/* Hands over at most so many bytes; more: others follow at once, so a segment may wait for these. Returns for how
 * many there was room; -1: that failed. */
static int64_t hand_over(struct connection *c, const struct watch *w, uint64_t most, bool more)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : 0);
	ssize_t n = send(w->fd, data, most < CHUNK ? (size_t)most : CHUNK, flags);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		c->use->failed(c, errno);
	else
		c->sum->sent += (uint64_t)n;
	return n;
}

static void block(struct watch *w, bool *blocked, bool now)
{
	if (*blocked != now)
		watch_change(w, now ? EPOLLIN | EPOLLOUT : EPOLLIN);
	*blocked = now;
}

void connection_send(struct connection *c)
{
	int64_t n = 1;

	for (struct exchange *e = c->asked.first; e && n > 0; e = e->next)
		while (e->to_send && (n = hand_over(c, &c->client, e->to_send, e->next)) > 0)
			e->to_send -= (uint64_t)n;
	if (n >= 0)
		block(&c->client, &c->client_blocked, n == 0);
}

void connection_begin(struct connection *c, struct exchange *e)
{
	e->on = c;
	e->sent_ns = state_since_epoch(clock_now());
	e->to_send = e->to_arrive = e->request;
	e->to_answer = e->to_read = e->response;
	c->under_way++;
	queue_append(&c->asked, e);
}

static void add_turn(struct connection *c, struct exchange *e, uint64_t bytes)
{
	if (!c->turns || c->last_turn->of != e) {
		struct turn *t = calloc(1, sizeof *t);
		if (!t)
			abort();
		t->of = e;
		if (c->turns)
			c->last_turn->next = t;
		else
			c->turns = t;
		c->last_turn = t;
	}
	c->last_turn->left += bytes;
}

/* The first one, until its turn is over; then those that came later; then it again. */
static void send_responses(struct connection *c)
{
	struct exchange *e;
	int64_t n = 1;

	while ((e = c->answering.first)) {
		if (!c->turn_left)
			c->turn_left = c->frame;
		n = hand_over(c, &c->server, e->to_answer < c->turn_left ? e->to_answer : c->turn_left, e->next);
		if (n <= 0)
			break;
		add_turn(c, e, (uint64_t)n);
		e->to_answer -= (uint64_t)n;
		c->turn_left -= (uint64_t)n;
		if (!e->to_answer) {
			queue_take(&c->answering);
			c->turn_left = 0;
		} else if (!c->turn_left) {
			queue_append(&c->answering, queue_take(&c->answering));
		}
	}
	if (n >= 0)
		block(&c->server, &c->server_blocked, n == 0);
}

static void flush(void *arg, int64_t at_ns)
{
	struct connection *c = arg;
	(void)at_ns;

	c->flushes = false;
	send_responses(c);
}

/* All answers of an instant go together. */
static void answer(void *arg, int64_t at_ns)
{
	struct exchange *e = arg;

	if (e->on->closed)
		return;
	queue_append(&e->on->answering, e);
	if (!e->on->flushes)
		clock_at(at_ns, flush, e->on);
	e->on->flushes = true;
}

static void complete(struct connection *c, struct exchange *e, int64_t now_ns)
{
	e->done_ns = state_since_epoch(now_ns);
	c->under_way--;
	c->use->complete(c, e, now_ns);
}

/* Reads what is there. Returns how much, 0: nothing; -1: that failed. */
static int64_t take_in(struct connection *c, const struct watch *w, int64_t now_ns)
{
	ssize_t n = recv(w->fd, data, CHUNK, MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		c->use->failed(c, n < 0 ? errno : ECONNRESET);
		return -1;
	}
	if (c->sum->first_ns < 0)
		c->sum->first_ns = state_since_epoch(now_ns);
	c->sum->last_ns = state_since_epoch(now_ns);
	c->sum->received += (uint64_t)n;
	return n;
}

/* So many bytes of requests have come. */
static void requests_came(struct connection *c, uint64_t n, int64_t now_ns)
{
	struct exchange *e;

	while (!c->closed && (e = c->asked.first) && n) {
		uint64_t part = e->to_arrive < n ? e->to_arrive : n;
		e->to_arrive -= part;
		n -= part;
		if (e->to_arrive)
			return;
		queue_take(&c->asked);
		e->asked_ns = state_since_epoch(now_ns);
		if (!e->response)
			complete(c, e, now_ns);
		else if (e->service_ns)
			clock_at(now_ns + (int64_t)e->service_ns, answer, e);
		else
			queue_append(&c->answering, e);
	}
}

static void responses_came(struct connection *c, uint64_t n, int64_t now_ns)
{
	struct turn *t;

	while (!c->closed && (t = c->turns) && n) {
		struct exchange *e = t->of;
		uint64_t part = t->left < n ? t->left : n;
		if (e->first_ns < 0)
			e->first_ns = state_since_epoch(now_ns);
		e->to_read -= part;
		t->left -= part;
		n -= part;
		if (!t->left) {
			c->turns = t->next;
			free(t);
		}
		if (!e->to_read)
			complete(c, e, now_ns);
	}
}

static void server_ready(struct watch *w, uint32_t events)
{
	struct connection *c = CONNECTION_OF(w, server);
	int64_t now_ns = clock_now(), n;

	(void)events;
	do {
		if ((n = take_in(c, w, now_ns)) > 0)
			requests_came(c, (uint64_t)n, now_ns);
	} while (n == CHUNK && !c->closed);
	if (!c->closed)
		send_responses(c);
}

/* The client wakes for what somebody waits for: the first byte of a response, or all of it that was written. */
static void client_reads(struct connection *c)
{
	int64_t now_ns = clock_now(), n;

	do {
		if ((n = take_in(c, &c->client, now_ns)) > 0)
			responses_came(c, (uint64_t)n, now_ns);
	} while (n == CHUNK && !c->closed);
	if (!c->closed)
		c->lowat = reading_lowat(c->client.fd, c->lowat, c->reads++,
					 c->turns && c->turns->of->first_ns >= 0 ? c->turns->left : 1, MOST_AT_ONCE);
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct connection *c = CONNECTION_OF(w, client);

	if (events & (EPOLLERR | EPOLLHUP)) {
		c->use->failed(c, endpoint_error(w->fd));
		return;
	}
	if (!c->established) {
		c->established = true;
		watch_change(w, EPOLLIN);
		c->use->established(c);
		return;
	}
	if (events & EPOLLOUT)
		connection_send(c);
	if ((events & EPOLLIN) && !c->closed)
		client_reads(c);
}

bool connection_open(struct connection *c, unsigned src_ns, const struct flow_op *op)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = op->daddr, .sin_port = htons(op->dport)}, own;
	socklen_t size = sizeof own;

	c->lowat = 1;
	c->client = (struct watch){endpoint_tcp(src_ns, op->saddr, 0, op), client_ready};
	c->server = (struct watch){-1, server_ready};
	if (c->client.fd < 0 || (connect(c->client.fd, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS))
		return false;
	getsockname(c->client.fd, (void *)&own, &size);
	c->port = ntohs(own.sin_port);
	watch_add(&c->client, EPOLLOUT);
	return true;
}

void connection_accepted(struct connection *c, int fd)
{
	c->server.fd = fd;
	watch_add(&c->server, EPOLLIN);
}

void connection_cut(struct connection *c)
{
	if (c->established && !c->closed)
		client_reads(c);
}

void connection_close(struct connection *c)
{
	if (c->closed)
		return;
	c->closed = true;
	clock_cancel(c);
	watch_close(&c->client);
	watch_close(&c->server);
	for (struct turn *t = c->turns, *later; t; t = later) {
		later = t->next;
		free(t);
	}
	c->turns = NULL;
}

void connection_forget(void)
{
	clock_forget(answer);
}
