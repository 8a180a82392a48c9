// SPDX-License-Identifier: GPL-2.0-only
/* The cable, one direction of it: frames in order, on their way for `delay`. */
#include "labnic.h"

/*
 * Does the receiver need to know when a frame begins, and not only when it ends? In half duplex, to keep silent, or
 * to notice the collision.
 */
static bool labnic_listens(const struct labnic_port *port)
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

/* Hand over all that is due. Needs the lock. */
void labnic_cable_run(struct labnic_port *from, u64 now)
{
	struct labnic_port *to = from->peer;
	struct sk_buff *skb;

	while ((skb = skb_peek(&from->cable)) && labnic_next(to, skb) <= now) {
		struct labnic_cb *cb = labnic_cb(skb);

		if (labnic_listens(to) && !cb->announced) {
			cb->announced = true;
			to->carrier_until = cb->ends;
			if (to->sending) {
				cb->garbled = true;
				labnic_collide(to, now);
			}
			continue;
		}
		if (skb == from->sending)	/* its last bit leaves in this very instant: tx_timer comes back */
			return;
		__skb_unlink(skb, &from->cable);
		labnic_arrive(to, skb, now);
	}
	if (skb && (skb != from->sending || from->delay || labnic_listens(to)))
		labnic_arm(&from->cable_timer, labnic_next(to, skb));
}

enum hrtimer_restart labnic_cable_timer(struct hrtimer *timer)
{
	struct labnic_port *from = container_of(timer, struct labnic_port, cable_timer);

	spin_lock(&from->pair->lock);
	if (from->peer)
		labnic_cable_run(from, labnic_now());
	spin_unlock(&from->pair->lock);
	return HRTIMER_NORESTART;
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
