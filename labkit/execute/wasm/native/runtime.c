/* What the C of wasm2c calls besides the memory: a table of functions, and traps. SPDX: MIT */
#include "lab.h"
#include <stdlib.h>

static const char *const said[] = {
	[TRAP_OOB] = "beyond the end of its memory",
	[TRAP_DIV_BY_ZERO] = "a division by zero",
	[TRAP_INT_OVERFLOW] = "a number that no integer holds",
	[TRAP_UNREACHABLE] = "unreachable code",
	[TRAP_CALL_INDIRECT] = "a call of no function, or of one of another type",
};

void wasm_rt_trap(enum wasm_rt_trap why)
{
	console_say("fault: ");
	console_say(said[why]);
	console_say("\n");
	end(FAULT);
}

/* It does not grow. */
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, u32 size, u32 most)
{
	(void)most;
	*table = (wasm_rt_funcref_table_t){.data = calloc(size, sizeof *table->data), .size = size};
	if (!table->data)
		give_up("the table of functions");
}

/* Never called: it ends with the process. */
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
	free(table->data);
}
