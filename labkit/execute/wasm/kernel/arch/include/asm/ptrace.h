/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_PTRACE_H
#define _ASM_WASM_PTRACE_H
#include <uapi/asm/ptrace.h>

#define user_mode(regs) 0
#define instruction_pointer(regs) ((regs)->ip)
#define user_stack_pointer(regs) ((regs)->sp)
#define kernel_stack_pointer(regs) ((regs)->sp)
#define profile_pc(regs) ((regs)->ip)
#define regs_return_value(regs) ((regs)->ret)
#define arch_has_single_step() 0
#define current_pt_regs() task_pt_regs(current)

static inline void instruction_pointer_set(struct pt_regs *regs, unsigned long place)
{
	regs->ip = place;
}
#endif
