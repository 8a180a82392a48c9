// SPDX-License-Identifier: GPL-2.0-only
/* What labkit puts behind a cell of %%cc: see before.c. */
#undef while
#undef for
#line 1 "labkit"
#define LP_PLAIN __attribute__((no_sanitize_coverage, no_sanitize("undefined")))
#define LP_BLOCKS 20000000 /* in one call; a callback has some tens */
#define LP_STACK 3072 /* bytes that panic() may need */
#define LP_CALLS 12000

static struct {
	const char *callback; /* that runs, NULL: none */
	unsigned int line;
	unsigned int blocks;
	unsigned long last; /* where its last block begins */
	bool said;
} lp_now;

#define lp_fault(line, what, ...) \
	do { \
		lp_now.said = true; \
		panic("labkit-cc @NAME@:%u: " what, line, ##__VA_ARGS__); \
	} while (0)

#ifdef CONFIG_UML
/* ---- What the compiler calls where the cell goes wrong ---- */

struct lp_place {
	const char *file;
	u32 line, column;
};

LP_PLAIN static void lp_wrong(const struct lp_place *at, const char *what)
{
	if (strcmp(at->file, "@NAME@"))
		lp_fault(lp_now.line, "%s in %s, line %u, called", what, at->file, at->line);
	else
		lp_fault(at->line, "%s", what);
}

void __sanitizer_cov_trace_pc(void);
LP_PLAIN void __sanitizer_cov_trace_pc(void)
{
	/* Of a stack, how much is left: stacks lie at multiples of their size. */
	unsigned long left = (unsigned long)__builtin_frame_address(0) & (THREAD_SIZE - 1);

	lp_now.last = (unsigned long)__builtin_return_address(0);
	if (lp_now.said || !lp_now.callback)
		return;
	if (++lp_now.blocks > LP_BLOCKS) {
		lp_now.said = true;
		panic("labkit-cc @NAME@ at %pS: a loop that does not end", (void *)lp_now.last);
	}
	if (left < LP_STACK) {
		lp_now.said = true;
		panic("labkit-cc @NAME@ at %pS: no stack is left: does a function call itself?", (void *)lp_now.last);
	}
}

void __ubsan_handle_divrem_overflow(struct lp_place *at, void *left, void *right);
LP_PLAIN void __ubsan_handle_divrem_overflow(struct lp_place *at, void *left, void *right)
{
	lp_wrong(at, right ? "a division whose result does not fit" : "division by zero");
}

void __ubsan_handle_type_mismatch_v1(struct lp_place *at, void *pointer);
LP_PLAIN void __ubsan_handle_type_mismatch_v1(struct lp_place *at, void *pointer)
{
	lp_wrong(at, pointer ? "a pointer that points nowhere" : "a NULL pointer is followed");
}

void __ubsan_handle_shift_out_of_bounds(struct lp_place *at, void *left, void *right);
LP_PLAIN void __ubsan_handle_shift_out_of_bounds(struct lp_place *at, void *left, void *right)
{
	lp_wrong(at, "a shift by less than none or by more bits than there are");
}

void __ubsan_handle_out_of_bounds(struct lp_place *at, void *index);
LP_PLAIN void __ubsan_handle_out_of_bounds(struct lp_place *at, void *index)
{
	lp_wrong(at, "an index outside of the array");
}

/* A fault that the compiler has no check for: say where, before the kernel ends. */
LP_PLAIN static int lp_panics(struct notifier_block *block, unsigned long action, void *data)
{
	struct pt_regs *regs = current->thread.segv_regs;
	unsigned long at = regs ? PT_REGS_IP(regs) : 0;

	if (lp_now.said || !lp_now.callback)
		return NOTIFY_DONE;
	if (!within_module(at, THIS_MODULE))
		at = lp_now.last;
	pr_emerg("labkit-cc @NAME@ at %pS: memory that is not there, or not ours, is used\n", (void *)at);
	return NOTIFY_DONE;
}

static struct notifier_block lp_at_panic = {
	.notifier_call = lp_panics,
	.priority = INT_MAX, /* User-Mode Linux has one of its own, which ends it */
};
#endif

/* ---- The calls, kept for /proc/cc_@NAME@ ---- */

enum { @ENUM@ };
static const char *const lp_names[] = { @NAMES@ };
static const unsigned int lp_lines[] = { @LINES@ };

struct lp_call {
	u64 at_ns;
	u16 port;
	u8 callback;
	u32 argument, result, cwnd, cwnd_after, ssthresh, ssthresh_after;
};

static struct lp_call lp_calls[LP_CALLS];
static unsigned int lp_called;

struct lp_frame {
	struct lp_call *call;
	const char *outer;
	unsigned int outer_line, cwnd;
};

LP_PLAIN static struct lp_frame lp_enter(struct sock *sk, int callback, u32 argument)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct lp_frame frame = { NULL, lp_now.callback, lp_now.line, tp->snd_cwnd };

	if (lp_called < LP_CALLS) {
		frame.call = &lp_calls[lp_called++];
		*frame.call = (struct lp_call){
			.at_ns = ktime_get_ns(),
			.port = inet_sk(sk)->inet_num,
			.callback = callback,
			.argument = argument,
			.cwnd = tp->snd_cwnd,
			.ssthresh = tp->snd_ssthresh,
		};
	}
	lp_now.callback = lp_names[callback];
	lp_now.line = lp_lines[callback];
	if (!frame.outer)
		lp_now.blocks = 0;
	return frame;
}

LP_PLAIN static void lp_leave(struct sock *sk, struct lp_frame frame, u32 result)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tp->snd_cwnd && frame.cwnd)
		lp_fault(lp_now.line, "%s leaves a window of 0 packets, and nothing more is sent", lp_now.callback);
	if (frame.call) {
		frame.call->result = result;
		frame.call->cwnd_after = tp->snd_cwnd;
		frame.call->ssthresh_after = tp->snd_ssthresh;
	}
	lp_now.callback = frame.outer;
	lp_now.line = frame.outer_line;
}

LP_PLAIN static int lp_show(struct seq_file *file, void *unused)
{
	seq_printf(file, "now_ns,%llu\n", ktime_get_ns());
	seq_puts(file, "at_ns,port,callback,argument,result,cwnd,cwnd_after,ssthresh,ssthresh_after\n");
	for (unsigned int i = 0; i < lp_called; i++) {
		const struct lp_call *c = &lp_calls[i];

		seq_printf(file, "%llu,%u,%s,%u,%u,%u,%u,%u,%u\n", c->at_ns, c->port, lp_names[c->callback],
			   c->argument, c->result, c->cwnd, c->cwnd_after, c->ssthresh, c->ssthresh_after);
	}
	return 0;
}

/* ---- The wrappers ---- */

static struct tcp_congestion_ops *const lp_inner = &@OPS@;
static struct tcp_congestion_ops lp_ops __read_mostly;

#define LP_VOID(what, params, argument, ...) \
	LP_PLAIN static void lp_##what params \
	{ \
		struct lp_frame frame = lp_enter(sk, LP_##what, argument); \
		if (lp_inner->what) \
			lp_inner->what(__VA_ARGS__); \
		lp_leave(sk, frame, 0); \
	}

LP_VOID(init, (struct sock *sk), 0, sk)
LP_VOID(release, (struct sock *sk), 0, sk)
LP_VOID(cong_avoid, (struct sock *sk, u32 ack, u32 acked), acked, sk, ack, acked)
LP_VOID(set_state, (struct sock *sk, u8 new_state), new_state, sk, new_state)
LP_VOID(cwnd_event, (struct sock *sk, enum tcp_ca_event ev), ev, sk, ev)
LP_VOID(in_ack_event, (struct sock *sk, u32 flags), flags, sk, flags)
LP_VOID(pkts_acked, (struct sock *sk, const struct ack_sample *sample), sample->pkts_acked, sk, sample)
LP_VOID(cong_control, (struct sock *sk, u32 ack, int flag, const struct rate_sample *rs), rs->acked_sacked,
	sk, ack, flag, rs)

#define LP_VALUE(what, wrong, said) \
	LP_PLAIN static u32 lp_##what(struct sock *sk) \
	{ \
		struct lp_frame frame = lp_enter(sk, LP_##what, 0); \
		u32 result = lp_inner->what(sk); \
		if (wrong) \
			lp_fault(lp_now.line, #what " returns %u: " said, result); \
		lp_leave(sk, frame, result); \
		return result; \
	}

LP_VALUE(ssthresh, result < 2, "no less than 2 packets, or a lost one is never followed by an ACK")
LP_VALUE(undo_cwnd, result < 1, "a window of no packet")
LP_VALUE(min_tso_segs, false, "")
LP_VALUE(sndbuf_expand, false, "")

static int __init lp_load(void)
{
	lp_ops = *lp_inner;
	strscpy(lp_ops.name, "@NAME@", sizeof(lp_ops.name));
	lp_ops.owner = THIS_MODULE;
	if (lp_ops.cong_avoid)
		lp_ops.cong_avoid = lp_cong_avoid;
	if (lp_ops.cong_control)
		lp_ops.cong_control = lp_cong_control;
	if (lp_ops.ssthresh)
		lp_ops.ssthresh = lp_ssthresh;
	if (lp_ops.undo_cwnd)
		lp_ops.undo_cwnd = lp_undo_cwnd;
	if (lp_ops.min_tso_segs)
		lp_ops.min_tso_segs = lp_min_tso_segs;
	if (lp_ops.sndbuf_expand)
		lp_ops.sndbuf_expand = lp_sndbuf_expand;
	/* These tell of something and change nothing by being there. */
	lp_ops.init = lp_init;
	lp_ops.release = lp_release;
	lp_ops.set_state = lp_set_state;
	lp_ops.cwnd_event = lp_cwnd_event;
	lp_ops.in_ack_event = lp_in_ack_event;
	lp_ops.pkts_acked = lp_pkts_acked;
	if (!proc_create_single("cc_@NAME@", 0444, NULL, lp_show))
		return -ENOMEM;
#ifdef CONFIG_UML
	atomic_notifier_chain_register(&panic_notifier_list, &lp_at_panic);
#endif
	return tcp_register_congestion_control(&lp_ops);
}
module_init(lp_load);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("@NAME@, a congestion control written in a cell");
