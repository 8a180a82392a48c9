/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed its form in the kernel between 6.1 and 7.2. Nothing else in this folder looks at the version. */
#ifndef LABNIC_COMPAT_H
#define LABNIC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>
#include <net/net_namespace.h>
#include <net/rtnetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/*
 * Making a link. Since 6.15 newlink gets a struct, in which is the peer's namespace: the kernel is told which attribute
 * describes the peer. Before, newlink got the parts one by one, and looked for the namespace itself.
 *
 * A function of today's form is followed by LABNIC_NEWLINK_FORM(function), and LABNIC_NEWLINK(function, attribute) makes
 * it a member of struct rtnl_link_ops. labnic_peer_net() is the peer's namespace, held for the caller, or an error.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
struct rtnl_newlink_params {
	struct net *src_net;
	struct nlattr **tb, **data;
};

static inline struct net *labnic_peer_net(struct rtnl_newlink_params *params, struct nlattr *peer_tb[])
{
	return rtnl_link_get_net(params->src_net, peer_tb);
}

#define LABNIC_NEWLINK_FORM(function)                                                                        \
	static int function##_of_parts(struct net *source, struct net_device *dev, struct nlattr *tb[],     \
				       struct nlattr *data[], struct netlink_ext_ack *extack)               \
	{                                                                                                    \
		struct rtnl_newlink_params params = { .src_net = source, .tb = tb, .data = data };          \
		return function(dev, &params, extack);                                                       \
	}
#define LABNIC_NEWLINK(function, peer_attribute)	.newlink = function##_of_parts
#else
static inline struct net *labnic_peer_net(struct rtnl_newlink_params *params, struct nlattr *peer_tb[])
{
	return get_net(rtnl_newlink_peer_net(params));
}

#define LABNIC_NEWLINK_FORM(function)
#define LABNIC_NEWLINK(function, peer_attribute)	.newlink = function, .peer_type = (peer_attribute)
#endif

#endif
