// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be set of a port over netlink, and read back: the attributes of enum labnic_attribute, native-endian, in
 * IFLA_INFO_DATA.
 */
#include "labnic.h"
#include "attributes.h"

/* Not const: the policy of older kernels does not take it. */
static struct netlink_range_validation labnic_ber_range = { .max = LABNIC_BER_MAX };
static struct netlink_range_validation labnic_usecs_range = { .max = LABNIC_USECS_MAX };
static struct netlink_range_validation labnic_delay_range = { .max = 10ULL * NSEC_PER_SEC };

const struct nla_policy labnic_policy[LABNIC_COUNT] = {
	[LABNIC_PEER]		= { .len = sizeof(struct ifinfomsg) },
	[LABNIC_SPEED]		= { .type = NLA_U32 },
	[LABNIC_DUPLEX]		= NLA_POLICY_MAX(NLA_U8, 1),
	[LABNIC_AUTONEG]	= NLA_POLICY_MAX(NLA_U8, 1),
	[LABNIC_DELAY]		= NLA_POLICY_FULL_RANGE(NLA_U64, &labnic_delay_range),
	[LABNIC_BER]		= NLA_POLICY_FULL_RANGE(NLA_U64, &labnic_ber_range),
	[LABNIC_BURST]		= NLA_POLICY_RANGE(NLA_U32, 1, LABNIC_BURST_MAX),
	[LABNIC_RX_POWER]	= NLA_POLICY_RANGE(NLA_S32, LABNIC_POWER_MIN, LABNIC_POWER_MAX),
	[LABNIC_MEMORY_BER]	= NLA_POLICY_FULL_RANGE(NLA_U64, &labnic_ber_range),
	[LABNIC_SEED]		= { .type = NLA_U64 },
	[LABNIC_RX_RING]	= NLA_POLICY_RANGE(NLA_U32, 1, LABNIC_RING_MAX),
	[LABNIC_TX_RING]	= NLA_POLICY_RANGE(NLA_U32, 1, LABNIC_RING_MAX),
	[LABNIC_FIFO]		= { .type = NLA_U32 },
	[LABNIC_BUS]		= { .type = NLA_U64 },
	[LABNIC_WEIGHT]		= NLA_POLICY_RANGE(NLA_U32, 1, NAPI_POLL_WEIGHT),
	[LABNIC_RX_USECS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &labnic_usecs_range),
	[LABNIC_RX_FRAMES]	= NLA_POLICY_MAX(NLA_U32, LABNIC_RING_MAX),
	[LABNIC_PACKET_COST]	= { .type = NLA_U32 },
	[LABNIC_INTERRUPT_COST]	= { .type = NLA_U32 },
	[LABNIC_PAUSE]		= NLA_POLICY_MAX(NLA_U8, 1),
	[LABNIC_BQL]		= NLA_POLICY_MAX(NLA_U8, 1),
};

/* What may change while the port is up; for the rest there is ethtool, or the port is taken down. */
static const int labnic_live[] = {
	LABNIC_DELAY, LABNIC_BER, LABNIC_BURST, LABNIC_RX_POWER, LABNIC_MEMORY_BER, LABNIC_SEED, LABNIC_BUS,
	LABNIC_PACKET_COST, LABNIC_INTERRUPT_COST,
};

static bool labnic_is_live(int attribute)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(labnic_live); i++)
		if (labnic_live[i] == attribute)
			return true;
	return false;
}

/* Refuse what does not go together before anything is changed. */
static int labnic_check(struct labnic_port *port, struct nlattr *data[], struct netlink_ext_ack *extack)
{
	u32 speed = data[LABNIC_SPEED] ? nla_get_u32(data[LABNIC_SPEED]) : port->max_speed;
	bool full = data[LABNIC_DUPLEX] ? nla_get_u8(data[LABNIC_DUPLEX]) : !port->half_only;
	unsigned int i;

	for (i = LABNIC_SPEED; i < LABNIC_COUNT; i++)
		if (data[i] && port->running && !labnic_is_live(i)) {
			NL_SET_ERR_MSG_ATTR(extack, data[i], "cannot change while the port is up");
			return -EBUSY;
		}
	for (i = 0; i < labnic_mode_count && labnic_modes[i].speed != speed; i++)
		;
	if (i == labnic_mode_count) {
		NL_SET_ERR_MSG_ATTR(extack, data[LABNIC_SPEED], "no such Ethernet speed");
		return -EINVAL;
	}
	if (!full && speed > 100) {
		NL_SET_ERR_MSG(extack, "half duplex ends at 100 Mbit/s");
		return -EINVAL;
	}
	if (data[LABNIC_BER] && data[LABNIC_RX_POWER]) {
		NL_SET_ERR_MSG_ATTR(extack, data[LABNIC_BER], "the received power sets the bit error rate");
		return -EINVAL;
	}
	return 0;
}

#define SET(attribute, type, target)						\
	do {									\
		if (data[attribute])						\
			(target) = nla_get_##type(data[attribute]);		\
	} while (0)

static void labnic_set_noise(struct labnic_port *port, struct nlattr *data[])
{
	u64 rate = port->line.rate, memory = port->memory.rate;
	u32 burst = port->line.burst;

	if (data[LABNIC_SEED])
		labnic_seed(port, nla_get_u64(data[LABNIC_SEED]));
	SET(LABNIC_BER, u64, rate);
	SET(LABNIC_BURST, u32, burst);
	SET(LABNIC_MEMORY_BER, u64, memory);
	if (data[LABNIC_RX_POWER]) {
		port->module = true;
		port->rx_power = nla_get_s32(data[LABNIC_RX_POWER]);
		rate = labnic_power_to_ber(port->rx_power);
	}
	if (data[LABNIC_SEED] || rate != port->line.rate || burst != port->line.burst)
		labnic_noise_set(&port->line, rate, burst);
	if (data[LABNIC_SEED] || memory != port->memory.rate)
		labnic_noise_set(&port->memory, memory, 1);
}

static void labnic_set(struct labnic_port *port, struct nlattr *data[])
{
	spin_lock_bh(&port->pair->lock);
	SET(LABNIC_SPEED, u32, port->max_speed);
	SET(LABNIC_AUTONEG, u8, port->autoneg);
	if (data[LABNIC_DUPLEX])
		port->half_only = !nla_get_u8(data[LABNIC_DUPLEX]);
	if (data[LABNIC_SPEED] || data[LABNIC_DUPLEX])
		labnic_can(port);
	SET(LABNIC_DELAY, u64, port->delay);
	SET(LABNIC_FIFO, u32, port->fifo_size);
	SET(LABNIC_BUS, u64, port->bus);
	SET(LABNIC_RX_USECS, u32, port->rx_usecs);
	SET(LABNIC_RX_FRAMES, u32, port->rx_frames);
	SET(LABNIC_PACKET_COST, u32, port->packet_cost);
	SET(LABNIC_INTERRUPT_COST, u32, port->interrupt_cost);
	SET(LABNIC_PAUSE, u8, port->pause_rx);
	SET(LABNIC_PAUSE, u8, port->pause_tx);
	SET(LABNIC_BQL, u8, port->bql);
	SET(LABNIC_WEIGHT, u32, port->weight);
	port->napi.weight = port->weight;
	labnic_set_noise(port, data);
	spin_unlock_bh(&port->pair->lock);
}

/* Needs the rtnl lock. Refused is all or nothing. */
int labnic_configure(struct labnic_port *port, struct nlattr *data[], struct netlink_ext_ack *extack)
{
	u32 rx = port->rx.size, tx = port->tx.size;
	int error;

	if (!data)
		return 0;
	error = labnic_check(port, data, extack);
	if (error)
		return error;
	SET(LABNIC_RX_RING, u32, rx);
	SET(LABNIC_TX_RING, u32, tx);
	error = labnic_rings_resize(port, labnic_ring_round(rx), labnic_ring_round(tx));
	if (error)
		return error;
	labnic_set(port, data);
	if (data[LABNIC_RX_POWER])	/* too little light, or enough again */
		labnic_negotiate(port);
	return 0;
}

size_t labnic_get_size(const struct net_device *dev)
{
	return nla_total_size_64bit(sizeof(u64)) * 5 + nla_total_size(sizeof(u32)) * 10 +
	       nla_total_size(sizeof(u8)) * 4;
}

/* The seed is not told: it is the experiment's. */
int labnic_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	const struct labnic_port *port = netdev_priv(dev);

	if (nla_put_u32(skb, LABNIC_SPEED, port->max_speed) ||
	    nla_put_u8(skb, LABNIC_DUPLEX, !port->half_only) ||
	    nla_put_u8(skb, LABNIC_AUTONEG, port->autoneg) ||
	    nla_put_u64_64bit(skb, LABNIC_DELAY, port->delay, LABNIC_UNSPEC) ||
	    nla_put_u64_64bit(skb, LABNIC_BER, port->line.rate, LABNIC_UNSPEC) ||
	    nla_put_u32(skb, LABNIC_BURST, port->line.burst) ||
	    (port->module && nla_put_s32(skb, LABNIC_RX_POWER, port->rx_power)) ||
	    nla_put_u64_64bit(skb, LABNIC_MEMORY_BER, port->memory.rate, LABNIC_UNSPEC) ||
	    nla_put_u32(skb, LABNIC_RX_RING, port->rx.size) ||
	    nla_put_u32(skb, LABNIC_TX_RING, port->tx.size) ||
	    nla_put_u32(skb, LABNIC_FIFO, port->fifo_size) ||
	    nla_put_u64_64bit(skb, LABNIC_BUS, port->bus, LABNIC_UNSPEC) ||
	    nla_put_u32(skb, LABNIC_WEIGHT, port->weight) ||
	    nla_put_u32(skb, LABNIC_RX_USECS, port->rx_usecs) ||
	    nla_put_u32(skb, LABNIC_RX_FRAMES, port->rx_frames) ||
	    nla_put_u32(skb, LABNIC_PACKET_COST, port->packet_cost) ||
	    nla_put_u32(skb, LABNIC_INTERRUPT_COST, port->interrupt_cost) ||
	    nla_put_u8(skb, LABNIC_PAUSE, port->pause_rx && port->pause_tx) ||
	    nla_put_u8(skb, LABNIC_BQL, port->bql))
		return -EMSGSIZE;
	return 0;
}
