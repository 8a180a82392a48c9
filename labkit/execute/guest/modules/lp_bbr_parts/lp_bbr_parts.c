// SPDX-License-Identifier: GPL-2.0-only
/*
 * "bbr_parts": the lab kernel's own BBR, compiled once more from its source (net/ipv4/tcp_bbr.c), with two parts that
 * can be taken out, below /sys/module/lp_bbr_parts/parameters.
 *
 *	policer		1: as Linux. 0: losses are never taken for those of a policer (lt_use_bw stays 0).
 *	pace		1: as Linux. 0: cwnd alone decides what leaves when. Read when a connection begins.
 */

#include <linux/module.h>
#include <net/tcp.h>

/* What it registers when it is loaded: not its BPF functions, and under another name. */
#undef module_init
#undef module_exit
#define module_init(fn) static int (*const kernels_init)(void) __maybe_unused = fn
#define module_exit(fn) static void (*const kernels_exit)(void) __maybe_unused = fn
#include "../net/ipv4/tcp_bbr.c"
#undef module_init
#undef module_exit
#define module_init(fn) int init_module(void) __copy(fn) __attribute__((alias(#fn)))
#define module_exit(fn) void cleanup_module(void) __copy(fn) __attribute__((alias(#fn)))

static int policer = 1;
static int pace = 1;
module_param(policer, int, 0644);
MODULE_PARM_DESC(policer, "take frequent losses at a steady rate for those of a policer");
module_param(pace, int, 0644);
MODULE_PARM_DESC(pace, "space packets at the pacing rate");

static void parts_init(struct sock *sk)
{
	bbr_init(sk);
	if (!pace)
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NEEDED, SK_PACING_NONE);
}

static void parts_main(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	bbr_main(sk, ack, flag, rs);
	if (!policer)
		bbr_reset_lt_bw_sampling(sk);
}

static struct tcp_congestion_ops parts __read_mostly;

static int __init parts_register(void)
{
	parts = tcp_bbr_cong_ops;
	strscpy(parts.name, "bbr_parts", sizeof(parts.name));
	parts.init = parts_init;
	parts.cong_control = parts_main;
	return tcp_register_congestion_control(&parts);
}

static void __exit parts_unregister(void)
{
	tcp_unregister_congestion_control(&parts);
}

module_init(parts_register);
module_exit(parts_unregister);
