/* The kernel's tasks: a stack for each, for what has no address in the kernel's memory. kernel/arch/kernel/tasks.c says
 * what the kernel keeps itself. SPDX: MIT */
#include "lab.h"
#include "system.h"
#include <errno.h>
#include <unistd.h>

enum { BITS = 12, TASKS = 1 << BITS };

/* address: of its task_struct; sp: the kernel's own stack pointer while it is left. */
struct task {
	u32 address, sp;
	struct fiber fiber;
};

static struct task tasks[TASKS], boot, *current = &boot;
static u32 previous;

/* Where a task that has ended was, another may come to be: it takes over the stack. */
static struct task *at(u32 address)
{
	u32 i = address * 2654435769u >> (32 - BITS);

	for (u32 tried = 0; tried < TASKS; tried++, i = (i + 1) % TASKS) {
		if (tasks[i].address == address)
			return &tasks[i];
		if (!tasks[i].address) {
			tasks[i].address = address;
			return &tasks[i];
		}
	}
	console_say("fault: more tasks than there is room for\n");
	end(FAULT);
}

static void enter_thread(void)
{
	w2c_kernel_thread(&kernel, previous);
	console_say("fault: a task of the kernel has returned\n");
	end(FAULT);
}

static void enter_kernel(void)
{
	w2c_kernel_start(&kernel);
	console_say("fault: the kernel has returned\n");
	end(FAULT);
}

u32 w2c_lab_switch_to(struct w2c_lab *unused, u32 prev, u32 next, u32 fresh, u32 sp)
{
	u32 *stack_pointer = w2c_kernel_0x5F_stack_pointer(&kernel);
	struct task *from = current, *to = at(next);

	(void)unused;
	if (from == &boot) { /* nobody knew its address */
		struct task *known = at(prev);
		known->fiber = boot.fiber;
		from = known;
	}
	if (fresh && !fiber_make(&to->fiber, enter_thread))
		give_up("a stack for a task");
	from->sp = *stack_pointer;
	*stack_pointer = fresh ? sp : to->sp;
	previous = prev;
	current = to;
	fiber_switch(&from->fiber, &to->fiber);
	return previous;
}

void tasks_start(void)
{
	struct fiber process = {0};

	if (!fiber_make(&boot.fiber, enter_kernel))
		give_up("a stack for the kernel");
	fiber_switch(&process, &boot.fiber);
	end(FAULT);
}

static int (*attempt)(void);

static void enter_attempt(void)
{
	errno = attempt();
	if (errno == EPERM || errno == EACCES)
		give_up("a wall");
	_exit(0); /* another error says that it was let through */
}

void tasks_attempt(int (*made)(void))
{
	struct fiber process = {0};

	attempt = made;
	if (!fiber_make(&boot.fiber, enter_attempt))
		give_up("a stack for an attempt");
	fiber_switch(&process, &boot.fiber);
}

bool tasks_stack_is_full(const char *address)
{
	return fiber_is_full(&current->fiber, address);
}
