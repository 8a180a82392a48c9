/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed its name in the kernel between 6.1 and 6.17. Nothing else in this folder looks at the version. */
#ifndef LABNIC_COMPAT_H
#define LABNIC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>
#include <net/rtnetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
static inline int rtnl_nla_parse_ifinfomsg(struct nlattr **tb, const struct nlattr *peer,
					   struct netlink_ext_ack *extack)
{
	return rtnl_nla_parse_ifla(tb, nla_data(peer) + sizeof(struct ifinfomsg),
				   nla_len(peer) - sizeof(struct ifinfomsg), extack);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define rtnl_configure_link(dev, ifm, portid, nlh) rtnl_configure_link(dev, ifm)
#endif

#endif
