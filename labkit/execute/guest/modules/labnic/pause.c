// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flow control (IEEE 802.3 annex 31B): a port whose ring or FIFO fills up asks the other to be silent for a number of
 * quanta of 512 bit times, and lets it go on when there is room again. What is on the cable meanwhile still comes, so
 * it asks early enough to have room left.
 */
#include "labnic.h"

#define OPCODE		1
#define QUANTUM_BITS	512
#define QUANTA		0xffff

struct pause_frame {
	struct ethhdr ethernet;
	__be16 opcode, quanta;
	u8 padding[42];
} __packed;

static const u8 pause_address[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

static u64 labnic_quanta_ns(const struct labnic_port *port, u32 quanta)
{
	return div_u64((u64)quanta * QUANTUM_BITS * 1000, port->speed);
}

/* Make a pause frame, to be sent before anything else. Returns false without memory. */
static bool labnic_ask(struct labnic_port *port, u16 quanta)
{
	struct pause_frame *frame;
	struct sk_buff *skb;

	if (port->pause_frame)	/* the last one is still waiting, or on its way out */
		return false;
	skb = alloc_skb(sizeof(*frame) + NET_IP_ALIGN, GFP_ATOMIC);
	if (!skb)
		return false;
	skb_reserve(skb, NET_IP_ALIGN);
	frame = skb_put_zero(skb, sizeof(*frame));
	ether_addr_copy(frame->ethernet.h_dest, pause_address);
	ether_addr_copy(frame->ethernet.h_source, port->dev->dev_addr);
	frame->ethernet.h_proto = htons(ETH_P_PAUSE);
	frame->opcode = htons(OPCODE);
	frame->quanta = htons(quanta);
	*labnic_cb(skb) = (struct labnic_cb){ .fcs = labnic_fcs(skb), .control = true };
	port->pause_frame = skb;
	return true;
}

/*
 * Is it time to ask for silence, again, or to end it? Called whenever something comes or goes. Returns true when there is
 * a pause frame to transmit now. Needs the lock.
 */
bool labnic_pause_check(struct labnic_port *port, u64 now)
{
	u32 used = labnic_ring_used(&port->rx);
	bool high, low;

	if (!port->pause_tx || !port->link || port->duplex == DUPLEX_HALF)
		return false;
	high = used * 4 >= port->rx.size * 3 || port->fifo_bytes >= port->fifo_size / 2;
	low = used * 4 <= port->rx.size && port->fifo_bytes <= port->fifo_size / 4;
	if (high && port->asked_until <= now) {
		if (!labnic_ask(port, QUANTA))
			return false;
		port->asked_until = now + labnic_quanta_ns(port, QUANTA / 2);
		return true;
	}
	if (low && port->asked_until) {
		if (!labnic_ask(port, 0))
			return false;
		port->asked_until = 0;
		return true;
	}
	return false;
}

/* A frame for the MAC and not for the host. Returns true when the port may transmit now. Needs the lock. */
bool labnic_pause_received(struct labnic_port *port, struct sk_buff *skb, u64 now)
{
	struct pause_frame frame;
	bool heeded = false;

	labnic_count(port, labnic_rx_pause);
	if (port->pause_rx && port->duplex == DUPLEX_FULL && !skb_copy_bits(skb, 0, &frame, sizeof(frame)) &&
	    frame.opcode == htons(OPCODE)) {
		port->paused_until = frame.quanta ? now + labnic_quanta_ns(port, ntohs(frame.quanta)) : 0;
		if (frame.quanta)
			labnic_count(port, labnic_tx_paused);
		heeded = true;
	}
	consume_skb(skb);
	return heeded;
}
