// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmitter: one frame after the other from the TX ring onto the cable, at line rate.
 *
 * In half duplex the cable is shared: listen before sending (carrier sense), stop when both send (collision
 * detection), try again after a random time (IEEE 802.3, 4.2.3). A collision can be heard only within the first
 * 64 bytes if both follow these rules. A full duplex port at the other end does not, and collides late.
 */
#include "labnic.h"

#define SLOT_BITS	512
#define JAM_BYTES	4
#define JAM_PATTERN	0x55
#define ATTEMPTS	16
#define BACKOFF_LIMIT	10

/* ns that a number of bits takes. The speed is in Mbit/s, so a bit takes 1000/speed. */
static u64 labnic_bits_ns(const struct labnic_port *port, u64 bits)
{
	return div_u64(bits * 1000, port->speed);
}

/* From the stack: into the ring. When it is full the qdisc keeps what comes next. */
netdev_tx_t labnic_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	spin_lock(&port->pair->lock);
	if (port->link && labnic_ring_full(&port->tx)) {
		netif_stop_queue(dev);
		spin_unlock(&port->pair->lock);
		return NETDEV_TX_BUSY;
	}
	if (skb_put_padto(skb, ETH_ZLEN)) {	/* which has freed it */
		labnic_count(port, labnic_tx_down);
		goto out;
	}
	memset(labnic_cb(skb), 0, sizeof(struct labnic_cb));
	if (!port->link) {
		labnic_lose(port, skb, LABNIC_LOST_CARRIER);
		goto out;
	}
	labnic_cb(skb)->fcs = labnic_fcs(skb);
	labnic_ring_put(&port->tx, skb);
	if (port->bql)
		netdev_sent_queue(dev, skb->len);
	skb_tx_timestamp(skb);
	if (labnic_ring_full(&port->tx)) {
		netif_stop_queue(dev);
		labnic_count(port, labnic_tx_stops);
	}
	labnic_transmit(port, labnic_now());
out:
	spin_unlock(&port->pair->lock);
	return NETDEV_TX_OK;
}

/* When the transmitter may start: 0 for now. A pause frame is not held up by the other's pause. */
static u64 labnic_wait_until(struct labnic_port *port, u64 now)
{
	u64 until = 0;

	if (port->duplex == DUPLEX_FULL)
		return port->pause_frame || port->paused_until <= now ? 0 : port->paused_until;
	if (port->carrier_until > now) {
		if (!hrtimer_is_queued(&port->tx_timer))	/* it has not been waiting already */
			labnic_count(port, labnic_tx_deferred);
		until = port->carrier_until + labnic_bits_ns(port, LABNIC_GAP_BITS);
	}
	return max(until, port->tx_free) > now ? max(until, port->tx_free) : 0;
}

/* Begin with the next frame if there is one, nothing is being sent, and nothing forbids it. Needs the lock. */
void labnic_transmit(struct labnic_port *port, u64 now)
{
	struct sk_buff *skb = port->pause_frame ?: labnic_ring_head(&port->tx);
	u64 bits, scaled, wait;

	if (!skb || port->sending || !port->link)
		return;
	wait = labnic_wait_until(port, now);
	if (wait) {
		labnic_arm(&port->tx_timer, wait);
		return;
	}
	bits = (LABNIC_PREAMBLE + skb->len + ETH_FCS_LEN) * 8;
	port->sending = skb;
	labnic_cb(skb)->announced = labnic_cb(skb)->garbled = false;
	port->tx_begins = max(now, port->tx_free);
	port->tx_ends = port->tx_begins + labnic_bits_ns(port, bits);
	scaled = (bits + LABNIC_GAP_BITS) * 1000 + port->tx_rest;
	port->tx_free = port->tx_begins + div_u64_rem(scaled, port->speed, &port->tx_rest);
	labnic_cb(skb)->begins = port->tx_begins + port->delay;
	labnic_cb(skb)->ends = port->tx_ends + port->delay;
	labnic_cable_put(port, skb);
	labnic_arm(&port->tx_timer, port->tx_ends);
}

/* The descriptor of the frame being sent is free again. Needs the lock. */
static void labnic_tx_release(struct labnic_port *port)
{
	struct sk_buff *skb = labnic_ring_take(&port->tx);

	port->sending = NULL;
	port->attempts = 0;
	if (port->bql)
		netdev_completed_queue(port->dev, 1, skb->len);
	if (netif_queue_stopped(port->dev))
		netif_wake_queue(port->dev);
}

/* The last bit of a frame has left. The caller goes on with labnic_transmit(). Needs the lock. */
void labnic_sent(struct labnic_port *port, u64 now)
{
	struct sk_buff *skb = port->sending;

	if (labnic_cb(skb)->control) {
		labnic_count(port, labnic_tx_pause);
		port->sending = port->pause_frame = NULL;
		labnic_pause_check(port, now);
		return;
	}
	labnic_count(port, labnic_tx_frames);
	port->counters[labnic_tx_bytes] += skb->len;
	labnic_tx_release(port);
	skb_orphan(skb);	/* the sender's socket gets its room back now: TCP Small Queues live on this */
}

/* What the other end will see of a frame that was cut off: its beginning, then the jam signal. */
static void labnic_put_fragment(struct labnic_port *port, struct sk_buff *whole, u32 bytes, u64 now)
{
	struct sk_buff *skb = alloc_skb(bytes + NET_IP_ALIGN, GFP_ATOMIC);
	struct labnic_cb *cb;

	labnic_count(port, labnic_tx_fragments);
	if (!skb) {	/* the other end then sees nothing of it: count it here, so that the sums hold */
		labnic_count(port->peer, labnic_rx_fragments);
		return;
	}
	cb = labnic_cb(skb);
	skb_reserve(skb, NET_IP_ALIGN);
	skb_copy_bits(whole, 0, skb_put(skb, bytes), bytes);
	*cb = (struct labnic_cb){
		.begins = labnic_cb(whole)->begins,
		.ends = now + labnic_bits_ns(port, JAM_BYTES * 8) + port->delay,
		.announced = labnic_cb(whole)->announced,
		.garbled = labnic_cb(whole)->garbled,
		.fcs = JAM_PATTERN * 0x01010101U,
		.fragment = true,
		.touched = true,
	};
	if (cb->announced)
		port->peer->carrier_until = cb->ends;
	labnic_cable_put(port, skb);
}

/* The other's carrier is here while this half duplex port is sending. */
static void labnic_collide(struct labnic_port *port, u64 now)
{
	struct sk_buff *skb = port->sending;
	u32 bytes = div_u64((now - port->tx_begins) * port->speed, 8000);
	u64 jam = labnic_bits_ns(port, JAM_BYTES * 8 + LABNIC_GAP_BITS);
	bool late;

	bytes = min(bytes > LABNIC_PREAMBLE ? bytes - LABNIC_PREAMBLE : 0, skb->len);
	late = bytes >= LABNIC_SHORTEST - ETH_FCS_LEN;
	labnic_count(port, labnic_tx_collisions);
	__skb_unlink(skb, &port->cable);
	labnic_put_fragment(port, skb, bytes, now);
	labnic_cb(skb)->ends = 0;
	port->tx_free = now + jam;
	if (late || ++port->attempts == ATTEMPTS) {
		labnic_tx_release(port);
		labnic_lose(port, skb, late ? LABNIC_LOST_LATE_COLLISION : LABNIC_LOST_EXCESSIVE_COLLISIONS);
	} else {	/* truncated binary exponential backoff */
		u32 slots = prandom_u32_state(&port->backoff) & (BIT(min_t(u32, port->attempts, BACKOFF_LIMIT)) - 1);

		port->sending = NULL;
		port->tx_free += slots * labnic_bits_ns(port, SLOT_BITS);
	}
	labnic_transmit(port, now);
}

/* Carrier sense: the first bit of the other's frame reaches this half duplex port. Needs the lock. */
void labnic_sense(struct labnic_port *port, struct sk_buff *skb, u64 now)
{
	struct labnic_cb *cb = labnic_cb(skb);

	cb->announced = true;
	port->carrier_until = cb->ends;
	if (port->sending) {
		cb->garbled = true;
		labnic_collide(port, now);
	}
}

/* All that has not left is lost. Needs the lock. */
void labnic_flush_tx(struct labnic_port *port, enum labnic_cause cause)
{
	struct sk_buff *skb;

	if (port->sending) {
		__skb_unlink(port->sending, &port->cable);
		labnic_cb(port->sending)->ends = 0;
	}
	port->sending = NULL;
	if (port->pause_frame)
		consume_skb(port->pause_frame);
	port->pause_frame = NULL;
	while ((skb = labnic_ring_take(&port->tx)))
		labnic_lose(port, skb, cause);
	port->attempts = 0;
	port->tx_free = port->paused_until = port->carrier_until = 0;
	port->tx_rest = 0;
	netdev_reset_queue(port->dev);
}
