// SPDX-License-Identifier: GPL-2.0-only
/* What became of every frame: the one place where frames are lost, and the counters that tell of it. */
#include "labnic.h"

#define CREATE_TRACE_POINTS
#include "frame_lost.h"

#define LABNIC_COUNTER_NAME(name) #name,
const char labnic_counter_names[LABNIC_COUNTER_COUNT][ETH_GSTRING_LEN] = { LABNIC_COUNTERS(LABNIC_COUNTER_NAME) };

/*
 * A frame that arrived damaged, or for which there was no room, is lost by the receiver; one that never left, by the
 * sender. Those on the cable when the link goes down are the receiver's, which knows them gone.
 */
static enum labnic_counter labnic_counter_of(enum labnic_cause cause, bool sent)
{
	switch (cause) {
	case LABNIC_LOST_CRC:
		return labnic_rx_crc_errors;
	case LABNIC_LOST_LENGTH:
		return labnic_rx_length_errors;
	case LABNIC_LOST_MISSED:
		return labnic_rx_missed_errors;
	case LABNIC_LOST_FIFO:
		return labnic_rx_fifo_errors;
	case LABNIC_LOST_LATE_COLLISION:
		return labnic_tx_late_collisions;
	case LABNIC_LOST_EXCESSIVE_COLLISIONS:
		return labnic_tx_aborted_errors;
	case LABNIC_LOST_CARRIER:
		return sent ? labnic_rx_carrier_lost : labnic_tx_carrier_errors;
	case LABNIC_LOST_RESIZED:
		return sent ? labnic_rx_resized : labnic_tx_resized;
	case LABNIC_LOST_DOWN:
		break;
	}
	return sent ? labnic_rx_down : labnic_tx_down;
}

/* A module cannot add reasons of its own to the kernel's; these of the kernel's come nearest. */
static enum skb_drop_reason labnic_reason_of(enum labnic_cause cause)
{
	switch (cause) {
	case LABNIC_LOST_LENGTH:
		return SKB_DROP_REASON_PKT_TOO_SMALL;
	case LABNIC_LOST_MISSED:
	case LABNIC_LOST_FIFO:
		return SKB_DROP_REASON_FULL_RING;
	case LABNIC_LOST_CARRIER:
	case LABNIC_LOST_DOWN:
		return SKB_DROP_REASON_DEV_READY;
	default:
		return SKB_DROP_REASON_DEV_HDR;
	}
}

/*
 * The end of a frame. port: who loses it. Needs the lock.
 *
 * A fragment is counted and no more: it is what a collision left of a frame that its sender still has or has lost
 * itself, and a frame is lost once.
 */
noinline void labnic_lose(struct labnic_port *port, struct sk_buff *skb, enum labnic_cause cause)
{
	enum labnic_counter which = labnic_counter_of(cause, labnic_cb(skb)->ends);

	if (labnic_cb(skb)->fragment || labnic_cb(skb)->control) {
		consume_skb(skb);
	} else {
		trace_frame_lost(skb, port->dev->ifindex, port->peer ? port->peer->dev->ifindex : 0, skb->len, cause);
		kfree_skb_reason(skb, labnic_reason_of(cause));
	}
	labnic_count(port, which);	/* last: were freeing a tail call, the drop monitor would name our caller */
}

/* As Documentation/networking/statistics.rst and struct rtnl_link_stats64 define them. */
void labnic_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	struct labnic_port *port = netdev_priv(dev);
	u64 c[LABNIC_COUNTER_COUNT];

	spin_lock_bh(&port->pair->lock);
	memcpy(c, port->counters, sizeof(c));
	spin_unlock_bh(&port->pair->lock);

	stats->rx_packets = c[labnic_rx_frames];
	stats->rx_bytes = c[labnic_rx_bytes];
	stats->tx_packets = c[labnic_tx_frames];
	stats->tx_bytes = c[labnic_tx_bytes];
	stats->rx_crc_errors = c[labnic_rx_crc_errors];
	stats->rx_length_errors = c[labnic_rx_length_errors];
	stats->rx_errors = stats->rx_crc_errors + stats->rx_length_errors;
	stats->rx_missed_errors = c[labnic_rx_missed_errors];	/* the ring was full: not an error of the frame */
	stats->rx_fifo_errors = c[labnic_rx_fifo_errors];	/* the FIFO on the chip was */
	stats->rx_over_errors = c[labnic_rx_fifo_errors];
	stats->rx_dropped = c[labnic_rx_resized] + c[labnic_rx_down] + c[labnic_rx_carrier_lost];
	stats->tx_aborted_errors = c[labnic_tx_aborted_errors];
	stats->tx_carrier_errors = c[labnic_tx_carrier_errors];
	stats->tx_window_errors = c[labnic_tx_late_collisions];
	stats->tx_errors = stats->tx_aborted_errors + stats->tx_carrier_errors + stats->tx_window_errors;
	stats->tx_dropped = c[labnic_tx_resized] + c[labnic_tx_down];
	stats->collisions = c[labnic_tx_collisions];
}
