/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_SYSCALL_H
#define _ASM_WASM_SYSCALL_H
/* System calls are calls of functions (kernel/calls.c): none can be looked at on its way. */
#include <asm/ptrace.h>
#include <linux/sched.h>
#include <uapi/linux/audit.h>

static inline long syscall_get_nr(struct task_struct *task, struct pt_regs *regs)
{
	return -1;
}

static inline void syscall_get_arguments(struct task_struct *task, struct pt_regs *regs, unsigned long *arguments)
{
}

static inline long syscall_get_error(struct task_struct *task, struct pt_regs *regs)
{
	return 0;
}

static inline long syscall_get_return_value(struct task_struct *task, struct pt_regs *regs)
{
	return 0;
}

static inline int syscall_get_arch(struct task_struct *task)
{
	return 0;
}
#endif
