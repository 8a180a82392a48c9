// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which speed and duplex two ports agree on (IEEE 802.3 clause 28), and the link that comes of it.
 *
 *   both negotiate       the best mode that both advertise
 *   neither              each does as told: same speed, or no link
 *   one does             it hears the other's speed (10 and 100 Mbit/s only), cannot hear its duplex, and takes half:
 *                        a duplex mismatch, if the other was told full
 *
 * A real port takes about two seconds for it. This one takes none.
 */
#include "labnic.h"

#define MODE(name)	ETHTOOL_LINK_MODE_##name##_BIT

const struct labnic_mode labnic_modes[] = {	/* from worst to best */
	{ 10, DUPLEX_HALF, MODE(10baseT_Half), MODE(10baseT_Half) },
	{ 10, DUPLEX_FULL, MODE(10baseT_Full), MODE(10baseT_Full) },
	{ 100, DUPLEX_HALF, MODE(100baseT_Half), MODE(100baseFX_Half) },
	{ 100, DUPLEX_FULL, MODE(100baseT_Full), MODE(100baseFX_Full) },
	{ 1000, DUPLEX_FULL, MODE(1000baseT_Full), MODE(1000baseX_Full) },
	{ 2500, DUPLEX_FULL, MODE(2500baseT_Full), MODE(2500baseX_Full) },
	{ 5000, DUPLEX_FULL, MODE(5000baseT_Full), MODE(5000baseT_Full) },
	{ 10000, DUPLEX_FULL, MODE(10000baseT_Full), MODE(10000baseSR_Full) },
	{ 25000, DUPLEX_FULL, MODE(25000baseCR_Full), MODE(25000baseSR_Full) },
	{ 40000, DUPLEX_FULL, MODE(40000baseCR4_Full), MODE(40000baseSR4_Full) },
	{ 100000, DUPLEX_FULL, MODE(100000baseCR4_Full), MODE(100000baseSR4_Full) },
};
const unsigned int labnic_mode_count = ARRAY_SIZE(labnic_modes);

/* A bit for each mode that the port is made for. */
u32 labnic_modes_up_to(const struct labnic_port *port)
{
	u32 bits = 0;
	unsigned int i;

	for (i = 0; i < labnic_mode_count; i++)
		if (labnic_modes[i].speed <= port->max_speed &&
		    !(port->half_only && labnic_modes[i].duplex == DUPLEX_FULL))
			bits |= BIT(i);
	return bits;
}

/* After max_speed or half_only has been set: willing to do all it can. */
void labnic_can(struct labnic_port *port)
{
	port->forced_speed = port->max_speed;
	port->forced_duplex = port->half_only ? DUPLEX_HALF : DUPLEX_FULL;
	port->willing = labnic_modes_up_to(port);
}

/* One end was told what to do, the other listens. */
static bool labnic_parallel_detection(const struct labnic_port *told, const struct labnic_port *listens)
{
	unsigned int i;

	if (told->forced_speed > 100)
		return false;
	for (i = 0; i < labnic_mode_count; i++)
		if (listens->willing & BIT(i) && labnic_modes[i].speed == told->forced_speed)
			return true;
	return false;
}

struct outcome {
	bool link;
	u32 speed;
	u8 duplex[2];
};

static struct outcome labnic_agree(const struct labnic_port *a, const struct labnic_port *b)
{
	struct outcome found = { .speed = a->forced_speed, .duplex = { a->forced_duplex, b->forced_duplex } };

	if (!a->running || !b->running || labnic_is_dark(a) || labnic_is_dark(b))
		return found;
	if (a->autoneg && b->autoneg) {
		u32 common = a->willing & b->willing;

		if (common) {
			const struct labnic_mode *mode = &labnic_modes[fls(common) - 1];

			found = (struct outcome){ true, mode->speed, { mode->duplex, mode->duplex } };
		}
	} else if (!a->autoneg && !b->autoneg) {
		found.link = a->forced_speed == b->forced_speed;
	} else {
		const struct labnic_port *told = a->autoneg ? b : a;

		found.link = labnic_parallel_detection(told, a->autoneg ? a : b);
		found.speed = told->forced_speed;
		found.duplex[a->autoneg ? 0 : 1] = DUPLEX_HALF;
	}
	return found;
}

static void labnic_link_down(struct labnic_port *port)
{
	labnic_cable_cut(port);
	labnic_flush_tx(port, LABNIC_LOST_CARRIER);
	port->link = false;
	port->asked_until = 0;
	netif_carrier_off(port->dev);
}

static void labnic_link_up(struct labnic_port *port, u32 speed, u8 duplex)
{
	port->link = true;
	port->speed = speed;
	port->duplex = duplex;
	netif_carrier_on(port->dev);
	netif_wake_queue(port->dev);
}

/*
 * Whenever something has changed: port opened or closed, told otherwise, in the dark. A link that stays as it was is
 * not touched; any other change takes it down first, with all that is on it. Needs the rtnl lock, and not the pair's.
 */
void labnic_negotiate(struct labnic_port *port)
{
	struct labnic_port *peer;
	struct outcome now;

	spin_lock_bh(&port->pair->lock);
	peer = port->peer;
	if (!peer)
		goto out;
	now = labnic_agree(port, peer);
	if (port->link && (!now.link || port->speed != now.speed || port->duplex != now.duplex[0] ||
			   peer->duplex != now.duplex[1])) {
		labnic_link_down(port);
		labnic_link_down(peer);
	}
	if (now.link && !port->link) {
		labnic_link_up(port, now.speed, now.duplex[0]);
		labnic_link_up(peer, now.speed, now.duplex[1]);
	}
out:
	spin_unlock_bh(&port->pair->lock);
}

/* One of the two is being deleted: the cable is gone for good. Needs the rtnl lock, and not the pair's. */
void labnic_part(struct labnic_port *port)
{
	struct labnic_port *peer;

	spin_lock_bh(&port->pair->lock);
	peer = port->peer;
	if (peer) {
		labnic_link_down(port);
		labnic_link_down(peer);
		port->peer = peer->peer = NULL;
	}
	spin_unlock_bh(&port->pair->lock);
}
