/* One TCP flow as tcp.c (its sender, begin and end) and tcp_receive.c (its receiver) see it. SPDX: MIT */
#ifndef TCP_H
#define TCP_H
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { CHUNK = 1 << 20 };

struct flow {
	struct watch sender, receiver, listener; /* first: see FLOW_OF */
	struct flow_op op;
	struct flow_out out;
	uint32_t record, program;
	unsigned src_ns;
	uint32_t reads;
	int lowat;
	int64_t reads_from_ns; /* the receiving application is away until then */
	bool working;          /* it does not read now */
	int64_t stop_ns;       /* of a flow by duration */
	bool over;
	struct flow *next;
};

#define FLOW_OF(w, member) ((struct flow *)((uint8_t *)(w) - offsetof(struct flow, member)))

/* tcp.c */
extern uint8_t tcp_data[CHUNK]; /* what is sent: zeros; and where MSG_TRUNC does not write */
void tcp_flow_end(struct flow *f, int error, int64_t now_ns);
void tcp_all_read(struct flow *f); /* the last byte of a flow by size */

/* tcp_receive.c */
void tcp_listener_ready(struct watch *w, uint32_t events);
void tcp_receiver_ready(struct watch *w, uint32_t events);
void tcp_accepted(struct flow *f, int fd);
void tcp_read_rest(struct flow *f); /* at the end of a flow that is cut */
#endif
