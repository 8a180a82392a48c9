/* Active measurement: numbered packets in trains, back to back, one train each interval. Datagrams of UDP go one
 * way and carry their number; ICMP echo requests (a ping is a train of one) come back with it. Of each packet is kept
 * when it was sent and when it, or its answer, arrived. SPDX: MIT */
#include "agent.h"
#include <linux/icmp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum { LARGEST = 65507, MS = 1000000 };
static const uint64_t most = 2000000; /* packets of all trains of a record */

struct stream {
	struct watch arrivals; /* first: ready() is called with it */
	int sender;
	struct train_op op;
	struct flow_out out;
	uint64_t *due; /* [op.trains]: when each is sent, after start_ns; NULL: one each interval */
	int64_t start_ns;
	int64_t *sent; /* [op.trains]: when each train was sent, since the epoch */
	uint8_t *arrived; /* [op.trains * op.packets]: it has */
	uint64_t trains, answered; /* sent; packets that arrived, each once */
	uint32_t program;
	bool over;
	struct stream *next;
};

static struct stream *streams, **last = &streams;
static uint8_t data[LARGEST + sizeof(struct icmphdr)], into[LARGEST + 128];

static bool echoed(const struct stream *s)
{
	return s->op.flow.protocol == IPPROTO_ICMP;
}

static void put(const struct stream *s, uint64_t number, int64_t at_ns, int64_t received_ns)
{
	uint64_t train = number / s->op.packets;
	struct train_out out = {s->op.flow.id, (uint32_t)(number % s->op.packets), train, s->sent[train], received_ns};

	raw_put(R_TRAIN, LAB_NO_NS, at_ns, &out, sizeof out, NULL, 0);
}

static void stream_end(struct stream *s, int error, int64_t now_ns)
{
	if (s->over)
		return;
	s->over = true;
	clock_cancel(s);
	s->out.error = error;
	s->out.end_ns = state_since_epoch(now_ns);
	for (uint64_t i = 0; i < s->trains * s->op.packets; i++)
		if (!s->arrived[i])
			put(s, i, s->out.end_ns, -1);
	raw_put(R_FLOW, LAB_NO_NS, s->out.end_ns, &s->out, sizeof s->out, NULL, 0);
	watch_close(&s->arrivals);
	if (s->sender >= 0 && !echoed(s)) /* echoes come back where they were sent */
		close(s->sender);
	state_done(s->program);
}

/* Which packet the n bytes at `into` are; of none that was sent: as many as there are. */
static uint64_t number_of(const struct stream *s, ssize_t n)
{
	uint64_t number = UINT64_MAX, sent = s->trains * s->op.packets;

	if (echoed(s)) { /* behind the IP header; 16 bits of its number: the latest that has these */
		const struct icmphdr *icmp = (const void *)(into + 4 * (into[0] & 15));
		if (n < (into[0] & 15) * 4 + (ssize_t)sizeof *icmp || icmp->type != ICMP_ECHOREPLY || !sent ||
		    icmp->un.echo.id != htons((uint16_t)(s->op.flow.id + 1)))
			return sent;
		uint64_t back = (sent - 1 - ntohs(icmp->un.echo.sequence)) & 0xffff;
		number = back < sent ? sent - 1 - back : sent;
	} else if (n >= (ssize_t)sizeof number) {
		memcpy(&number, into, sizeof number);
	}
	return number < sent ? number : sent;
}

static void arrivals_ready(struct watch *w, uint32_t events)
{
	struct stream *s = (struct stream *)w;
	char control[64];
	ssize_t n;
	(void)events;

	for (;;) {
		struct iovec room = {into, sizeof into};
		struct msghdr m = {.msg_iov = &room, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
		if ((n = recvmsg(w->fd, &m, MSG_DONTWAIT)) < 0)
			break;
		uint64_t number = number_of(s, n);
		int64_t at_ns = state_message_time(&m);
		if (number == s->trains * s->op.packets || s->arrived[number]) /* a stranger's, or a copy */
			continue;
		s->arrived[number] = 1;
		s->answered++;
		if (s->out.received_packets++ == 0)
			s->out.first_ns = at_ns;
		s->out.last_ns = at_ns;
		s->out.received += s->op.flow.packet;
		put(s, number, state_since_epoch(clock_now()), at_ns);
	}
	if (s->answered == s->op.trains * s->op.packets)
		stream_end(s, 0, clock_now());
}

static uint16_t checksum(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static bool send_packet(struct stream *s, uint64_t number)
{
	size_t size = s->op.flow.packet;

	if (echoed(s)) {
		struct icmphdr icmp = {.type = ICMP_ECHO, .un.echo = {htons((uint16_t)(s->op.flow.id + 1)), htons((uint16_t)number)}};
		icmp.checksum = checksum((const void *)&icmp, sizeof icmp); /* what follows it are zeros */
		memset(data, 0, sizeof icmp + size);
		memcpy(data, &icmp, sizeof icmp);
		size += sizeof icmp;
	} else {
		memcpy(data, &number, sizeof number);
	}
	/* What the sender's own queue has no room for is lost there, as on any other link. */
	return send(s->sender, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size || errno == EAGAIN ||
	       errno == ENOBUFS || errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == EMSGSIZE;
}

static void give_up(void *arg, int64_t at_ns)
{
	stream_end(arg, 0, at_ns);
}

static void send_train(void *arg, int64_t at_ns)
{
	struct stream *s = arg;
	uint64_t first = s->trains * s->op.packets;

	s->sent[s->trains++] = state_since_epoch(at_ns);
	if (s->trains == s->op.trains)
		clock_at(at_ns + (int64_t)s->op.flow.linger_ms * MS, give_up, s);
	else
		clock_at(s->due ? s->start_ns + (int64_t)s->due[s->trains] : at_ns + (int64_t)s->op.flow.interval_ns, send_train, s);
	for (uint32_t k = 0; k < s->op.packets; k++) {
		if (!send_packet(s, first + k)) {
			stream_end(s, errno, at_ns);
			return;
		}
		s->out.sent_packets++;
		s->out.sent += s->op.flow.packet;
	}
}

static void start(void *arg, int64_t at_ns)
{
	struct stream *s = arg;

	s->out.established_ns = state_since_epoch(at_ns);
	s->start_ns = at_ns;
	if (s->due && s->due[0])
		clock_at(at_ns + (int64_t)s->due[0], send_train, s);
	else
		send_train(s, at_ns);
}

static const char *due_check(const struct train_op *op, size_t size)
{
	const uint64_t *due = (const void *)(op + 1);
	uint64_t before = 0;

	if (op->listed > 1 || size - sizeof *op != (op->listed ? op->trains * sizeof *due : 0))
		return "trains with another number of instants than they say";
	for (uint64_t i = 0; op->listed && i < op->trains; before = due[i++])
		if (due[i] < before || due[i] > LONGEST_NS)
			return "train out of order";
	return NULL;
}

const char *train_check(const struct record *r, unsigned netns)
{
	const struct train_op *op = (const void *)payload(r);
	const struct flow_op *flow = &op->flow;

	if (flow->dst_ns >= netns)
		return "train in an unknown namespace";
	if (flow->protocol != IPPROTO_UDP && flow->protocol != IPPROTO_ICMP)
		return "train of an unknown protocol";
	if (!op->trains || op->trains > most || !op->packets || op->trains * op->packets > most)
		return "number of packets out of range";
	if (flow->packet > LARGEST || (flow->protocol == IPPROTO_UDP && flow->packet < sizeof(uint64_t)))
		return "size out of range";
	if (!flow->interval_ns || flow->interval_ns > LONGEST_NS)
		return "time out of range";
	return due_check(op, payload_size(r));
}

static int endpoint(unsigned ns, const struct flow_op *op, bool sends)
{
	bool echo = op->protocol == IPPROTO_ICMP;
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = sends ? op->saddr : op->daddr,
				  .sin_port = htons(echo ? 0 : sends ? op->sport : op->dport)};
	int fd = netns_socket(ns, AF_INET, (echo ? SOCK_RAW : SOCK_DGRAM) | SOCK_NONBLOCK, echo ? IPPROTO_ICMP : 0);

	if (fd >= 0 && bind(fd, (void *)&own, sizeof own) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void train_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct train_op *op = (const void *)payload(r);
	const struct flow_op *flow = &op->flow;
	struct stream *s = calloc(1, sizeof *s);
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = flow->daddr, .sin_port = htons(flow->dport)};
	struct icmp_filter only = {~(1u << ICMP_ECHOREPLY)};
	int on = 1;

	if (!s || !(s->sent = calloc(op->trains, sizeof *s->sent)) || !(s->arrived = calloc(op->trains, op->packets)))
		abort();
	if (op->listed) {
		if (!(s->due = malloc(op->trains * sizeof *s->due)))
			abort();
		memcpy(s->due, op + 1, op->trains * sizeof *s->due); /* they may go on when their program has ended */
	}
	s->op = *op;
	s->program = state_begun();
	s->out = (struct flow_out){.id = flow->id, .established_ns = -1, .first_ns = -1, .last_ns = -1, .end_ns = -1};
	s->sender = endpoint(r->ns, flow, true);
	s->arrivals = (struct watch){echoed(s) ? s->sender : endpoint(flow->dst_ns, flow, false), arrivals_ready};
	*last = s;
	last = &s->next;
	if (s->sender < 0 || s->arrivals.fd < 0 || connect(s->sender, (void *)&to, sizeof to) < 0) {
		state_fail(i, 0, errno, "train %u: cannot open its sockets", flow->id);
		return;
	}
	if (echoed(s))
		setsockopt(s->sender, SOL_RAW, ICMP_FILTER, &only, sizeof only);
	setsockopt(s->arrivals.fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
	watch_add(&s->arrivals, EPOLLIN);
	clock_at(at_ns, start, s);
}

void train_end_all(void)
{
	for (struct stream *s = streams, *next; s; s = next) {
		next = s->next;
		stream_end(s, ETIME, state_end_ns());
		free(s->due);
		free(s->sent);
		free(s->arrived);
		free(s);
	}
	streams = NULL;
	last = &streams;
}
