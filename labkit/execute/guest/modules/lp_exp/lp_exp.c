// SPDX-License-Identifier: GPL-2.0-only
/*
 * "exp": a congestion control to start from when writing your own.
 *
 * It is Reno with two numbers changed:
 *
 *	            Reno                      exp
 *	slow start  cwnd doubles every RTT    cwnd triples every RTT
 *	on a loss   cwnd falls to 1/2         cwnd falls to 3/4
 *
 * A congestion control is a table of functions that TCP calls at set moments. TCP itself finds the losses, sends
 * again and steers cwnd through recovery; here we only say how fast cwnd grows and how deep it falls.
 */

#include <linux/module.h>
#include <net/tcp.h>

/*
 * Called after a loss (the third duplicate ACK, a RACK mark, a timeout): the new slow start threshold, in segments.
 * Recovery brings cwnd down to it. Never below two: one segment in flight cannot cause a duplicate ACK.
 */
static u32 exp_ssthresh(struct sock *sk)
{
	u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));

	return max(cwnd - cwnd / 4, 2U);
}

/*
 * Called for every ACK that moves the window's left edge; acked: how many segments it acknowledges.
 *
 * Slow start: all segments of a window are acknowledged within one RTT. If each adds one to cwnd, cwnd doubles;
 * here each adds two, so it triples. tcp_slow_start() stops at ssthresh and returns how much of what it was given
 * is left over; half of that is a number of segments again.
 *
 * Congestion avoidance: tcp_cong_avoid_ai() adds one to cwnd for every cwnd segments, so one per RTT.
 */
static void exp_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* The application, not the window, limits us: growing would prove nothing about the path. */
	if (!tcp_is_cwnd_limited(sk))
		return;

	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, 2 * acked) / 2;
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, tcp_snd_cwnd(tp), acked);
}

static struct tcp_congestion_ops exp_ops __read_mostly = {
	.name		= "exp",
	.owner		= THIS_MODULE,
	.ssthresh	= exp_ssthresh,
	.cong_avoid	= exp_cong_avoid,
	.undo_cwnd	= tcp_reno_undo_cwnd,	/* the loss was none: take the old cwnd back */
};

static int __init exp_register(void)
{
	return tcp_register_congestion_control(&exp_ops);
}

static void __exit exp_unregister(void)
{
	tcp_unregister_congestion_control(&exp_ops);
}

module_init(exp_register);
module_exit(exp_unregister);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Reno with a threefold slow start and a gentler fall");
