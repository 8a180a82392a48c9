/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_TIME_INTERNAL_H
#define _LINUX_TIME_INTERNAL_H
/* As arch/um's of this name: time is always virtual. */
enum { TT_MODE_INFCPU };
#define time_travel_mode TT_MODE_INFCPU
#endif
