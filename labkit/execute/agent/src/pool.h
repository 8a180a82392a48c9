/* A pool of connections and the exchanges over it, as pool.c and its uses see them. SPDX: MIT */
#ifndef POOL_H
#define POOL_H
#include "connection.h"

struct pool;

/* What is done with a pool. `done` may ask for more; a pool ends by pool_end, or by an error of a connection. */
struct pool_use {
	void (*begin)(struct pool *p, int64_t at_ns);
	void (*done)(struct pool *p, struct exchange *e);
	void (*ended)(struct pool *p); /* whatever its end was, before that is written */
	void (*free)(struct pool *p);
};

struct pool {
	struct watch listener; /* first: ready() is called with it */
	const struct pool_use *use;
	unsigned src_ns;
	struct pool_op op;
	struct flow_out out;
	struct lane *lanes;       /* its connections, the latest first */
	uint32_t opened, opening; /* so many at all; not yet ready for their first exchange */
	struct queue waiting;     /* for a connection */
	int64_t start_ns;         /* CLOCK_MONOTONIC */
	uint32_t program;
	bool over;
	struct pool *next;
};

/* pool.c. A pool is the first member of its use's struct, which was made with zeros in it. */
const char *pool_check(const struct record *r, unsigned netns);
void pool_open(struct pool *p, const struct pool_use *use, const struct record *r, uint32_t i, int64_t at_ns);
void pool_ask(struct pool *p, struct exchange *e, int64_t ready_ns);
void pool_end(struct pool *p, int error, int64_t now_ns);
#endif
