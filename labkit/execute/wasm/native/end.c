/* How a machine ends: with what it has printed and why, and the raw file on the disk. In a handler of faults, too: no
 * call here needs more than that may. SPDX: MIT */
#include "lab.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"end", "stuck", "panic", "aborted", "fault"};

void end(enum reason reason)
{
	run_folder_sync();
	if (reason != END) {
		console_say("the machine does not go on: ");
		console_say(names[reason < FAULT ? reason : FAULT]);
		console_say("\n");
	}
	console_show();
	_exit(reason == END ? 0 : 1);
}

void give_up(const char *what)
{
	console_say(what);
	console_say(": ");
	console_say(strerror(errno));
	console_say("\n");
	console_show();
	_exit(1);
}

void end_fault(const char *address)
{
	if (tasks_stack_is_full(address))
		console_say("fault: the stack of a task is full\n");
	else if (memory_has(address))
		wasm_rt_trap(TRAP_OOB);
	else
		console_say("fault: outside of all that is the kernel's\n");
	end(FAULT);
}
