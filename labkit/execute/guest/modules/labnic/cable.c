// SPDX-License-Identifier: GPL-2.0-only
/* The cable, one direction of it: frames in order, on their way for `delay`. What they do there: events.c. */
#include "labnic.h"

/*
 * Does the receiver need to know when a frame begins, and not only when it ends? In half duplex, to keep silent, or
 * to notice the collision.
 */
bool labnic_listens(const struct labnic_port *port)
{
	return port->duplex == DUPLEX_HALF;
}

static u64 labnic_next(const struct labnic_port *to, struct sk_buff *skb)
{
	return labnic_listens(to) && !labnic_cb(skb)->announced ? labnic_cb(skb)->begins : labnic_cb(skb)->ends;
}

/* A frame begins to leave. Needs the lock. */
void labnic_cable_put(struct labnic_port *from, struct sk_buff *skb)
{
	struct sk_buff *last = skb_peek_tail(&from->cable);

	if (last)	/* a delay that shrank: frames do not overtake one another */
		labnic_cb(skb)->ends = max(labnic_cb(skb)->ends, labnic_cb(last)->ends);
	__skb_queue_tail(&from->cable, skb);
	if (!last && (from->delay || labnic_cb(skb)->fragment || labnic_listens(from->peer)))
		labnic_arm(&from->cable_timer, labnic_next(from->peer, skb));
}

/* The frame whose first or last bit has reached the far end; NULL: none has. Needs the lock. */
struct sk_buff *labnic_cable_due(struct labnic_port *from, u64 now)
{
	struct sk_buff *skb = skb_peek(&from->cable);

	return skb && labnic_next(from->peer, skb) <= now ? skb : NULL;
}

/* Until the next bit that the far end needs to know of. Needs the lock. */
void labnic_cable_wait(struct labnic_port *from)
{
	struct sk_buff *skb = skb_peek(&from->cable);

	if (skb && (skb != from->sending || from->delay || labnic_listens(from->peer)))
		labnic_arm(&from->cable_timer, labnic_next(from->peer, skb));
}

/* The link is gone: so is all that was on its way, but for what is being sent, which is the sender's. Needs the lock. */
void labnic_cable_cut(struct labnic_port *from)
{
	struct sk_buff *skb, *next;

	skb_queue_walk_safe(&from->cable, skb, next) {
		if (skb == from->sending)
			continue;
		__skb_unlink(skb, &from->cable);
		labnic_lose(from->peer, skb, LABNIC_LOST_CARRIER);
	}
}
