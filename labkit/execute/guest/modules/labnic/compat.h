/* SPDX-License-Identifier: GPL-2.0-only */
/* What changed its name in the kernel between 6.1 and 7.2. Nothing else in this folder looks at the version. */
#ifndef LABNIC_COMPAT_H
#define LABNIC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>
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

#endif
