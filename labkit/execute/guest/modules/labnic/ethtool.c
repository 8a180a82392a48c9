// SPDX-License-Identifier: GPL-2.0-only
/* What `ethtool` asks and sets. Errors are those of real drivers. */
#include "labnic.h"

static void labnic_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "labnic", sizeof(info->driver));
	strscpy(info->bus_info, "lab", sizeof(info->bus_info));
}

static void labnic_modes_to_ethtool(const struct labnic_port *port, u32 modes, unsigned long *mask)
{
	unsigned int i;

	for (i = 0; i < labnic_mode_count; i++)
		if (modes & BIT(i))
			__set_bit(port->module ? labnic_modes[i].fibre : labnic_modes[i].copper, mask);
}

static u32 labnic_modes_from_ethtool(const struct labnic_port *port, const unsigned long *mask)
{
	u32 modes = 0;
	unsigned int i;

	for (i = 0; i < labnic_mode_count; i++)
		if (test_bit(port->module ? labnic_modes[i].fibre : labnic_modes[i].copper, mask))
			modes |= BIT(i);
	return modes & labnic_modes_up_to(port);
}

static int labnic_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	struct labnic_port *port = netdev_priv(dev);

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	ethtool_link_ksettings_zero_link_mode(settings, advertising);
	spin_lock_bh(&port->pair->lock);
	labnic_modes_to_ethtool(port, labnic_modes_up_to(port), settings->link_modes.supported);
	ethtool_link_ksettings_add_link_mode(settings, supported, Autoneg);
	ethtool_link_ksettings_add_link_mode(settings, supported, Pause);
	if (port->autoneg) {
		labnic_modes_to_ethtool(port, port->willing, settings->link_modes.advertising);
		ethtool_link_ksettings_add_link_mode(settings, advertising, Autoneg);
	}
	settings->base.autoneg = port->autoneg ? AUTONEG_ENABLE : AUTONEG_DISABLE;
	settings->base.speed = port->link ? port->speed : SPEED_UNKNOWN;
	settings->base.duplex = port->link ? port->duplex : DUPLEX_UNKNOWN;
	settings->base.port = port->module ? PORT_FIBRE : PORT_TP;
	if (port->module)
		ethtool_link_ksettings_add_link_mode(settings, supported, FIBRE);
	else
		ethtool_link_ksettings_add_link_mode(settings, supported, TP);
	spin_unlock_bh(&port->pair->lock);
	return 0;
}

/* The modes of a speed and duplex that the port has; 0: none. */
static u32 labnic_find_mode(const struct labnic_port *port, u32 speed, u8 duplex)
{
	unsigned int i;

	for (i = 0; i < labnic_mode_count; i++)
		if (labnic_modes[i].speed == speed && labnic_modes[i].duplex == duplex)
			return BIT(i) & labnic_modes_up_to(port);
	return 0;
}

/*
 * The link is negotiated anew and lost if anything changes by that, with what is on it. Told to (autoneg off) is one
 * mode; else what is advertised.
 */
static int labnic_set_link_ksettings(struct net_device *dev, const struct ethtool_link_ksettings *settings)
{
	struct labnic_port *port = netdev_priv(dev);
	u32 modes;

	if (settings->base.autoneg == AUTONEG_ENABLE)
		modes = labnic_modes_from_ethtool(port, settings->link_modes.advertising);
	else
		modes = labnic_find_mode(port, settings->base.speed, settings->base.duplex);
	if (!modes)
		return -EINVAL;
	spin_lock_bh(&port->pair->lock);
	port->autoneg = settings->base.autoneg == AUTONEG_ENABLE;
	if (port->autoneg) {
		port->willing = modes;
	} else {
		port->forced_speed = settings->base.speed;
		port->forced_duplex = settings->base.duplex;
	}
	spin_unlock_bh(&port->pair->lock);
	labnic_negotiate(port);
	return 0;
}

static void labnic_get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
				 struct kernel_ethtool_ringparam *kernel_ring, struct netlink_ext_ack *extack)
{
	struct labnic_port *port = netdev_priv(dev);

	ring->rx_max_pending = ring->tx_max_pending = LABNIC_RING_MAX;
	ring->rx_pending = port->rx.size;
	ring->tx_pending = port->tx.size;
}

/* More than the maximum has been refused by the kernel before. */
static int labnic_set_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
				struct kernel_ethtool_ringparam *kernel_ring, struct netlink_ext_ack *extack)
{
	if (!ring->rx_pending || !ring->tx_pending) {
		NL_SET_ERR_MSG(extack, "a ring has at least one descriptor");
		return -EINVAL;
	}
	return labnic_rings_resize(netdev_priv(dev), labnic_ring_round(ring->rx_pending),
				   labnic_ring_round(ring->tx_pending));
}

static int labnic_get_coalesce(struct net_device *dev, struct ethtool_coalesce *coal,
			       struct kernel_ethtool_coalesce *kernel_coal, struct netlink_ext_ack *extack)
{
	struct labnic_port *port = netdev_priv(dev);

	coal->rx_coalesce_usecs = port->rx_usecs;
	coal->rx_max_coalesced_frames = port->rx_frames;
	return 0;
}

static int labnic_set_coalesce(struct net_device *dev, struct ethtool_coalesce *coal,
			       struct kernel_ethtool_coalesce *kernel_coal, struct netlink_ext_ack *extack)
{
	struct labnic_port *port = netdev_priv(dev);

	if (!coal->rx_coalesce_usecs && !coal->rx_max_coalesced_frames) {
		NL_SET_ERR_MSG(extack, "rx-usecs and rx-frames both 0: there would be no interrupt");
		return -EINVAL;
	}
	if (coal->rx_coalesce_usecs > LABNIC_USECS_MAX || coal->rx_max_coalesced_frames > LABNIC_RING_MAX) {
		NL_SET_ERR_MSG(extack, "rx-usecs ends at 1000000, rx-frames at 4096");
		return -EINVAL;
	}
	spin_lock_bh(&port->pair->lock);
	port->rx_usecs = coal->rx_coalesce_usecs;
	port->rx_frames = coal->rx_max_coalesced_frames;
	if (port->running && labnic_ring_used(&port->rx))	/* do not wait by the old rule */
		labnic_frame_is_there(port, labnic_now());
	spin_unlock_bh(&port->pair->lock);
	return 0;
}

static void labnic_get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct labnic_port *port = netdev_priv(dev);

	pause->autoneg = AUTONEG_DISABLE;
	pause->rx_pause = port->pause_rx;
	pause->tx_pause = port->pause_tx;
}

static int labnic_set_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	struct labnic_port *port = netdev_priv(dev);

	if (pause->autoneg == AUTONEG_ENABLE)
		return -EINVAL;
	spin_lock_bh(&port->pair->lock);
	port->pause_rx = pause->rx_pause;
	port->pause_tx = pause->tx_pause;
	if (!port->pause_rx)
		port->paused_until = 0;
	labnic_pause_check(port, labnic_now());
	labnic_transmit(port, labnic_now());
	spin_unlock_bh(&port->pair->lock);
	return 0;
}

static void labnic_get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *stats)
{
	struct labnic_port *port = netdev_priv(dev);

	stats->rx_pause_frames = port->counters[labnic_rx_pause];
	stats->tx_pause_frames = port->counters[labnic_tx_pause];
}

static int labnic_get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? LABNIC_COUNTER_COUNT : -EOPNOTSUPP;
}

static void labnic_get_strings(struct net_device *dev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, labnic_counter_names, sizeof(labnic_counter_names));
}

static void labnic_get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	struct labnic_port *port = netdev_priv(dev);

	spin_lock_bh(&port->pair->lock);
	memcpy(data, port->counters, sizeof(port->counters));
	spin_unlock_bh(&port->pair->lock);
}

const struct ethtool_ops labnic_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS | ETHTOOL_COALESCE_RX_MAX_FRAMES,
	.get_drvinfo		= labnic_get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_ts_info		= ethtool_op_get_ts_info,
	.get_link_ksettings	= labnic_get_link_ksettings,
	.set_link_ksettings	= labnic_set_link_ksettings,
	.get_ringparam		= labnic_get_ringparam,
	.set_ringparam		= labnic_set_ringparam,
	.get_coalesce		= labnic_get_coalesce,
	.set_coalesce		= labnic_set_coalesce,
	.get_pauseparam		= labnic_get_pauseparam,
	.set_pauseparam		= labnic_set_pauseparam,
	.get_pause_stats	= labnic_get_pause_stats,
	.get_sset_count		= labnic_get_sset_count,
	.get_strings		= labnic_get_strings,
	.get_ethtool_stats	= labnic_get_ethtool_stats,
	.get_module_info	= labnic_module_info,
	.get_module_eeprom	= labnic_module_eeprom,
};
