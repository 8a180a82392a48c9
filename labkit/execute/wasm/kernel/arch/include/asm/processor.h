/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_PROCESSOR_H
#define _ASM_WASM_PROCESSOR_H
#include <asm/page.h>
#include <asm/ptrace.h>

struct task_struct;

/* Of a task that does not run: where its stack begins, what it does when it is first switched to. */
struct thread_struct {
	unsigned long sp;
	bool started;
	int (*fn)(void *);
	void *arg;
};
#define INIT_THREAD { .started = true }

#define TASK_SIZE 0xffff0000UL
#define TASK_UNMAPPED_BASE 0
#define STACK_TOP TASK_SIZE
#define STACK_TOP_MAX TASK_SIZE
#define KSTK_EIP(task) 0UL
#define KSTK_ESP(task) 0UL
#define cpu_relax() barrier()
#define task_pt_regs(task) ((struct pt_regs *)(task_stack_page(task) + THREAD_SIZE) - 1)

static inline unsigned long __get_wchan(struct task_struct *task)
{
	return 0;
}

static inline void start_thread(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
}

static inline void flush_thread(void)
{
}
#endif
