/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab's machine in a browser tab: what the kernel and its host (../../machine/hypercalls.mjs) share. There are no
 * devices and no interrupts. The kernel writes what it wants into this struct and halts; the host does it and lets the
 * machine go on. Port LABTAB_PORT tells the host where the struct is, port LABTAB_CONSOLE prints a character.
 */
#ifndef _ASM_LABTAB_H
#define _ASM_LABTAB_H

#define LABTAB_PORT	0x7a0
#define LABTAB_CONSOLE	0xe9

#ifndef __ASSEMBLY__
#include <linux/types.h>

enum labtab_call {
	LABTAB_NONE,
	LABTAB_SIZE,	/* of the lab program: answered in size */
	LABTAB_READ,	/* size bytes of the program, from offset on, to address */
	LABTAB_WRITE,	/* size bytes at address are output */
	LABTAB_GATE,	/* go on when there is a program */
	LABTAB_OFF,	/* the agent has ended */
	LABTAB_STUCK,	/* all sleep, and no timer will wake anybody */
	LABTAB_PANIC,
};

struct labtab {
	u64 now;	/* the clock: nanoseconds since the start */
	u32 call;	/* enum labtab_call */
	u32 address;	/* physical */
	u32 size;
	u32 offset;
};

extern volatile struct labtab labtab;

/* Has the host do something, at the same instant. Returns labtab.size. */
u32 labtab_call(enum labtab_call call, const void *bytes, u32 size, u32 offset);

/* Instead of the processor's own flag: nothing ever interrupts it. */
extern unsigned long labtab_interrupts;

void labtab_early_setup(void);
void labtab_idle(void);
void labtab_time_init(void);

/* Lets time pass. */
void labtab_delay(unsigned int ns);
#endif
#endif
