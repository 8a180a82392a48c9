// SPDX-License-Identifier: GPL-2.0-only
/* Modules of labkit's that bring an init_module() of their own: here they are part of the kernel (see Kbuild). */
#include <linux/init.h>

int labtab_bbr_parts(void);
int labtab_ip_gre(void);

static int __init start(void)
{
	int error = labtab_bbr_parts();

	return error ? error : labtab_ip_gre();
}
late_initcall(start);
