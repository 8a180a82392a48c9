// SPDX-License-Identifier: GPL-2.0-only
/*
 * This kind of link, for rtnetlink: making a pair and deleting it. `ip link add type labnic`, or a message with a
 * LABNIC_PEER.
 *
 * What is set then is of the first port; the settings of the second are sent to it in a message of its own.
 */
#include "labnic.h"
#include "attributes.h"
#include "compat.h"
#include <linux/module.h>

static struct rtnl_link_ops labnic_link_ops;

static int labnic_changelink(struct net_device *dev, struct nlattr *tb[], struct nlattr *data[],
			     struct netlink_ext_ack *extack)
{
	if (data && data[LABNIC_PEER]) {
		NL_SET_ERR_MSG_ATTR(extack, data[LABNIC_PEER], "the other port is fixed when the pair is made");
		return -EINVAL;
	}
	return labnic_configure(netdev_priv(dev), data, extack);
}

static struct net_device *labnic_make_peer(struct net *net, struct net_device *dev, struct nlattr *attribute,
					   struct nlattr *tb[], struct netlink_ext_ack *extack)
{
	struct ifinfomsg *message = attribute ? nla_data(attribute) : NULL;
	unsigned char assigned = NET_NAME_ENUM;
	struct net_device *peer;
	char name[IFNAMSIZ] = "labnic%d";

	if (attribute && tb[IFLA_IFNAME]) {
		nla_strscpy(name, tb[IFLA_IFNAME], IFNAMSIZ);
		assigned = NET_NAME_USER;
	}
	peer = rtnl_create_link(net, name, assigned, &labnic_link_ops, tb, extack);
	if (IS_ERR(peer))
		return peer;
	if (!attribute || !tb[IFLA_ADDRESS])
		eth_hw_addr_random(peer);
	if (message && dev->ifindex)
		peer->ifindex = message->ifi_index;
	return peer;
}

static int labnic_register_peer(struct net_device *peer, struct nlattr *attribute)
{
	int error = register_netdevice(peer);

	if (error) {
		free_netdev(peer);
		return error;
	}
	error = rtnl_configure_link(peer, attribute ? nla_data(attribute) : NULL, 0, NULL);
	if (error)
		unregister_netdevice(peer);
	return error;
}

/* dev: made by rtnetlink, not yet registered. tb, peer_tb: the IFLA_* attributes of the two. */
static int labnic_join(struct net *peer_net, struct net_device *dev, struct nlattr *tb[], struct nlattr *peer_tb[],
		       struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct nlattr *attribute = data ? data[LABNIC_PEER] : NULL;
	struct labnic_port *port = netdev_priv(dev), *other;
	struct labnic_pair *pair;
	struct net_device *peer;
	int error;

	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_random(dev);
	if (!tb[IFLA_IFNAME])
		strscpy(dev->name, "labnic%d", IFNAMSIZ);
	pair = labnic_pair_alloc();
	if (!pair)
		return -ENOMEM;
	port->pair = pair;
	error = labnic_configure(port, data, extack);
	if (error)
		goto put;
	peer = labnic_make_peer(peer_net, dev, attribute, peer_tb, extack);
	error = PTR_ERR_OR_ZERO(peer);
	if (error)
		goto put;
	other = netdev_priv(peer);
	other->pair = pair;
	error = labnic_register_peer(peer, attribute);
	if (error)
		goto put;
	error = register_netdevice(dev);
	if (error) {
		unregister_netdevice(peer);
		goto put;
	}
	port->peer = other;
	other->peer = port;
put:
	labnic_pair_put(pair);	/* each port holds it from ndo_init to ndo_uninit */
	return error;
}

static int labnic_parse_peer(struct nlattr *data[], struct nlattr *peer_tb[], struct netlink_ext_ack *extack)
{
	if (!data || !data[LABNIC_PEER])
		return 0;
	return rtnl_nla_parse_ifinfomsg(peer_tb, data[LABNIC_PEER], extack);
}

static int labnic_newlink(struct net_device *dev, struct rtnl_newlink_params *params, struct netlink_ext_ack *extack)
{
	struct nlattr *peer_tb[IFLA_MAX + 1] = { };
	struct net *net;
	int error = labnic_parse_peer(params->data, peer_tb, extack);

	if (error)
		return error;
	net = labnic_peer_net(params, peer_tb);
	if (IS_ERR(net))
		return PTR_ERR(net);
	error = labnic_join(net, dev, params->tb, peer_tb, params->data, extack);
	put_net(net);
	return error;
}
LABNIC_NEWLINK_FORM(labnic_newlink)

/* One end goes, and the other with it. */
static void labnic_dellink(struct net_device *dev, struct list_head *head)
{
	struct labnic_port *port = netdev_priv(dev), *peer = port->peer;

	labnic_part(port);
	unregister_netdevice_queue(dev, head);
	if (peer)
		unregister_netdevice_queue(peer->dev, head);
}

static struct rtnl_link_ops labnic_link_ops = {
	.kind		= "labnic",
	.priv_size	= sizeof(struct labnic_port),
	.setup		= labnic_setup,
	.policy		= labnic_policy,
	.maxtype	= LABNIC_COUNT - 1,
	.changelink	= labnic_changelink,
	.dellink	= labnic_dellink,
	.get_size	= labnic_get_size,
	.fill_info	= labnic_fill_info,
	LABNIC_NEWLINK(labnic_newlink, LABNIC_PEER),
};

static int __init labnic_init(void)
{
	return rtnl_link_register(&labnic_link_ops);
}

static void __exit labnic_exit(void)
{
	rtnl_link_unregister(&labnic_link_ops);
}

module_init(labnic_init);
module_exit(labnic_exit);
MODULE_DESCRIPTION("A pair of Ethernet ports joined by a cable, for teaching where frames are lost");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RTNL_LINK("labnic");
