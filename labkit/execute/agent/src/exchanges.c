/* P_EXCHANGES: exchanges over a pool that are due at given instants, or when others are done: the objects of a web
 * page, keystrokes and their echoes, packets of a call. SPDX: MIT */
#include "pool.h"

struct node {
	struct exchange exchange; /* first: see FROM */
	struct graph *of;
	uint64_t waits; /* for so many others still */
	bool put;
};

struct graph {
	struct pool pool; /* first */
	uint64_t count, timed, done; /* timed: before this one, all that have an instant have had it */
	struct exchange_op *op;      /* [count] */
	uint32_t *followers;
	struct node *nodes;          /* [count] */
};

static void put(struct graph *g, struct node *n)
{
	const struct exchange *e = &n->exchange;
	struct exchange_out out = {.flow = g->pool.op.flow.id, .connection = e->on ? e->on->number : 0,
		.number = (uint64_t)(n - g->nodes) + 1, .ready_ns = e->ready_ns, .sent_ns = e->sent_ns,
		.asked_ns = e->asked_ns, .first_ns = e->first_ns, .done_ns = e->done_ns};

	n->put = true;
	raw_put(R_EXCHANGE, LAB_NO_NS, state_since_epoch(clock_current()), &out, sizeof out, NULL, 0);
}

static void due(void *arg, int64_t at_ns)
{
	struct node *n = arg;

	if (!n->of->pool.over)
		pool_ask(&n->of->pool, &n->exchange, state_since_epoch(at_ns));
}

/* Those with an instant of their own, in their order. */
static void next_timed(void *arg, int64_t at_ns)
{
	struct graph *g = arg;
	struct node *n = &g->nodes[g->timed++];

	while (g->timed < g->count && g->op[g->timed].waits)
		g->timed++;
	if (g->timed < g->count)
		clock_at(g->pool.start_ns + (int64_t)g->op[g->timed].after_ns, next_timed, g);
	due(n, at_ns);
}

static void begin(struct pool *p, int64_t at_ns)
{
	(void)at_ns;
	clock_at(p->start_ns + (int64_t)((struct graph *)p)->op[0].after_ns, next_timed, p);
}

static void done(struct pool *p, struct exchange *e)
{
	struct graph *g = (struct graph *)p;
	struct node *n = (struct node *)e;
	const struct exchange_op *op = &g->op[n - g->nodes];
	int64_t now_ns = clock_now();

	put(g, n);
	for (uint32_t i = 0; i < op->followers; i++) {
		uint32_t follower = g->followers[op->first_follower + i];
		if (--g->nodes[follower].waits)
			continue;
		if (g->op[follower].after_ns)
			clock_at(now_ns + (int64_t)g->op[follower].after_ns, due, &g->nodes[follower]);
		else
			due(&g->nodes[follower], now_ns);
	}
	if (++g->done == g->count)
		pool_end(p, 0, now_ns);
}

static void ended(struct pool *p)
{
	struct graph *g = (struct graph *)p;

	for (uint64_t i = 0; i < g->count; i++)
		if (!g->nodes[i].put)
			put(g, &g->nodes[i]);
}

static void end(struct pool *p)
{
	struct graph *g = (struct graph *)p;

	clock_forget(due);
	free(g->op);
	free(g->followers);
	free(g->nodes);
	free(g);
}

static const struct pool_use graphs = {begin, done, ended, end};

/* Behind a pool_op: how many, the exchanges, and their followers one after the other. */
static const struct exchanges_op *head(const struct record *r)
{
	return (const void *)payload(r);
}

static const struct exchange_op *ops(const struct record *r)
{
	return (const void *)(head(r) + 1);
}

static const uint32_t *followers(const struct record *r)
{
	return (const void *)(ops(r) + head(r)->count);
}

/* Each waits for as many as have it as a follower, and all of these come before it: so none waits for ever. */
static const char *order_check(const struct record *r)
{
	const struct exchanges_op *op = head(r);
	uint64_t *waits = calloc(op->count, sizeof *waits), before = 0;
	const char *wrong = NULL;

	if (!waits)
		abort();
	for (uint64_t i = 0; i < op->count && !wrong; i++) {
		const struct exchange_op *e = &ops(r)[i];
		if (!e->request || e->request > LONGEST_NS || e->response > LONGEST_NS || e->after_ns > LONGEST_NS / 64 ||
		    e->service_ns > LONGEST_NS / 64)
			wrong = "exchange whose size or time is out of range";
		else if (e->waits != waits[i] || (!e->waits && e->after_ns < before) || (!i && e->waits))
			wrong = "exchange out of order";
		else if (e->followers > op->followers || e->first_follower > op->followers - e->followers)
			wrong = "exchange with followers that are not there";
		if (!e->waits)
			before = e->after_ns;
		for (uint32_t k = 0; k < e->followers && !wrong; k++) {
			uint32_t follower = followers(r)[e->first_follower + k];
			if (follower <= i || follower >= op->count)
				wrong = "exchange with followers that are not there";
			else
				waits[follower]++;
		}
	}
	free(waits);
	return wrong;
}

const char *exchanges_check(const struct record *r, unsigned netns)
{
	const struct exchanges_op *op = head(r);
	const char *wrong = pool_check(r, netns);
	uint64_t room = payload_size(r) - sizeof *op, most = UINT32_MAX;

	if (wrong)
		return wrong;
	if (!op->count || op->count > most || op->followers > most ||
	    room != op->count * sizeof(struct exchange_op) + op->followers * sizeof(uint32_t))
		return "another number of exchanges than it says";
	return order_check(r);
}

void exchanges_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct exchanges_op *op = head(r);
	struct graph *g = calloc(1, sizeof *g);
	size_t size = op->count * sizeof *g->op, list = op->followers * sizeof *g->followers;

	if (!g || !(g->op = malloc(size)) || !(g->followers = malloc(list + 1)) ||
	    !(g->nodes = calloc(op->count, sizeof *g->nodes)))
		abort();
	memcpy(g->op, ops(r), size); /* they may go on when their program has ended */
	memcpy(g->followers, followers(r), list);
	g->count = op->count;
	for (uint64_t k = 0; k < g->count; k++) {
		g->nodes[k].of = g;
		g->nodes[k].waits = g->op[k].waits;
		g->nodes[k].exchange = (struct exchange){.request = g->op[k].request, .response = g->op[k].response,
			.service_ns = g->op[k].service_ns, .ready_ns = -1, .sent_ns = -1, .asked_ns = -1, .first_ns = -1,
			.done_ns = -1};
	}
	pool_open(&g->pool, &graphs, r, i, at_ns);
}
