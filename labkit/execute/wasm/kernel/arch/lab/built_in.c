// SPDX-License-Identifier: GPL-2.0-only
/* Modules of labkit's that bring an init_module() of their own: here they are part of the kernel (see Kbuild). */
#include <linux/init.h>

int lab_bbr_parts(void);
int lab_ip_gre(void);

static int __init start(void)
{
	int error = lab_bbr_parts();

	return error ? error : lab_ip_gre();
}
late_initcall(start);
