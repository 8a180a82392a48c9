/* P_STREAM: a video in segments. The client asks for one after the other while its buffer has room, each at a rate of
 * its choice; it plays when enough is there, and stands still when nothing is left. SPDX: MIT */
#include "pool.h"

enum { REMEMBERED = 3 };

struct video {
	struct pool pool; /* first */
	struct stream_op op;
	uint64_t *bytes; /* [op.rates]: of a segment */
	struct exchange exchange;
	struct segment_out out;
	uint32_t rate;
	double throughput[REMEMBERED]; /* bytes/s of the latest segments */
	int64_t seen_ns;     /* then the buffer held ... */
	int64_t buffered_ns; /* ... so much */
	bool playing, begun;
	int64_t still_ns; /* since then it does not play */
};

/* What has been played since then leaves the buffer. */
static void play_until(struct video *v, int64_t now_ns)
{
	if (v->playing) {
		v->buffered_ns -= now_ns - v->seen_ns;
		if (v->buffered_ns <= 0 && v->out.number < v->op.segments) {
			v->playing = false;
			v->still_ns = now_ns + v->buffered_ns;
		}
		if (v->buffered_ns < 0)
			v->buffered_ns = 0;
	}
	v->seen_ns = now_ns;
}

/* The highest rate whose segments have at most so many bytes. */
static uint32_t highest(const struct video *v, double bytes)
{
	uint32_t rate = 0;

	while (rate + 1 < v->op.rates && (double)v->bytes[rate + 1] <= bytes)
		rate++;
	return rate;
}

static uint32_t by_throughput(const struct video *v)
{
	uint64_t known = v->out.number < REMEMBERED ? v->out.number : REMEMBERED;
	double sum = 0;

	for (uint64_t i = 0; i < known; i++)
		sum += 1 / v->throughput[i];
	return known ? highest(v, 0.8 * (double)known / sum * (double)v->op.segment_ns / 1e9) : 0;
}

/* Below 3/8 of the buffer the lowest rate, above 9/10 the highest, between them along a line; the rate stays until
 * the line has left it for the next one. */
static uint32_t by_buffer(const struct video *v)
{
	double full = (double)v->buffered_ns / (double)v->op.buffer_ns, part = (full - 0.375) / (0.9 - 0.375);
	double low = (double)v->bytes[0], high = (double)v->bytes[v->op.rates - 1], line = low + part * (high - low);

	if (part <= 0)
		return 0;
	if (part >= 1)
		return v->op.rates - 1;
	if (v->rate + 1 < v->op.rates && line >= (double)v->bytes[v->rate + 1])
		return highest(v, line);
	if (v->rate && line <= (double)v->bytes[v->rate - 1]) /* the lowest rate above the line */
		return highest(v, line) + (line > (double)v->bytes[highest(v, line)]);
	return v->rate;
}

static void ask(void *arg, int64_t at_ns)
{
	struct video *v = arg;

	play_until(v, at_ns);
	v->rate = v->op.rule == RULE_BUFFER ? by_buffer(v) : by_throughput(v);
	v->out.rate = v->rate;
	v->out.buffered_ns = (uint64_t)v->buffered_ns;
	v->exchange = (struct exchange){.request = v->op.request, .response = v->bytes[v->rate],
		.service_ns = v->op.service_ns, .sent_ns = -1, .asked_ns = -1, .first_ns = -1, .done_ns = -1};
	pool_ask(&v->pool, &v->exchange, state_since_epoch(at_ns));
}

static void begin(struct pool *p, int64_t at_ns)
{
	((struct video *)p)->seen_ns = at_ns;
	ask(p, at_ns);
}

static void put(struct video *v, int64_t now_ns)
{
	v->out.number++;
	v->out.sent_ns = v->exchange.sent_ns;
	v->out.first_ns = v->exchange.first_ns;
	v->out.done_ns = v->exchange.done_ns;
	raw_put(R_SEGMENT, LAB_NO_NS, state_since_epoch(now_ns), &v->out, sizeof v->out, NULL, 0);
}

static void done(struct pool *p, struct exchange *e)
{
	struct video *v = (struct video *)p;
	int64_t now_ns = clock_now(), took_ns = e->done_ns - e->sent_ns, room_ns;

	v->throughput[v->out.number % REMEMBERED] = (double)e->response * 1e9 / (double)(took_ns > 0 ? took_ns : 1);
	play_until(v, now_ns);
	v->buffered_ns += (int64_t)v->op.segment_ns;
	v->out.stalled_ns = 0;
	if (!v->playing && (v->buffered_ns >= (int64_t)v->op.begin_ns || v->out.number + 1 == v->op.segments)) {
		v->playing = true;
		v->out.stalled_ns = v->begun ? (uint64_t)(now_ns - v->still_ns) : 0;
		v->begun = true;
	}
	put(v, now_ns);
	if (v->out.number == v->op.segments) {
		pool_end(p, 0, now_ns);
		return;
	}
	room_ns = v->buffered_ns + (int64_t)v->op.segment_ns - (int64_t)v->op.buffer_ns;
	if (room_ns > 0)
		clock_at(now_ns + room_ns, ask, v);
	else
		ask(v, now_ns);
}

/* The one that the end cuts has no last byte; the viewer may have waited for it. */
static void ended(struct pool *p)
{
	struct video *v = (struct video *)p;
	int64_t now_ns = state_ended() ? state_end_ns() : clock_now();

	if (v->exchange.sent_ns < 0 || v->exchange.done_ns >= 0)
		return;
	play_until(v, now_ns);
	v->out.stalled_ns = v->begun && !v->playing ? (uint64_t)(now_ns - v->still_ns) : 0;
	put(v, now_ns);
}

static void end(struct pool *p)
{
	free(((struct video *)p)->bytes);
	free(p);
}

static const struct pool_use videos = {begin, done, ended, end};

const char *stream_check(const struct record *r, unsigned netns)
{
	const struct stream_op *op = (const void *)payload(r);
	const uint64_t *bytes = (const void *)(op + 1);
	const char *wrong = pool_check(r, netns);
	uint64_t most = UINT32_MAX, before = 0;

	if (wrong)
		return wrong;
	if (op->pool.connections != 1 || op->rule > RULE_BUFFER || !op->segments || op->segments > most || !op->request ||
	    op->request > most || !op->rates || payload_size(r) - sizeof *op != op->rates * sizeof *bytes)
		return "stream with sizes out of range";
	if (!op->segment_ns || op->segment_ns > op->buffer_ns || !op->begin_ns || op->begin_ns > op->buffer_ns ||
	    op->buffer_ns > LONGEST_NS / 64 || op->service_ns > LONGEST_NS / 64)
		return "stream with times out of range";
	for (uint32_t i = 0; i < op->rates; before = bytes[i++])
		if (bytes[i] <= before || bytes[i] > most)
			return "stream whose rates do not ascend";
	return NULL;
}

void stream_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct stream_op *op = (const void *)payload(r);
	struct video *v = calloc(1, sizeof *v);
	size_t size = op->rates * sizeof *v->bytes;

	if (!v || !(v->bytes = malloc(size)))
		abort();
	memcpy(v->bytes, op + 1, size);
	v->op = *op;
	v->out.flow = op->pool.flow.id;
	v->exchange.sent_ns = -1;
	pool_open(&v->pool, &videos, r, i, at_ns);
}
