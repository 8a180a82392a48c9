// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks. WebAssembly's own stack, with return addresses and what has no address, belongs to the machine around the
 * kernel, which has one for each task and changes them in switch_to(). What has an address lies on the task's stack as
 * any kernel knows it; the machine changes the global that points into it, too.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <asm/lab.h>

/*
 * Goes on with `next` where it was left or, if it is fresh, in lab_thread() with the stack sp. Returns when somebody
 * goes on with `prev`: who that was before.
 */
LAB_IMPORT(switch_to)
struct task_struct *lab_switch_to(struct task_struct *prev, struct task_struct *next, u32 fresh, u32 sp);
LAB_EXPORT(thread) void lab_thread(struct task_struct *prev);

struct task_struct *wasm_current = &init_task;

/* Idle and whoever starts the kernel are on the stack that the module itself brings. */
unsigned long init_stack[THREAD_SIZE / sizeof(unsigned long)] __aligned(THREAD_SIZE);

int copy_thread(struct task_struct *task, const struct kernel_clone_args *args)
{
	unsigned long top = (unsigned long)task_pt_regs(task);

	/* The compiler takes a stack to begin at a multiple of 16: it writes `x | 8` for `x + 8`. */
	task->thread = (struct thread_struct){ .sp = (top - 16) & ~15ul, .fn = args->fn, .arg = args->fn_arg };
	return 0;
}

void lab_thread(struct task_struct *prev)
{
	schedule_tail(prev);
	current->thread.fn(current->thread.arg);
	do_exit(0);
}

struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next)
{
	bool fresh = !next->thread.started;

	next->thread.started = true;
	wasm_current = next;
	return lab_switch_to(prev, next, fresh, next->thread.sp);
}
