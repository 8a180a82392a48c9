/* One TCP flow, as tcp_flow.c (its connection) and what uses that (tcp.c and tcp_receive.c) see it. SPDX: MIT */
#ifndef TCP_FLOW_H
#define TCP_FLOW_H
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { CHUNK = 1 << 20 };

struct flow;

/* What is done with a connection. Bulk transfers are one such use: another has another file and another of these. */
struct tcp_use {
	void (*sender_ready)(struct watch *w, uint32_t events);
	void (*receiver_ready)(struct watch *w, uint32_t events);
	void (*accepted)(struct flow *f); /* the receiver has its socket, and is watched */
	void (*cut)(struct flow *f);      /* the run ends before the flow: a last look at what has arrived */
	void (*ended)(struct flow *f);    /* or NULL: whatever its end was, before that is written */
	bool unawaited;                   /* the run does not wait for its end, which comes with the run's own */
	bool receiver_sends;              /* what counts flows from the one that is connected to: responses */
};

/* What one end of a connection still has to do with a request and its response. */
struct side {
	uint64_t to_send, to_read;
	int lowat;
	bool blocked; /* there was no room for all */
};

struct asking {
	struct request_op op;
	struct request_out out; /* the latest request */
	bool asked;             /* and it is not answered */
	struct side client, server;
	uint64_t random;
};

struct flow {
	struct watch sender, receiver, listener; /* see FLOW_OF */
	const struct tcp_use *use;
	struct flow_op op;
	struct flow_out out;
	uint32_t program;
	int64_t stop_ns; /* -1: all has been read, ... */
	int64_t read_ns; /* ... at this instant */
	bool over;
	uint64_t done; /* bytes since it was last asked for a rest, ... */
	int64_t since_ns; /* ... at this instant */
	struct flow *next;
	/* The receiving application of a bulk transfer: */
	uint32_t reads;
	int lowat;
	int64_t reads_from_ns; /* it is away until then */
	bool working;          /* it does not read now */
	struct asking asking;   /* of request.c */
	struct tunnel *tunnel;    /* of tunnel.c */
};

#define FLOW_OF(w, member) ((struct flow *)((uint8_t *)(w) - offsetof(struct flow, member)))

static inline bool all_arrived(const struct flow *f)
{
	return f->op.size && f->out.received >= f->op.size;
}

/* tcp_flow.c */
extern uint8_t tcp_flow_data[CHUNK]; /* what is sent: zeros; and where MSG_TRUNC does not write */
struct flow *tcp_flow_open(uint32_t record, unsigned src_ns, const struct flow_op *op, const struct tcp_use *use);
bool tcp_flow_connect(struct flow *f);         /* false: it could not, and is over */
bool tcp_flow_connected(struct flow *f, uint32_t events); /* false: it came to grief, and is over */
void tcp_flow_all_read(struct flow *f);        /* the last byte of a flow by size: ends when it is acknowledged */
void tcp_flow_end(struct flow *f, int error, int64_t now_ns);
int64_t tcp_flow_rest(struct flow *f, uint64_t bytes); /* it has sent these: until when it rests; 0: it may go on */

/* tcp_receive.c */
void tcp_receiver_ready(struct watch *w, uint32_t events);
void tcp_receiver_accepted(struct flow *f);
void tcp_receiver_cut(struct flow *f);
#endif
