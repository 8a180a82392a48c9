/* SPDX-License-Identifier: GPL-2.0-only */
/* The attributes of a port over netlink: settings.c reads them, rtnl_link.c makes pairs with them. */
#ifndef LABNIC_ATTRIBUTES_H
#define LABNIC_ATTRIBUTES_H

#include <net/rtnetlink.h>

struct labnic_port;

enum labnic_attribute {
	LABNIC_UNSPEC,
	LABNIC_PEER,		/* struct ifinfomsg and IFLA_* attributes, as in VETH_INFO_PEER */
	LABNIC_SPEED,		/* u32, Mbit/s */
	LABNIC_DUPLEX,		/* u8: 0 half only, 1 full */
	LABNIC_AUTONEG,		/* u8 */
	LABNIC_DELAY,		/* u64, ns to the other port */
	LABNIC_BER,		/* u64, in 1e-15: of what arrives here */
	LABNIC_BURST,		/* u32, bits */
	LABNIC_RX_POWER,	/* s32, 0.1 dBm: plugs in an optical module, and sets the bit error rate */
	LABNIC_MEMORY_BER,	/* u64, in 1e-15: after the FCS has been checked */
	LABNIC_SEED,		/* u64 */
	LABNIC_RX_RING,		/* u32 */
	LABNIC_TX_RING,		/* u32 */
	LABNIC_FIFO,		/* u32, bytes */
	LABNIC_BUS,		/* u64, bit/s, 0: no limit */
	LABNIC_WEIGHT,		/* u32 */
	LABNIC_RX_USECS,	/* u32 */
	LABNIC_RX_FRAMES,	/* u32 */
	LABNIC_PACKET_COST,	/* u32, ns */
	LABNIC_INTERRUPT_COST,	/* u32, ns */
	LABNIC_PAUSE,		/* u8 */
	LABNIC_BQL,		/* u8 */
	LABNIC_COUNT
};

extern const struct nla_policy labnic_policy[LABNIC_COUNT];

int labnic_configure(struct labnic_port *port, struct nlattr *data[], struct netlink_ext_ack *extack);
size_t labnic_get_size(const struct net_device *dev);
int labnic_fill_info(struct sk_buff *skb, const struct net_device *dev);

#endif
