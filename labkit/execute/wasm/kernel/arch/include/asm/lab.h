/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_LAB_H
#define _ASM_WASM_LAB_H
/*
 * What the machine around the kernel does for it (machine/ in labkit's folder of this kernel). One more is in tasks.c,
 * two that only the agent calls are in its own files; besides these the module imports nothing but its memory.
 */
#include <linux/types.h>

#define LAB_IMPORT(name) __attribute__((import_module("lab"), import_name(#name)))
#define LAB_EXPORT(name) __attribute__((export_name(#name)))

enum lab_stop {
	LAB_OFF,	/* the agent has ended */
	LAB_STUCK,	/* all sleep, and no timer will wake anybody */
	LAB_PANIC,
};

/* Shows what is printed. */
LAB_IMPORT(print) void lab_print(const char *text, u32 size);
/* Ends the machine: it does not return. */
LAB_IMPORT(stop) void lab_stop(enum lab_stop why);
/* Of the lab program. */
LAB_IMPORT(size) u32 lab_size(void);
/* Copies of the program, from an offset on; returns how many bytes there were. */
LAB_IMPORT(read) u32 lab_read(void *to, u32 size, u32 offset);
/* Takes output. */
LAB_IMPORT(write) void lab_write(const void *from, u32 size);
/* Returns when there is a program: false if there will be none. */
LAB_IMPORT(gate) u32 lab_gate(void);

/* Lets time pass. */
void lab_delay(unsigned int ns);
#endif
