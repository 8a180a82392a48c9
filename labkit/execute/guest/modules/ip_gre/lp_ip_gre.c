// SPDX-License-Identifier: GPL-2.0-only
/*
 * GRE (RFC 2784) as one module: the kernel's own sources of it, which the lab kernel does not have built in, since
 * each initcall of what is built in would change the random numbers of every run.
 *
 * Two of these files are modules by themselves. Here their initialisers are named, and called one after the other.
 * No namespace gets the devices gre0, gretap0 and erspan0, which are of no use here.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#define CONFIG_DST_CACHE 1
#define CONFIG_GRO_CELLS 1
#define CONFIG_NET_IP_TUNNEL 1
#define CONFIG_NET_IPGRE_DEMUX 1

#include <linux/module.h>

#undef module_init
#undef module_exit
#undef MODULE_AUTHOR
#undef MODULE_DESCRIPTION
#undef MODULE_LICENSE
#define module_exit(exit)
#define MODULE_AUTHOR(who)
#define MODULE_DESCRIPTION(what)
#define MODULE_LICENSE(license)

#include "net/core/dst_cache.c"
#include "net/core/gro_cells.c"
#include "net/ipv4/ip_tunnel.c"

#define module_init(init) static int (*const demultiplexer)(void) = init;
#define gre_rcv demultiplexed
#define gre_err demultiplexed_error
#include "net/ipv4/gre_demux.c"
#undef gre_rcv
#undef gre_err

#undef module_init
#define module_init(init) static int (*const tunnels)(void) = init;
#include "net/ipv4/ip_gre.c"

static int __init lp_ip_gre(void)
{
	int error;

	sysctl_fb_tunnels_only_for_init_net = 2; /* none */
	error = demultiplexer();
	return error ? error : tunnels();
}

int init_module(void) __copy(lp_ip_gre) __attribute__((alias("lp_ip_gre")));

MODULE_INFO(license, "GPL");
