/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_THREAD_INFO_H
#define _ASM_WASM_THREAD_INFO_H
#include <asm/page.h>

/* For what has an address. Return addresses and the rest are where no instruction reaches them. */
#define THREAD_SIZE_ORDER 3
#define THREAD_SIZE (PAGE_SIZE << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__
struct thread_info {
	unsigned long flags;
	int preempt_count;
	unsigned int cpu;
};
#define INIT_THREAD_INFO(task) { .preempt_count = INIT_PREEMPT_COUNT }
#endif

#define TIF_SYSCALL_TRACE 0
#define TIF_NOTIFY_RESUME 1
#define TIF_SIGPENDING 2
#define TIF_NEED_RESCHED 3
#define TIF_RESTORE_SIGMASK 6
#define TIF_NOTIFY_SIGNAL 7
#define TIF_MEMDIE 17

#define _TIF_SYSCALL_TRACE (1 << TIF_SYSCALL_TRACE)
#define _TIF_NOTIFY_RESUME (1 << TIF_NOTIFY_RESUME)
#define _TIF_SIGPENDING (1 << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED (1 << TIF_NEED_RESCHED)
#define _TIF_NOTIFY_SIGNAL (1 << TIF_NOTIFY_SIGNAL)
#endif
