// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's processor, at the other side of the RX ring: interrupts, their coalescing, and NAPI, which polls the ring as long as it holds
 * frames and takes no interrupts meanwhile.
 *
 * The lab's processor is infinitely fast, so what a packet costs is said, not measured: `interrupt_cost` before the
 * first packet of a poll, `packet_cost` before each packet. The time passes on a timer; the frame stays in the ring
 * until then. Each port has a processor of its own.
 */
#include "labnic.h"

static bool labnic_has_cost(const struct labnic_port *port)
{
	return port->packet_cost || port->interrupt_cost;
}

static void labnic_interrupt(struct labnic_port *port, u64 now)
{
	labnic_count(port, labnic_rx_interrupts);
	port->masked = true;
	port->waiting = false;
	if (labnic_has_cost(port)) {
		port->cpu_free = now + port->interrupt_cost + port->packet_cost;
		labnic_arm(&port->cpu_timer, port->cpu_free);
	} else {
		hrtimer_try_to_cancel(&port->cpu_timer);	/* it may have been set for rx_usecs */
		napi_schedule(&port->napi);
	}
}

/* A frame has come into the ring: an interrupt now, after some more frames, or after some time. Needs the lock. */
void labnic_frame_is_there(struct labnic_port *port, u64 now)
{
	if (port->masked)
		return;
	if (!port->rx_usecs || (port->rx_frames && labnic_ring_used(&port->rx) >= port->rx_frames)) {
		labnic_interrupt(port, now);
	} else if (!port->waiting) {
		port->waiting = true;
		labnic_arm(&port->cpu_timer, now + port->rx_usecs * NSEC_PER_USEC);
	}
}

/* The coalescing time is over, or the cost of one more packet has been paid. Needs the lock. */
void labnic_cpu_due(struct labnic_port *port, u64 now)
{
	if (port->masked) {
		port->ready++;
		napi_schedule(&port->napi);
	} else if (port->waiting) {
		labnic_interrupt(port, now);
	}
}

/* As if it had come over a wire: nothing of what the sender's kernel knew about it. */
static void labnic_deliver(struct labnic_port *port, struct sk_buff *skb)
{
	skb_scrub_packet(skb, true);
	skb->priority = 0;
	skb->ip_summed = CHECKSUM_NONE;
	skb_clear_hash(skb);
	skb->protocol = eth_type_trans(skb, port->dev);
	skb_record_rx_queue(skb, 0);
	napi_gro_receive(&port->napi, skb);
}

/* Take up to `budget` frames from the ring; returns how many. Needs the lock. */
static int labnic_take(struct labnic_port *port, struct sk_buff_head *frames, int budget)
{
	struct sk_buff *skb;
	int done = 0;

	while (done < budget && (skb = labnic_ring_take(&port->rx))) {
		port->counters[labnic_rx_bytes] += skb->len;
		__skb_queue_tail(frames, skb);
		done++;
	}
	port->counters[labnic_rx_frames] += done;
	labnic_count(port, labnic_rx_polls);
	if (labnic_pause_check(port, labnic_now()))
		labnic_transmit(port, labnic_now());
	return done;
}

/* The poll is over: interrupts on again, or, if the host's time is being modelled, the next packet. */
static void labnic_poll_end(struct labnic_port *port)
{
	if (labnic_ring_used(&port->rx) && labnic_has_cost(port)) {
		port->cpu_free += port->packet_cost;
		labnic_arm(&port->cpu_timer, port->cpu_free);
		return;
	}
	port->masked = false;
	if (labnic_ring_used(&port->rx))
		labnic_interrupt(port, labnic_now());
}

int labnic_poll(struct napi_struct *napi, int budget)
{
	struct labnic_port *port = container_of(napi, struct labnic_port, napi);
	struct sk_buff_head frames;
	struct sk_buff *skb;
	bool paced;
	int done;

	if (!budget)	/* netpoll: only what was sent, which needs no poll */
		return 0;
	__skb_queue_head_init(&frames);
	spin_lock(&port->pair->lock);
	paced = port->ready || labnic_has_cost(port);
	done = labnic_take(port, &frames, paced ? min_t(int, port->ready, budget) : budget);
	port->ready = 0;
	spin_unlock(&port->pair->lock);

	while ((skb = __skb_dequeue(&frames)))
		labnic_deliver(port, skb);
	if (!paced && done == budget)
		return budget;	/* there may be more: NAPI calls again, after others had their turn */
	done = min(done, budget - 1);
	if (napi_complete_done(napi, done)) {
		spin_lock(&port->pair->lock);
		if (port->running)
			labnic_poll_end(port);
		spin_unlock(&port->pair->lock);
	}
	return done;
}
