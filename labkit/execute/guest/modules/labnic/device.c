// SPDX-License-Identifier: GPL-2.0-only
/* A port as the kernel's network device: opening, closing, features. */
#include "labnic.h"
#include <linux/random.h>

struct labnic_pair *labnic_pair_alloc(void)
{
	struct labnic_pair *pair = kzalloc(sizeof(*pair), GFP_KERNEL);

	if (!pair)
		return NULL;
	spin_lock_init(&pair->lock);
	kref_init(&pair->users);
	return pair;
}

static void labnic_pair_free(struct kref *users)
{
	kfree(container_of(users, struct labnic_pair, users));
}

void labnic_pair_put(struct labnic_pair *pair)
{
	kref_put(&pair->users, labnic_pair_free);
}

/* Sizes and settings have been decided before. */
static int labnic_dev_init(struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	if (labnic_ring_alloc(&port->rx, port->rx.size))
		return -ENOMEM;
	if (labnic_ring_alloc(&port->tx, port->tx.size)) {
		labnic_ring_free(&port->rx);
		return -ENOMEM;
	}
	kref_get(&port->pair->users);
	netif_napi_add(dev, &port->napi, labnic_poll);
	port->napi.weight = port->weight;
	netif_carrier_off(dev);
	return 0;
}

static void labnic_dev_uninit(struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	netif_napi_del(&port->napi);
	labnic_ring_free(&port->rx);
	labnic_ring_free(&port->tx);
	labnic_pair_put(port->pair);
}

static int labnic_open(struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	if (!port->peer)
		return -ENOTCONN;
	napi_enable(&port->napi);
	spin_lock_bh(&port->pair->lock);
	port->masked = port->waiting = false;
	port->ready = 0;
	port->running = true;
	spin_unlock_bh(&port->pair->lock);
	netif_start_queue(dev);
	labnic_negotiate(port);
	return 0;
}

static int labnic_stop(struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	spin_lock_bh(&port->pair->lock);
	if (port->peer)
		labnic_cable_cut(port->peer);
	labnic_flush_tx(port, LABNIC_LOST_DOWN);
	port->running = false;
	labnic_flush_rx(port, LABNIC_LOST_DOWN);
	spin_unlock_bh(&port->pair->lock);
	labnic_negotiate(port);
	netif_stop_queue(dev);
	napi_disable(&port->napi);
	labnic_timers_cancel(port);
	return 0;
}

/* Errors that the driver passes on when asked to; all else a real port would do in hardware, we leave to the kernel. */
static const struct net_device_ops labnic_netdev_ops = {
	.ndo_init		= labnic_dev_init,
	.ndo_uninit		= labnic_dev_uninit,
	.ndo_open		= labnic_open,
	.ndo_stop		= labnic_stop,
	.ndo_start_xmit		= labnic_xmit,
	.ndo_get_stats64	= labnic_get_stats64,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_features_check	= passthru_features_check,
};

/* The port as it comes out of the box: 1 Gbit/s, rings of 256, no errors, a host that costs nothing. */
void labnic_setup(struct net_device *dev)
{
	struct labnic_port *port = netdev_priv(dev);

	ether_setup(dev);
	dev->netdev_ops = &labnic_netdev_ops;
	dev->ethtool_ops = &labnic_ethtool_ops;
	dev->needs_free_netdev = true;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	dev->min_mtu = ETH_MIN_MTU;
	dev->max_mtu = ETH_MAX_MTU;
	dev->features = dev->hw_features = NETIF_F_SG | NETIF_F_HIGHDMA;
	dev->hw_features |= NETIF_F_RXALL | NETIF_F_RXFCS;

	port->dev = dev;
	port->max_speed = SPEED_1000;
	port->autoneg = true;
	labnic_can(port);
	port->speed = port->max_speed;
	port->duplex = DUPLEX_FULL;
	port->bql = true;
	port->rx.size = port->tx.size = LABNIC_RING_DEFAULT;
	port->fifo_size = 64 * 1024;
	port->weight = NAPI_POLL_WEIGHT;
	port->rx_frames = 1;
	port->line.burst = port->memory.burst = 1;
	labnic_seed(port, get_random_u64());
	__skb_queue_head_init(&port->cable);
	__skb_queue_head_init(&port->fifo);
	labnic_timers_setup(port);
}
