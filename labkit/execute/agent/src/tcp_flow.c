/* A TCP flow without what is done with it: its two ends, which are both in this process, from their sockets to
 * what is measured at the end. What sends and receives is a struct tcp_use: tcp.c and tcp_receive.c. SPDX: MIT */
#include "tcp_flow.h"
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <sys/ioctl.h>

enum { TAIL_NS = 10000000, TAIL_PART = 64, BACKLOG = 8 };
enum { AT_ONCE = 16 << 20, INSTANT_NS = 100000, REST_NS = 4000000 };

static struct flow *flows, **last_flow = &flows;
uint8_t tcp_flow_data[CHUNK];

/* Whose data counts: of a bulk transfer who connects, of requests who answers. */
static struct watch *source(struct flow *f)
{
	return f->use->receiver_sends ? &f->receiver : &f->sender;
}

static struct watch *sink(struct flow *f)
{
	return f->use->receiver_sends ? &f->sender : &f->receiver;
}

static void put_info(const struct flow *f, int fd, uint32_t side, int64_t at_ns)
{
	struct info_out head = {f->op.id, side};
	uint8_t info[512];
	socklen_t size = sizeof info;

	if (fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0)
		raw_put(R_TCP_INFO, LAB_NO_NS, at_ns, &head, sizeof head, info, size);
}

void tcp_flow_end(struct flow *f, int error, int64_t now_ns)
{
	struct linger reset = {1, 0};

	if (f->over)
		return;
	f->over = true;
	clock_cancel(f);
	f->out.error = error;
	f->out.end_ns = state_since_epoch(now_ns);
	if (f->use->ended)
		f->use->ended(f);
	put_info(f, source(f)->fd, 0, f->out.end_ns);
	put_info(f, sink(f)->fd, 1, f->out.end_ns);
	if (f->op.duration_ns && !all_arrived(f) && source(f)->fd >= 0) /* what is still queued is not sent after the end */
		setsockopt(source(f)->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	raw_put(R_FLOW, LAB_NO_NS, f->out.end_ns, &f->out, sizeof f->out, NULL, 0);
	watch_close(&f->sender);
	watch_close(&f->receiver);
	watch_close(&f->listener);
	state_done(f->program);
}

/* Closes only when the last byte has been acknowledged: tcp_probe fires while established. It looks every TAIL_NS, and
 * later than that by a part of what it has waited: where ACKs are lost it may wait for a quarter of an hour. */
static void tail(void *arg, int64_t at_ns)
{
	struct flow *f = arg;
	int64_t waited = at_ns - f->read_ns;
	int unacked = 0;

	if (ioctl(source(f)->fd, SIOCOUTQ, &unacked) == 0 && unacked > 0)
		clock_at(at_ns + (waited > TAIL_PART * (int64_t)TAIL_NS ? waited / TAIL_PART : TAIL_NS), tail, f);
	else
		tcp_flow_end(f, 0, at_ns);
}

void tcp_flow_all_read(struct flow *f)
{
	if (f->stop_ns == 0) {
		f->stop_ns = -1;
		f->read_ns = clock_now();
		tail(f, f->read_ns);
	}
}

/* In virtual time what a flow does takes none. On links without a rate and a delay one that never ends would do it
 * for ever at one instant: so after AT_ONCE bytes within INSTANT_NS, faster than any link of the lab, it rests. */
int64_t tcp_flow_rest(struct flow *f, uint64_t bytes)
{
	int64_t now, before = f->since_ns;

	f->done += bytes;
	if (f->done < AT_ONCE || !place.virtual_time)
		return 0;
	f->done = 0;
	f->since_ns = now = clock_now();
	if (now - before > INSTANT_NS)
		return 0;
	return f->since_ns = now + REST_NS;
}

bool tcp_flow_connect(struct flow *f)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = f->op.daddr, .sin_port = htons(f->op.dport)};

	if (connect(f->sender.fd, (void *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
		tcp_flow_end(f, errno, clock_current());
		return false;
	}
	watch_add(&f->sender, EPOLLOUT);
	return true;
}

bool tcp_flow_connected(struct flow *f, uint32_t events)
{
	int error = 0;
	socklen_t size = sizeof error;

	if (f->out.established_ns >= 0 && !(events & (EPOLLERR | EPOLLHUP)))
		return true;
	getsockopt(f->sender.fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error || (events & EPOLLHUP)) {
		tcp_flow_end(f, error ? error : EPIPE, clock_now());
		return false;
	}
	f->out.established_ns = state_since_epoch(clock_now());
	return true;
}

static void accepted(struct flow *f, int fd)
{
	f->receiver.fd = fd;
	watch_add(&f->receiver, EPOLLIN);
	f->use->accepted(f);
}

static void listener_ready(struct watch *w, uint32_t events)
{
	struct flow *f = FLOW_OF(w, listener);
	(void)events;

	int fd = accept4(w->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	watch_close(w); /* one connection a flow */
	accepted(f, fd);
}

static int endpoint(const struct flow *f, unsigned ns, uint32_t addr, uint16_t port, bool sends)
{
	uint32_t buffer = sends ? f->op.sndbuf : f->op.rcvbuf;
	int buffer_option = sends ? SO_SNDBUF : SO_RCVBUF;
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = addr, .sin_port = htons(port)};
	int on = 1, mss = (int)f->op.mss, room = (int)(buffer / 2); /* the kernel doubles it */
	int fd = netns_socket(ns, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	/* On the listener already: the kernel begins to stamp a little after it is asked to. */
	if (buffer_option == SO_RCVBUF)
		setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	if ((buffer && setsockopt(fd, SOL_SOCKET, buffer_option, &room, sizeof room) < 0) ||
	    (mss && setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss) < 0) ||
	    bind(fd, (void *)&own, sizeof own) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool set_cc(int fd, const char *name)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
}

/* Its sockets are open and it listens, unless a server does that for it; NULL where that has failed. */
struct flow *tcp_flow_open(uint32_t record, unsigned src_ns, const struct flow_op *op, const struct tcp_use *use)
{
	struct flow *f = calloc(1, sizeof *f);
	bool served = op->flags & FLOW_SERVED;
	int on = 1;

	if (!f)
		abort();
	f->use = use;
	f->op = *op;
	f->program = use->unawaited ? 0 : state_begun(); /* programs count from 1 */
	f->out = (struct flow_out){.id = op->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	f->listener = (struct watch){served ? -1 : endpoint(f, op->dst_ns, op->daddr, op->dport, use->receiver_sends),
				     listener_ready};
	f->sender = (struct watch){endpoint(f, src_ns, op->saddr, op->sport, !use->receiver_sends), use->sender_ready};
	f->receiver = (struct watch){-1, use->receiver_ready};
	*last_flow = f;
	last_flow = &f->next;
	if (f->sender.fd < 0 || (!served && (f->listener.fd < 0 || listen(f->listener.fd, BACKLOG) < 0))) {
		state_fail(record, 0, errno, "flow %u: cannot open its sockets", op->id);
		return NULL;
	}
	if (op->cc[0] && (!set_cc(f->sender.fd, op->cc) || (!served && !set_cc(f->listener.fd, op->cc)))) {
		state_fail(record, 0, errno, "flow %u: the kernel has no congestion control %s", op->id, op->cc);
		return NULL;
	}
	if (op->flags & FLOW_NODELAY)
		setsockopt(f->sender.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (!served)
		watch_add(&f->listener, EPOLLIN);
	return f;
}

/* A server has accepted a connection: is it one of a flow's? */
bool tcp_flow_serve(unsigned ns, const struct sockaddr_in *from, int fd)
{
	for (struct flow *f = flows; f; f = f->next) {
		const struct flow_op *op = &f->op;
		if (f->over || f->receiver.fd >= 0 || !(op->flags & FLOW_SERVED) || op->dst_ns != ns ||
		    op->saddr != from->sin_addr.s_addr || op->sport != ntohs(from->sin_port))
			continue;
		if (op->cc[0])
			set_cc(fd, op->cc);
		accepted(f, fd);
		return true;
	}
	return false;
}

/* The sender's TCP_INFO of every flow that has a connection. */
void tcp_flow_sample_all(int64_t at_ns)
{
	for (struct flow *f = flows; f; f = f->next)
		if (!f->over && f->out.established_ns >= 0)
			put_info(f, source(f)->fd, 0, at_ns);
}

static void put_cc(struct flow *f, int64_t at_ns)
{
	struct info_out head = {f->op.id, 0};
	struct {
		char cc[CC_NAME];
		uint32_t info[16];
	} body = {0};
	socklen_t name = sizeof body.cc, size = sizeof body.info;
	int fd = source(f)->fd;

	if (fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, body.cc, &name) == 0 &&
	    getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, body.info, &size) == 0)
		raw_put(R_CC_INFO, LAB_NO_NS, at_ns, &head, sizeof head, &body, sizeof body.cc + size);
}

/* What the sender's congestion control says of itself, of every flow that has a connection; those that say nothing
 * give a record with the name alone. */
void tcp_flow_sample_cc(int64_t at_ns)
{
	for (struct flow *f = flows; f; f = f->next)
		if (!f->over && f->out.established_ns >= 0)
			put_cc(f, at_ns);
}

/* Flows that the end of the run cuts keep what was measured: error ETIME. */
void tcp_flow_end_all(void)
{
	for (struct flow *f = flows, *next; f; f = next) {
		next = f->next;
		if (!f->over) {
			f->use->cut(f);
			tcp_flow_end(f, f->use->unawaited ? 0 : ETIME, state_end_ns());
		}
		free(f->tunnel);
		free(f);
	}
	flows = NULL;
	last_flow = &flows;
}
