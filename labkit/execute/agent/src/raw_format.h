/* The bytes that come out: raw records. IS and AT hold their layout, as in format.h.
 * FORMAT.md describes them in prose; nothing here does anything. SPDX: MIT */
#ifndef RAW_FORMAT_H
#define RAW_FORMAT_H
#include "format.h"

enum raw_type {
	R_ERROR = 64, /* struct error_out, text\0 */
	R_EPOCH,      /* struct epoch_out */
	R_FLOW,       /* struct flow_out: a flow has ended */
	R_TCP_INFO,   /* struct info_out, struct tcp_info as the kernel gave it */
	R_NETLINK,    /* struct dump_out, netlink messages */
	R_FILE,       /* struct dump_out, path \0 contents */
	R_TRACE,      /* one ring-buffer page, as trace_pipe_raw gave it */
	R_EXEC_OUT,   /* struct exec_out, bytes */
	R_EXEC_END,   /* struct exec_out: stream holds the wait status */
	R_END,        /* struct end_out: always the last record of a program */
	R_PACKETS,    /* struct packets_out, struct packet_out each, frames each padded to 4 bytes */
	R_DROP,       /* a message of the drop monitor, the kernel's addresses zeroed */
	R_CAPTURED,   /* struct captured_out: at the end of a program */
	R_EVENTS,     /* struct event_out, the event padded to 8 bytes; and so on */
	R_REQUEST,    /* struct request_out: a response is there, or its flow has ended */
	R_LIMIT,      /* struct limit_out: no more of this is kept, and the program ends */
	R_STATE,      /* struct state_out: a chain begins, changes its state or ends */
	R_CC_INFO,    /* struct info_out, the name of its congestion control (CC_NAME bytes), what that says of itself */
	R_TRANSFER,   /* struct transfer_out: a transfer of a background has ended */
	R_TRAIN,      /* struct train_out: a packet of a train, or its echo, is there; or it never came */
	R_EXCHANGE,   /* struct exchange_out: an exchange is done, or its pool has ended */
	R_SEGMENT,    /* struct segment_out: a segment of a video is there */
};

struct error_out {
	uint32_t record;  /* index in the program */
	uint32_t message; /* index of the netlink message within it */
	int32_t error;    /* errno */
	uint32_t reserved;
};

struct epoch_out {
	int64_t monotonic_ns; /* CLOCK_MONOTONIC at the epoch */
	int64_t real_ns;      /* CLOCK_REALTIME at the epoch */
};

struct flow_out {
	uint32_t id;
	int32_t error; /* errno of connect, send or receive; 0 */
	uint64_t sent, received;       /* bytes of payload */
	uint64_t sent_packets, received_packets; /* UDP */
	int64_t established_ns, first_ns, last_ns; /* since the epoch; -1: never */
	int64_t end_ns;
};

struct request_out {
	uint32_t flow, reserved;
	uint64_t number;   /* counts from 1 */
	uint64_t think_ns; /* before it */
	int64_t sent_ns, first_ns, done_ns; /* since the epoch; -1: never */
};

struct transfer_out {
	uint32_t flow;
	int32_t error; /* as of a flow */
	uint64_t number; /* counts from 1 */
	uint64_t size, received; /* bytes of payload */
	int64_t start_ns, established_ns, first_ns, done_ns; /* since the epoch; -1: never */
};

struct train_out {
	uint32_t flow, packet; /* packet: of its train, counts from 0 */
	uint64_t train;        /* counts from 0 */
	int64_t sent_ns, received_ns; /* since the epoch; -1: never */
};

struct info_out {
	uint32_t flow, side; /* 0 sender, 1 receiver */
};

#define PHASE_BEFORE 0
#define PHASE_AFTER 1
#define PHASE_SAMPLE 2
struct dump_out {
	uint32_t phase, record;
};

struct exec_out {
	uint32_t id;
	int32_t stream;
};

struct exchange_out {
	uint32_t flow;
	uint32_t connection; /* from 1; 0: it never had one */
	uint64_t number;     /* from 1, as in the program */
	int64_t ready_ns, sent_ns, asked_ns, first_ns, done_ns; /* since the epoch; -1: never */
};

struct segment_out {
	uint32_t flow;
	uint32_t rate;   /* which one, from 0 */
	uint64_t number; /* from 1 */
	int64_t sent_ns, first_ns, done_ns; /* since the epoch; -1: never */
	uint64_t buffered_ns;               /* so much there was when it was asked for */
	uint64_t stalled_ns;                /* playback stood still so long until this one; its beginning is none */
};

struct packets_out {
	uint32_t interface;
	uint32_t count;
};

struct packet_out {
	int64_t at_ns;
	uint32_t captured, length; /* bytes that follow; bytes on the wire */
	uint32_t outgoing;         /* 1: the interface's own host sent it */
	uint32_t reserved;
};

struct event_out {
	int64_t at_ns; /* CLOCK_MONOTONIC */
	uint32_t size;
	uint32_t reserved;
};

struct captured_out {
	uint32_t interface; /* 0: the drop monitor */
	uint32_t reserved;
	uint64_t seen, lost; /* since this was last said */
};

struct limit_out {
	uint32_t what;
	uint32_t id; /* LIMIT_OUTPUT: of the program; LIMIT_CAPTURE: index of the interface, 0: the drop monitor */
	uint64_t limit; /* bytes */
};
#define LIMIT_RAW 0
#define LIMIT_OUTPUT 1
#define LIMIT_CAPTURE 2
#define LIMIT_TRACE 3

struct state_out {
	uint32_t interface, state;
};
#define STATE_GOOD 0
#define STATE_BAD 1
#define STATE_ENDED 2

struct end_out {
	uint32_t reason;
	uint32_t reserved;
	uint64_t lost_trace_events;
};
#define END_COMPLETE 0
#define END_DURATION 1
#define END_LIMIT 2
#define END_STOPPED 3
#define END_ERROR 4
#define END_PACKET 5
#define END_SIZE 6 /* an R_LIMIT says which */

IS(state_out, 8); IS(error_out, 16); IS(epoch_out, 16); IS(flow_out, 72); IS(info_out, 8);
IS(dump_out, 8); IS(exec_out, 8); IS(packets_out, 8); IS(packet_out, 24);
IS(event_out, 16); IS(captured_out, 24); IS(end_out, 16); IS(limit_out, 16);
IS(transfer_out, 64); IS(train_out, 32); IS(exchange_out, 56); IS(segment_out, 56);
AT(flow_out, sent, 8); AT(flow_out, end_ns, 64); AT(packet_out, captured, 8);
AT(captured_out, seen, 8); AT(end_out, lost_trace_events, 8); AT(transfer_out, start_ns, 32);
#endif
