/* The bytes that go in: a lab program; those that come out are in raw_format.h.
 * FORMAT.md describes them in prose; nothing here does anything. SPDX: MIT */
#ifndef FORMAT_H
#define FORMAT_H
#include <stddef.h>
#include <stdint.h>

#define LAB_MAGIC 0x4250414cu /* "LAPB" */
#define LAB_VERSION 2
#define LAB_NS_FD 100 /* namespace i is file descriptor 100 + i in netlink messages */
#define LAB_AT_SETUP (-1)
#define LAB_NO_NS 0xffff

/* All integers little-endian. Program and raw file are sequences of these, 8-byte aligned. */
struct record {
	uint16_t type;
	uint16_t ns;   /* index of the namespace, or LAB_NO_NS */
	uint32_t size; /* of the whole record without padding, this header included */
	int64_t at_ns; /* since the epoch; LAB_AT_SETUP: before it */
};

struct header {
	uint32_t magic;
	uint16_t version;
	uint16_t flags;
	uint32_t records, reserved;
};
#define PROGRAM_MORE 1   /* after this program, wait at the gate for another */
#define PROGRAM_PACKET 2 /* it ends when P_LISTEN has taken a frame */

enum program_type {
	P_NETNS = 1,  /* name\0: make a namespace; ns must be the next index */
	P_NETLINK,    /* struct netlink_op, messages */
	P_SYSCTL,     /* path below /proc/sys \0 value \0 */
	P_SEED,       /* bytes for the kernel's random pool */
	P_MODULE,     /* file in the run folder \0 */
	P_OFFLOAD,    /* interface \0: segmentation and checksum offloads off */
	P_FLOW,       /* struct flow_op */
	P_TRACE,      /* struct trace_op, event (group/name) \0 filter \0 */
	P_SAMPLE,     /* struct sample_op; if kind is SAMPLE_NETLINK: interface indices, netlink request */
	P_COUNTERS,   /* netlink dump requests: taken in every namespace before and after */
	P_EXEC,       /* struct exec_op, shell command \0 */
	P_HOSTS,      /* text of /etc/hosts for programs */
	P_END,        /* struct end_op: must be the last record */
	P_CAPTURE,    /* struct capture_op: keep the frames of an interface */
	P_DROPS,      /* struct drops_op: keep every packet that the kernel frees as lost; before the first P_NETNS */
	P_LISTEN,     /* struct capture_op: as P_CAPTURE, but each frame at once; see PROGRAM_PACKET */
	P_SEND,       /* struct send_op, frame: send it into an interface */
	P_SERVER,     /* struct server_op: listen for flows with FLOW_SERVED; accept from at_ns on */
	P_REQUEST,    /* struct request_op */
	P_LIMITS,     /* struct limits_op; without it the defaults hold */
	P_SHOW,       /* name in the folder \0 path \0: programs see that file or folder there, read-only */
	P_CHAIN,      /* struct chain_op, two netlink messages: send them in turn, from at_ns on */
	P_BACKGROUND, /* struct background_op, struct transfer_op each */
	P_TRAIN,      /* struct train_op, u64 each if they are listed */
	P_EXCHANGES,  /* struct exchanges_op, struct exchange_op each, u32 of each follower */
	P_STREAM,     /* struct stream_op, u64 of each rate */
	P_TUN = 28,   /* struct tun_op, name \0: make a TUN device */
	P_TUNNEL,     /* struct tunnel_op */
	P_PARAMETER,  /* path below /sys/module \0 value \0 */
};

struct netlink_op {
	uint32_t protocol; /* NETLINK_ROUTE, NETLINK_NETFILTER, ... */
	uint32_t flags;    /* NETLINK_BATCH: one sendmsg as a whole (nfnetlink) */
};
#define NETLINK_BATCH 1

#define CC_NAME 16 /* TCP_CA_NAME_MAX of the kernel */
struct flow_op {
	uint32_t id;
	uint16_t dst_ns;
	uint8_t protocol; /* IPPROTO_TCP or IPPROTO_UDP */
	uint8_t flags;
	uint32_t saddr, daddr; /* network order */
	uint16_t sport, dport; /* host order */
	uint32_t mss;
	uint64_t size;        /* bytes to send; 0: until duration_ns */
	uint64_t duration_ns; /* 0: until size */
	uint32_t sndbuf, rcvbuf;
	union {
		uint32_t read_bytes; /* TCP: the receiving application reads when this much is there */
		uint32_t linger_ms;  /* UDP: the receiver waits for datagrams until there was none for so long */
	};
	uint32_t packet;      /* UDP payload */
	uint64_t interval_ns; /* UDP: mean time between packets */
	uint64_t seed;        /* UDP: of the Poisson gaps */
	char cc[CC_NAME];
	uint64_t read_after_ns; /* the receiving application reads nothing until so long after the start */
	uint64_t read_rate;     /* bit/s at which it reads; 0: whatever comes */
};
#define FLOW_NODELAY 1
#define FLOW_POISSON 2
#define FLOW_SERVED 4 /* TCP: no listener of its own, a P_SERVER has that port */

/* Requests and responses over one connection from src to dst. Of the flow: `size` is that of all responses (0:
 * until duration_ns), FLOW_POISSON makes think times exponential, sndbuf is the server's and rcvbuf the client's. */
struct request_op {
	struct flow_op flow;
	uint64_t request, response; /* bytes of each */
	uint64_t count;             /* of requests; 0: until duration_ns */
	uint64_t service_ns;        /* from the last byte of a request to the first of its response */
	uint64_t think_ns;          /* from the last byte of a response to the next request: the mean */
};

/* Many transfers, each over a connection of its own from any port to dport. Of the flow: `size` is that of all. */
struct background_op {
	struct flow_op flow;
	uint64_t count; /* of transfers: so many struct transfer_op follow, in order of time */
};
struct transfer_op {
	uint64_t after_ns; /* after the background's start */
	uint64_t size;
};

/* What TLS, say, exchanges on a connection before its first request. */
#define MOST_HANDSHAKES 4
struct handshake_op {
	uint32_t request, response; /* bytes */
};
/* Exchanges over a pool of connections from any ports to dport. Of the flow: `size` is that of all requests and
 * responses, sndbuf is the server's and rcvbuf the client's. */
struct pool_op {
	struct flow_op flow;
	uint32_t connections; /* at most so many */
	uint32_t frame;       /* 0: one exchange at a time on each; else any number: responses take turns after so many bytes */
	uint32_t handshakes;  /* so many exchanges before a connection's first one */
	uint32_t reserved;
	struct handshake_op handshake[MOST_HANDSHAKES];
};
struct exchanges_op {
	struct pool_op pool;
	uint64_t count, followers; /* so many struct exchange_op follow, then so many u32 */
};
struct exchange_op {
	uint64_t after_ns; /* the start, if it waits for none; else when the last of these was done */
	uint64_t request, response; /* bytes; response 0: there is none */
	uint64_t service_ns;        /* from the last byte of a request to the first of its response */
	uint64_t waits;             /* for so many others: those that have it among their followers */
	uint32_t first_follower, followers; /* in the list: indices of those that wait for this one */
};

/* A video in segments, each of which is an exchange; which rate the next one has is the client's choice. */
struct stream_op {
	struct pool_op pool; /* of one connection */
	uint64_t segments, segment_ns;
	uint64_t buffer_ns, begin_ns; /* it holds so much at most; plays when it holds so much */
	uint64_t request, service_ns;
	uint32_t rule;
	uint32_t rates; /* so many u64 follow: bytes of a segment at each rate, ascending */
};
#define RULE_THROUGHPUT 0 /* the highest rate below 4/5 of the harmonic mean of the last three segments' */
#define RULE_BUFFER 1     /* by how much the buffer holds: BBA-0 of Huang and others, SIGCOMM 2014 */

/* Trains of packets, back to back. Of the flow: protocol IPPROTO_UDP (one way) or IPPROTO_ICMP (echoed), `packet`
 * bytes of payload each, `interval_ns` from train to train (unless listed), `linger_ms` to wait for the last one. */
struct train_op {
	struct flow_op flow;
	uint64_t trains;
	uint32_t packets; /* in each */
	uint32_t listed;  /* 1: `trains` u64 follow: when each is sent, in ns after the first's instant, ascending */
};

struct tun_op {
	uint32_t interface; /* its index is to be this one */
	uint32_t reserved;
};

/* Packets from a TUN device of src to one of dst and back, over a TCP connection or as datagrams of UDP. Of the flow:
 * sndbuf and rcvbuf are those of both ends; it goes on to the end of the run, which does not wait for it. */
struct tunnel_op {
	struct flow_op flow;
	uint32_t src, dst; /* indices of the devices */
};

struct server_op {
	uint16_t port; /* host order */
	uint16_t backlog;
	uint32_t reserved;
};

struct trace_op {
	uint32_t buffer_kb;
	uint32_t reserved;
};

struct sample_op {
	uint32_t kind;
	uint32_t devices; /* SAMPLE_NETLINK: keep of these only; their indices (u32, ascending) come before the request */
	uint64_t interval_ns;
};
#define SAMPLE_TCP_INFO 1
#define SAMPLE_NETLINK 2
#define SAMPLE_CC_INFO 3

struct exec_op {
	uint32_t id;
	uint32_t flags;
};
#define EXEC_TERMINAL 1 /* keep the agent's own stdin, stdout, stderr */
#define EXEC_DETACHED 2 /* the run does not wait for it */
#define EXEC_PRIVILEGED 4 /* root of the kernel, not only of its network */

struct capture_op {
	uint32_t interface; /* index */
	uint32_t snap;      /* bytes to keep of each frame */
	uint32_t ring_kb;   /* room for what comes before the agent can read */
	uint32_t reserved;
};

struct drops_op {
	uint32_t snap;
	uint32_t reserved;
};

struct send_op {
	uint32_t interface;
	uint32_t reserved;
};

struct chain_op { /* the messages: of the good state, of the bad one, of one length */
	uint64_t seed, draws; /* of the periods; of the 8 bytes that are drawn into each message, at draw_at */
	uint64_t mean_ns[2];  /* of a period in the good state, in the bad one; 0, 0 and no messages: it ends */
	uint32_t interface, draw_at;
};

struct limits_op { /* bytes */
	uint64_t raw;     /* of the raw file */
	uint64_t output;  /* of each program's output and errors */
	uint64_t capture; /* of each interface's frames, and of the drop monitor's */
	uint64_t trace;   /* of all traces */
};
#define LIMIT_DEFAULT_RAW 4000000000u
#define LIMIT_DEFAULT_OUTPUT 100000000u
#define LIMIT_DEFAULT_CAPTURE 2000000000u
#define LIMIT_DEFAULT_TRACE 2000000000u

struct end_op {
	uint64_t duration_ns; /* 0: when all flows and programs have ended */
	uint64_t limit_ns;    /* virtual time after which the run is cut */
};

/* The same bytes from every compiler and on every machine: no struct has a gap, also where 64 bits are aligned to
 * 32. What is 64 bits wide stands at a multiple of 8, and so do the sizes. */
#define IS(name, size) _Static_assert(sizeof(struct name) == (size), "struct " #name)
#define AT(name, field, offset) _Static_assert(offsetof(struct name, field) == (offset), "struct " #name ": " #field)
IS(record, 16); IS(header, 16); IS(netlink_op, 8); IS(flow_op, 104);
IS(server_op, 8); IS(trace_op, 8); IS(sample_op, 16); IS(exec_op, 8);
IS(capture_op, 16); IS(drops_op, 8); IS(send_op, 8); IS(end_op, 16); IS(limits_op, 32);
IS(chain_op, 40); IS(background_op, 112); IS(transfer_op, 16); IS(train_op, 120);
IS(pool_op, 152); IS(exchanges_op, 168); IS(exchange_op, 48); IS(stream_op, 208);
IS(tun_op, 8); IS(tunnel_op, 112);
AT(record, at_ns, 8); AT(flow_op, size, 24); AT(flow_op, interval_ns, 56); AT(flow_op, read_after_ns, 88);
AT(sample_op, interval_ns, 8);
#endif
