// SPDX-License-Identifier: GPL-2.0-only
/* The rings: how many frames may wait between host and port. `ethtool -G` builds new ones under traffic. */
#include "labnic.h"

int labnic_ring_alloc(struct labnic_ring *ring, u32 size)
{
	*ring = (struct labnic_ring){ .size = size };
	ring->slot = kvcalloc(size, sizeof(*ring->slot), GFP_KERNEL);
	return ring->slot ? 0 : -ENOMEM;
}

void labnic_ring_free(struct labnic_ring *ring)
{
	kvfree(ring->slot);
	ring->slot = NULL;
}

/* As drivers do: what was asked for, rounded up to what the hardware can. */
u32 labnic_ring_round(u32 wanted)
{
	return max_t(u32, round_up(wanted, LABNIC_RING_STEP), LABNIC_RING_MIN);
}

/* Move the frames that fit; returns how many bytes of them did not. Needs the lock. */
static unsigned int labnic_ring_replace(struct labnic_port *port, struct labnic_ring *old, struct labnic_ring *new,
					unsigned int *frames)
{
	unsigned int bytes = 0;
	struct sk_buff *skb;

	while ((skb = labnic_ring_take(old))) {
		if (!labnic_ring_full(new)) {
			labnic_ring_put(new, skb);
			continue;
		}
		bytes += skb->len;
		++*frames;
		labnic_lose(port, skb, LABNIC_LOST_RESIZED);
	}
	swap(*old, *new);
	return bytes;
}

/*
 * rx, tx: sizes, already rounded. Before the port is registered it has no rings yet, only their sizes. Needs the rtnl
 * lock, and not the pair's.
 */
int labnic_rings_resize(struct labnic_port *port, u32 rx, u32 tx)
{
	struct labnic_ring new_rx, new_tx;
	unsigned int frames = 0, bytes, ignored = 0;

	if (!port->rx.slot) {
		port->rx.size = rx;
		port->tx.size = tx;
		return 0;
	}
	if (rx == port->rx.size && tx == port->tx.size)
		return 0;
	if (labnic_ring_alloc(&new_rx, rx))
		return -ENOMEM;
	if (labnic_ring_alloc(&new_tx, tx)) {
		labnic_ring_free(&new_rx);
		return -ENOMEM;
	}
	spin_lock_bh(&port->pair->lock);
	labnic_ring_replace(port, &port->rx, &new_rx, &ignored);
	bytes = labnic_ring_replace(port, &port->tx, &new_tx, &frames);
	if (port->bql && frames)
		netdev_completed_queue(port->dev, frames, bytes);
	if (labnic_ring_full(&port->tx))
		netif_stop_queue(port->dev);
	else if (port->running && port->link)
		netif_wake_queue(port->dev);
	spin_unlock_bh(&port->pair->lock);
	labnic_ring_free(&new_rx);
	labnic_ring_free(&new_tx);
	return 0;
}
