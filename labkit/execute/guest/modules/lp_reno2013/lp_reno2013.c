// SPDX-License-Identifier: GPL-2.0-only
/*
 * "reno2013": Reno with two rules that Linux had until about 2013.
 *
 *	                         today                        here
 *	the window grows by      segments acknowledged        ACKs that arrive
 *	a timeout in vain        is taken back                is not
 *
 * Both make no difference while every ACK arrives.
 */

#include <linux/module.h>
#include <net/tcp.h>

/* Called for every ACK that moves the window's left edge. acked says how many segments it is for; we do not look. */
static void reno2013_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp))
		tcp_slow_start(tp, 1);
	else
		tcp_cong_avoid_ai(tp, tcp_snd_cwnd(tp), 1);
}

/* Called when TCP has found that a cut was in vain: which window now? The one we have, and the threshold stays. */
static u32 reno2013_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tp->prior_ssthresh = tp->snd_ssthresh;
	return tcp_snd_cwnd(tp);
}

static struct tcp_congestion_ops reno2013_ops __read_mostly = {
	.name		= "reno2013",
	.owner		= THIS_MODULE,
	.ssthresh	= tcp_reno_ssthresh,
	.cong_avoid	= reno2013_cong_avoid,
	.undo_cwnd	= reno2013_undo_cwnd,
};

static int __init reno2013_register(void)
{
	return tcp_register_congestion_control(&reno2013_ops);
}

static void __exit reno2013_unregister(void)
{
	tcp_unregister_congestion_control(&reno2013_ops);
}

module_init(reno2013_register);
module_exit(reno2013_unregister);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Reno that counts ACKs and takes nothing back");
