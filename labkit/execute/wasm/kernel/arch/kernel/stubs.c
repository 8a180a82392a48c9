// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel asks of any architecture and nobody asks of this one. */
#include <linux/ptrace.h>
#include <linux/sched/debug.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>

void show_regs(struct pt_regs *regs)
{
}

void show_stack(struct task_struct *task, unsigned long *sp, const char *level)
{
}

void save_stack_trace(struct stack_trace *trace)
{
}

void ptrace_disable(struct task_struct *task)
{
}

long arch_ptrace(struct task_struct *task, long request, unsigned long address, unsigned long data)
{
	return -EIO;
}

void user_enable_single_step(struct task_struct *task)
{
}

void user_disable_single_step(struct task_struct *task)
{
}

/* /proc/cpuinfo, which is empty. */
static void *none(struct seq_file *file, loff_t *at)
{
	return NULL;
}

static void *no_next(struct seq_file *file, void *one, loff_t *at)
{
	return NULL;
}

static void end(struct seq_file *file, void *one)
{
}

static int show(struct seq_file *file, void *one)
{
	return 0;
}

const struct seq_operations cpuinfo_op = { .start = none, .next = no_next, .stop = end, .show = show };
