/* A pool of connections from one client to one server, over which exchanges go. Either one at a time on each, with
 * another connection where all are busy, as browsers do with HTTP/1.1; or any number at once on one, as with SPDY and
 * HTTP/2. A connection's first exchanges may be a handshake's. SPDX: MIT */
#include "pool.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { BACKLOG = 4096 };

struct lane { /* a connection of a pool */
	struct connection connection; /* first: see connection_use */
	uint32_t shaken;              /* exchanges of its handshake */
	bool ready;
	struct exchange handshake;
	struct lane *next;
};

static struct pool *pools, **last_pool = &pools;

void pool_end(struct pool *p, int error, int64_t now_ns)
{
	if (p->over)
		return;
	p->over = true;
	clock_cancel(p);
	p->out.error = error;
	p->out.end_ns = state_since_epoch(now_ns);
	p->use->ended(p);
	raw_put(R_FLOW, LAB_NO_NS, p->out.end_ns, &p->out, sizeof p->out, NULL, 0);
	for (struct lane *l = p->lanes; l; l = l->next)
		connection_close(&l->connection);
	watch_close(&p->listener);
	state_done(p->program);
}

static void established(struct connection *c);
static void complete(struct connection *c, struct exchange *e, int64_t now_ns);
static void failed(struct connection *c, int error);
static const struct connection_use uses = {established, complete, failed};

static void open_lane(struct pool *p)
{
	struct lane *l = calloc(1, sizeof *l);
	struct connection *c = &l->connection;

	if (!l)
		abort();
	c->use = &uses;
	c->owner = p;
	c->sum = &p->out;
	c->frame = p->op.frame ? p->op.frame : UINT64_MAX;
	c->number = ++p->opened;
	p->opening++;
	l->next = p->lanes;
	p->lanes = l;
	if (!connection_open(c, p->src_ns, &p->op.flow))
		pool_end(p, errno, clock_now());
}

/* The first connection that has nothing to do, or where responses take turns, any. */
static struct connection *idle(const struct pool *p)
{
	struct connection *found = NULL;

	for (struct lane *l = p->lanes; l; l = l->next)
		if (l->ready && (p->op.frame || !l->connection.under_way))
			found = &l->connection;
	return found;
}

/* What waits goes to connections that are free; where there are too few, more are opened. */
static void dispatch(struct pool *p)
{
	struct connection *c;
	uint32_t waiting = 0;

	while (!p->over && p->waiting.first && (c = idle(p))) {
		do
			connection_begin(c, queue_take(&p->waiting));
		while (p->op.frame && p->waiting.first);
		connection_send(c);
	}
	for (struct exchange *e = p->waiting.first; e && waiting < p->op.connections; e = e->next)
		waiting++;
	while (!p->over && p->opening < waiting && p->opened < p->op.connections)
		open_lane(p);
}

void pool_ask(struct pool *p, struct exchange *e, int64_t ready_ns)
{
	e->ready_ns = ready_ns;
	queue_append(&p->waiting, e);
	dispatch(p);
}

static void go_on(struct pool *p, struct lane *l)
{
	if (l->shaken < p->op.handshakes) {
		l->handshake = (struct exchange){.request = p->op.handshake[l->shaken].request,
			.response = p->op.handshake[l->shaken].response, .first_ns = -1};
		connection_begin(&l->connection, &l->handshake);
		connection_send(&l->connection);
		return;
	}
	l->ready = true;
	p->opening--;
	dispatch(p);
}

static void established(struct connection *c)
{
	struct pool *p = c->owner;

	if (p->out.established_ns < 0)
		p->out.established_ns = state_since_epoch(clock_now());
	go_on(p, (struct lane *)c);
}

static void complete(struct connection *c, struct exchange *e, int64_t now_ns)
{
	struct pool *p = c->owner;
	struct lane *l = (struct lane *)c;
	(void)now_ns;

	if (e == &l->handshake) {
		l->shaken++;
		go_on(p, l);
		return;
	}
	p->use->done(p, e);
	dispatch(p);
}

static void failed(struct connection *c, int error)
{
	pool_end(c->owner, error, clock_now());
}

static void accept_ready(struct watch *w, uint32_t events)
{
	struct pool *p = (struct pool *)w;
	struct lane *l = p->lanes;
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	(void)events;

	int fd = accept4(w->fd, (void *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	while (l && (l->connection.server.fd >= 0 || htons(l->connection.port) != from.sin_port ||
		     from.sin_addr.s_addr != p->op.flow.saddr))
		l = l->next;
	if (l)
		connection_accepted(&l->connection, fd);
	else /* none of ours */
		close(fd);
}

const char *pool_check(const struct record *r, unsigned netns)
{
	const struct pool_op *op = (const void *)payload(r);
	const char *wrong = flow_check(r, netns);

	if (wrong)
		return wrong;
	if (op->flow.protocol != IPPROTO_TCP)
		return "exchanges over an unknown protocol";
	if (!op->connections || op->connections > BACKLOG || op->handshakes > MOST_HANDSHAKES)
		return "number of connections or of their handshakes out of range";
	for (uint32_t i = 0; i < op->handshakes; i++)
		if (!op->handshake[i].request || !op->handshake[i].response)
			return "handshake without a size";
	return NULL;
}

static void start(void *arg, int64_t at_ns)
{
	struct pool *p = arg;

	p->use->begin(p, at_ns);
}

void pool_open(struct pool *p, const struct pool_use *use, const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct pool_op *op = (const void *)payload(r);
	const struct flow_op *flow = &op->flow;

	p->use = use;
	p->op = *op;
	p->src_ns = r->ns;
	p->start_ns = at_ns;
	p->program = state_begun();
	p->out = (struct flow_out){.id = flow->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	p->listener = (struct watch){endpoint_tcp(flow->dst_ns, flow->daddr, flow->dport, flow), accept_ready};
	*last_pool = p;
	last_pool = &p->next;
	if (p->listener.fd < 0 || listen(p->listener.fd, BACKLOG) < 0) {
		state_fail(i, 0, errno, "flow %u: cannot listen with congestion control %s", flow->id, flow->cc);
		return;
	}
	watch_add(&p->listener, EPOLLIN);
	clock_at(at_ns, start, p);
}

/* What the end of the run cuts keeps what was measured: error ETIME. */
void pool_end_all(void)
{
	for (struct pool *p = pools, *next; p; p = next) {
		next = p->next;
		for (struct lane *l = p->lanes; l; l = l->next)
			connection_cut(&l->connection);
		pool_end(p, ETIME, state_end_ns());
		for (struct lane *l = p->lanes, *other; l; l = other) {
			other = l->next;
			free(l);
		}
		p->use->free(p);
	}
	connection_forget();
	pools = NULL;
	last_pool = &pools;
}
