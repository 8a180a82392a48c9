/* Two-state Markov chains in continuous time: a device is told of a good and of a bad state in turn, each for an
 * exponentially distributed time, whether or not a packet comes. SPDX: MIT
 * What a device is told of either state is its own affair; a chain knows the two messages and when to send which. */
#include "agent.h"
#include <linux/netlink.h>

enum { LEAST_MEAN_NS = 1000, DRAW = sizeof(uint64_t) };

struct chain {
	unsigned ns;
	uint32_t record; /* that set it last, for errors */
	struct chain_op op;
	uint64_t times, draws; /* states of its two streams: the second one cannot move the periods */
	uint32_t state;
	uint8_t *message[2]; /* one piece of memory, which is the first's */
	size_t size;         /* of each */
	struct chain *next;
};

static struct chain *chains;
static int refused; /* the errno of the kernel's last answer */

static bool ends(const struct chain_op *op)
{
	return !op->mean_ns[0] && !op->mean_ns[1];
}

static bool is_one_message(const uint8_t *p, size_t size)
{
	const struct nlmsghdr *m = (const void *)p;

	return size >= NLMSG_HDRLEN + DRAW && netlink_tiles(p, size) && NLMSG_ALIGN((size_t)m->nlmsg_len) == size;
}

const char *chain_check(const struct record *r, unsigned netns)
{
	const struct chain_op *op = (const void *)payload(r);
	const uint8_t *messages = (const uint8_t *)(op + 1);
	size_t left = payload_size(r) - sizeof *op, size = left / 2;
	(void)netns;

	if (r->at_ns < 0)
		return "a chain begins at an instant";
	if (ends(op))
		return left ? "messages of a chain that ends" : NULL;
	for (int i = 0; i < 2; i++) {
		if (op->mean_ns[i] < LEAST_MEAN_NS)
			return "mean period below 1 us";
		if (op->mean_ns[i] > LONGEST_NS)
			return "time out of range";
	}
	if (left % 2 || !is_one_message(messages, size) || !is_one_message(messages + size, size))
		return "not two netlink messages of one length";
	return op->draw_at < NLMSG_HDRLEN || op->draw_at > size - DRAW ? "draws outside of its messages" : NULL;
}

static struct chain *find(unsigned ns, uint32_t interface)
{
	struct chain *c = chains;

	while (c && (c->ns != ns || c->op.interface != interface))
		c = c->next;
	return c;
}

static void hear(unsigned ns, const struct nlmsghdr *m)
{
	(void)ns;

	if (m->nlmsg_type == NLMSG_ERROR)
		refused = -((const struct nlmsgerr *)NLMSG_DATA(m))->error;
}

/* The device is told of the state it is in. */
static void tell(struct chain *c)
{
	uint64_t draw = random_bits(&c->draws);

	memcpy(c->message[c->state] + c->op.draw_at, &draw, DRAW);
	refused = 0;
	if (netlink_ask(c->record, c->ns, c->message[c->state], c->size, hear) && refused)
		state_fail(c->record, c->state, refused, "cannot change what interface %u does", c->op.interface);
}

static void keep(const struct chain *c, int64_t at_ns, uint32_t state)
{
	struct state_out out = {c->op.interface, state};

	raw_put(R_STATE, (uint16_t)c->ns, state_since_epoch(at_ns), &out, sizeof out, NULL, 0);
}

static void flip(void *arg, int64_t at_ns)
{
	struct chain *c = arg;

	c->state = c->state == STATE_GOOD ? STATE_BAD : STATE_GOOD;
	keep(c, at_ns, c->state);
	clock_at(at_ns + random_exponential(&c->times, c->op.mean_ns[c->state]), flip, c);
	tell(c);
}

static void end(struct chain *c, int64_t at_ns)
{
	struct chain **at = &chains;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	clock_cancel(c);
	keep(c, at_ns, STATE_ENDED);
	free(c->message[0]);
	free(c);
}

/* In its stationary distribution: what the share of either state is to be at any time, it is from the first on. */
static struct chain *begin(const struct record *r, const struct chain_op *op)
{
	struct chain *c = calloc(1, sizeof *c);

	if (!c)
		abort();
	*c = (struct chain){.ns = r->ns, .times = op->seed, .draws = op->draws, .next = chains};
	double good = (double)op->mean_ns[STATE_GOOD], bad = (double)op->mean_ns[STATE_BAD];
	c->state = random_share(&c->times) * (good + bad) <= bad ? STATE_BAD : STATE_GOOD;
	return chains = c;
}

/* Of a chain that runs the state stays, and if the means do, so does its end. With other means what is left of the
 * period is drawn anew: of an exponentially distributed time it does not matter how much of it has passed. */
void chain_set(const struct record *r, uint32_t i)
{
	const struct chain_op *op = (const void *)payload(r);
	size_t size = payload_size(r) - sizeof *op;
	struct chain *c = find(r->ns, op->interface);
	int64_t now = clock_current();

	if (ends(op)) {
		if (c)
			end(c, now);
		return;
	}
	bool begins = !c, drawn = begins || memcmp(c->op.mean_ns, op->mean_ns, sizeof op->mean_ns) != 0;
	if (begins)
		c = begin(r, op);
	c->op = *op;
	c->record = i;
	free(c->message[0]);
	c->message[0] = malloc(size);
	if (!c->message[0])
		abort();
	memcpy(c->message[0], op + 1, size);
	c->size = size / 2;
	c->message[1] = c->message[0] + c->size;
	if (begins)
		keep(c, now, c->state);
	if (drawn) {
		clock_cancel(c);
		clock_at(now + random_exponential(&c->times, op->mean_ns[c->state]), flip, c);
	}
	tell(c);
}
