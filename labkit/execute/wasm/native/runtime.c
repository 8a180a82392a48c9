/* What the C of wasm2c calls besides the memory: a table of functions, and traps. SPDX: MIT */
#include "lab.h"
#include <stdlib.h>

static const char *const said[] = {
	[WASM_RT_TRAP_OOB] = "beyond the end of its memory",
	[WASM_RT_TRAP_INT_OVERFLOW] = "a quotient that is too large",
	[WASM_RT_TRAP_DIV_BY_ZERO] = "a division by zero",
	[WASM_RT_TRAP_INVALID_CONVERSION] = "not a number, as an integer",
	[WASM_RT_TRAP_UNREACHABLE] = "unreachable code",
	[WASM_RT_TRAP_CALL_INDIRECT] = "a call of no function, or of one of another type",
};

_Noreturn void wasm_rt_trap(wasm_rt_trap_t why)
{
	console_say("fault: ");
	console_say(why < sizeof said / sizeof *said && said[why] ? said[why] : "a trap");
	console_say("\n");
	end(FAULT);
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, u32 size, u32 most)
{
	*table = (wasm_rt_funcref_table_t){.data = calloc(size, sizeof *table->data), .size = size, .max_size = most};
	if (!table->data)
		give_up("the table of functions");
}

/* Never called: it ends with the process. */
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
	free(table->data);
}

bool wasm_rt_is_initialized(void)
{
	return true;
}
