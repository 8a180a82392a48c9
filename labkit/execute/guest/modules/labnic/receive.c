// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receiver: is the frame whole? Then into the FIFO on the chip, over the bus, and into the ring in the host's
 * memory. The host takes it from there: cpu.c.
 */
#include "labnic.h"
#include "compat.h"
#include <linux/if_vlan.h>

/* What is wrong with a frame; 0: nothing. */
static enum labnic_cause labnic_check(struct labnic_port *port, struct sk_buff *skb)
{
	if (skb->len + ETH_FCS_LEN < LABNIC_SHORTEST) {
		labnic_count(port, labnic_rx_runts);
		return LABNIC_LOST_LENGTH;
	}
	if (skb->len > port->dev->mtu + ETH_HLEN + VLAN_HLEN)
		return LABNIC_LOST_LENGTH;
	if (!labnic_cb(skb)->touched)	/* the same bits have the same sum: do not add them up a second time */
		return 0;
	return labnic_fcs(skb) == labnic_cb(skb)->fcs ? 0 : LABNIC_LOST_CRC;
}

/* Two frames on one cable: neither can be read. */
static void labnic_garble(struct sk_buff **frame)
{
	struct sk_buff *copy;

	labnic_cb(*frame)->touched = true;
	copy = skb_copy(*frame, GFP_ATOMIC);
	if (!copy) {
		labnic_cb(*frame)->fcs = ~labnic_cb(*frame)->fcs;
		return;
	}
	memset(copy->data, ~copy->data[0], 1);
	consume_skb(*frame);
	*frame = copy;
}

/* `ethtool -K eth0 rx-fcs on`: the host gets the check sequence as well, least significant byte first. */
static struct sk_buff *labnic_append_fcs(struct sk_buff *skb)
{
	struct sk_buff *copy = skb_copy_expand(skb, skb_headroom(skb), ETH_FCS_LEN, GFP_ATOMIC);

	if (!copy)
		return skb;
	put_unaligned_le32(labnic_cb(skb)->fcs, skb_put(copy, ETH_FCS_LEN));
	consume_skb(skb);
	return copy;
}

/* Into a descriptor of the ring, if the host has left one. Needs the lock. */
static void labnic_to_ring(struct labnic_port *port, struct sk_buff *skb, u64 now)
{
	if (labnic_ring_full(&port->rx)) {
		labnic_lose(port, skb, LABNIC_LOST_MISSED);
		return;
	}
	labnic_ring_put(&port->rx, skb);
	labnic_frame_is_there(port, now);
}

static void labnic_arm_bus(struct labnic_port *port, u64 now)
{
	struct sk_buff *skb = skb_peek(&port->fifo);

	if (!skb)
		return;
	port->bus_free = max(now, port->bus_free) +
			 (port->bus ? div64_u64(skb->len * 8ULL * NSEC_PER_SEC, port->bus) : 0);
	labnic_arm(&port->bus_timer, port->bus_free);
}

/* A frame has crossed the bus. Returns true when the port is to transmit now. Needs the lock. */
bool labnic_bus_crossed(struct labnic_port *port, u64 now)
{
	struct sk_buff *skb = __skb_dequeue(&port->fifo);

	if (!skb)
		return false;
	port->fifo_bytes -= skb->len;
	labnic_to_ring(port, skb, now);
	labnic_arm_bus(port, port->bus_free);
	return labnic_pause_check(port, now);
}

/* Without a limit the bus takes no time, and the FIFO holds nothing. */
static bool labnic_store(struct labnic_port *port, struct sk_buff *skb, u64 now)
{
	bool idle = skb_queue_empty(&port->fifo);

	if (!port->bus && idle) {
		labnic_to_ring(port, skb, now);
	} else if (port->fifo_bytes + skb->len > port->fifo_size) {
		labnic_lose(port, skb, LABNIC_LOST_FIFO);
	} else {
		port->fifo_bytes += skb->len;
		__skb_queue_tail(&port->fifo, skb);
		if (idle)
			labnic_arm_bus(port, now);
	}
	return labnic_pause_check(port, now);
}

/* The last bit of a frame is here. Returns true when the port is to transmit now. Needs the lock. */
bool labnic_arrive(struct labnic_port *port, struct sk_buff *skb, u64 now)
{
	enum labnic_cause wrong;
	__be16 protocol;

	if (!port->running) {
		labnic_lose(port, skb, LABNIC_LOST_CARRIER);
		return false;
	}
	if (labnic_cb(skb)->garbled)
		labnic_garble(&skb);
	port->counters[labnic_rx_bit_errors] += labnic_damage(&port->line, &skb, true);
	if (labnic_cb(skb)->fragment && port->duplex == DUPLEX_HALF) {	/* what collisions leave is no error there */
		labnic_count(port, labnic_rx_fragments);
		consume_skb(skb);
		return false;
	}
	wrong = labnic_check(port, skb);
	if (wrong && !(port->dev->features & NETIF_F_RXALL)) {
		labnic_lose(port, skb, wrong);
		return false;
	}
	if (wrong) {	/* `ethtool -K eth0 rx-all on`: counted, and passed on all the same */
		labnic_count(port, wrong == LABNIC_LOST_CRC ? labnic_rx_crc_errors : labnic_rx_length_errors);
	} else if (!skb_copy_bits(skb, ETH_ALEN * 2, &protocol, sizeof(protocol)) && protocol == htons(ETH_P_PAUSE)) {
		return labnic_pause_received(port, skb, now);
	}
	port->counters[labnic_memory_bit_errors] += labnic_damage(&port->memory, &skb, false);
	if (port->dev->features & NETIF_F_RXFCS)
		skb = labnic_append_fcs(skb);
	return labnic_store(port, skb, now);
}

/* What has not reached the host is lost. Needs the lock. */
void labnic_flush_rx(struct labnic_port *port, enum labnic_cause cause)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&port->fifo)) || (skb = labnic_ring_take(&port->rx)))
		labnic_lose(port, skb, cause);
	port->fifo_bytes = 0;
	port->bus_free = 0;
}
