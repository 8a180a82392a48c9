/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoint labnic:frame_lost: one event for each frame that a port loses. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM labnic

#if !defined(LABNIC_FRAME_LOST_H) || defined(TRACE_HEADER_MULTI_READ)
#define LABNIC_FRAME_LOST_H

#include <linux/tracepoint.h>
#include "labnic.h"

#define LABNIC_CAUSE_SYMBOL(name, number, text) { number, text },

/* In WebAssembly an event takes as much of the ring as where a pointer has 64 bits: a patch of that kernel. */
#ifdef CONFIG_WASM
#define LABNIC_AS_ON_64_BITS __as_on_64_bits(4)
#else
#define LABNIC_AS_ON_64_BITS
#endif

TRACE_EVENT(frame_lost,
	TP_PROTO(const struct sk_buff *skb, int ifindex, int peer, u32 len, u32 cause),
	TP_ARGS(skb, ifindex, peer, len, cause),
	TP_STRUCT__entry(
		__field(const void *, skbaddr)
		__field(int, ifindex)
		__field(int, peer)
		__field(u32, len)
		__field(u32, cause)
		LABNIC_AS_ON_64_BITS
	),
	TP_fast_assign(
		__entry->skbaddr = skb;
		__entry->ifindex = ifindex;
		__entry->peer = peer;
		__entry->len = len;
		__entry->cause = cause;
	),
	TP_printk("ifindex=%d peer=%d len=%u cause=%s", __entry->ifindex, __entry->peer, __entry->len,
		  __print_symbolic(__entry->cause, LABNIC_CAUSES(LABNIC_CAUSE_SYMBOL) { 0, "none" }))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE frame_lost
#include <trace/define_trace.h>
