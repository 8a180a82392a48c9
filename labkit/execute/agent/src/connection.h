/* One connection of a pool, and exchanges (a request and its response) over it. SPDX: MIT */
#ifndef CONNECTION_H
#define CONNECTION_H
#include "agent.h"

struct exchange {
	uint64_t request, response; /* bytes; response 0: it is done when the request has arrived */
	uint64_t service_ns;        /* from the last byte of the request to the first of the response */
	int64_t ready_ns;           /* it was due, since the epoch; so the next ones; -1: not yet */
	int64_t sent_ns;            /* it had a connection, and the client handed over the first of it */
	int64_t asked_ns;           /* the server had read all of the request */
	int64_t first_ns, done_ns;  /* the client had read the first, the last of the response */
	struct connection *on;
	uint64_t to_send, to_arrive, to_answer, to_read; /* bytes left */
	struct exchange *next; /* of the one queue that it is in */
};

struct queue {
	struct exchange *first, **last;
};

/* What its owner does when something has happened to a connection. It may close it. */
struct connection_use {
	void (*established)(struct connection *c);
	void (*complete)(struct connection *c, struct exchange *e, int64_t now_ns);
	void (*failed)(struct connection *c, int error);
};

struct turn; /* bytes of one response, in the order in which they were written */

struct connection {
	struct watch client, server; /* see CONNECTION_OF */
	const struct connection_use *use;
	void *owner;
	struct flow_out *sum;        /* bytes of all connections are counted here */
	uint64_t frame;              /* responses take turns after so many bytes */
	uint32_t number, under_way;  /* exchanges */
	uint16_t port;               /* the client's */
	bool established, closed, flushes;
	struct queue asked;     /* in the order of their requests' bytes; until those have arrived */
	struct queue answering; /* the server still has some of the response; the first one's turn lasts ... */
	uint64_t turn_left;     /* ... for so many bytes */
	struct turn *turns, *last_turn;
	uint32_t reads;
	int lowat;
	bool client_blocked, server_blocked;
	struct connection *next;
};

#define CONNECTION_OF(w, member) ((struct connection *)((uint8_t *)(w) - offsetof(struct connection, member)))

/* queue.c */
void queue_append(struct queue *q, struct exchange *e);
struct exchange *queue_take(struct queue *q);

/* connection.c */
bool connection_open(struct connection *c, unsigned src_ns, const struct flow_op *op); /* false, with errno */
void connection_accepted(struct connection *c, int fd);
void connection_begin(struct connection *c, struct exchange *e); /* any number of them, then ... */
void connection_send(struct connection *c);
void connection_cut(struct connection *c); /* the run ends: a last look at what has arrived */
void connection_close(struct connection *c);
void connection_forget(void); /* those that servers still work on, all of them */
#endif
