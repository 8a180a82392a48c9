/* Attempts to leave what is the kernel's: `labkit doctor --security` has them made, one a process. Here are those by the
 * instructions that it is translated to, which end as a fault does; wall_attempts.c has those by system calls. SPDX: MIT */
#include "lab.h"
#include "instructions.h"
#include "system.h"
#include <stdio.h>
#include <string.h>

static const u64 LAST = UINT64_C(0xffffffff) + 0xffffffff; /* an address and an offset */
static const char own_type[1], other_type[1];

static wasm_rt_memory_t *memory(void)
{
	return w2c_env_memory(NULL);
}

static volatile u64 seen; /* so that nothing is left out */

static int read_behind(void)
{
	seen = i64_load_default32(memory()->data, memory()->size, memory(), memory()->size);
	return 0;
}

static int read_last(void)
{
	seen = i64_load_default32(memory()->data, memory()->size, memory(), LAST);
	return 0;
}

static int write_behind(void)
{
	i64_store_default32(memory()->data, memory()->size, memory(), memory()->size, 1);
	return 0;
}

static int write_last(void)
{
	i64_store_default32(memory()->data, memory()->size, memory(), LAST, 1);
	return 0;
}

static int copy_behind(void)
{
	memory_copy(memory(), memory(), (u32)memory()->size - 1, 0, 2);
	return 0;
}

static int fill_behind(void)
{
	memory_fill(memory(), (u32)memory()->size - 1, 0, 2);
	return 0;
}

static int hand_out(void)
{
	memory_at((u32)memory()->size - 1, 2);
	return 0;
}

static void call(u32 number, wasm_rt_func_type_t type)
{
	wasm_rt_funcref_table_t table;

	wasm_rt_allocate_funcref_table(&table, 1, 1);
	table.data[0] = (wasm_rt_funcref_t){own_type, (wasm_rt_function_ptr_t)read_behind, NULL};
	CALL_INDIRECT(table, void (*)(void), type, number);
}

static int call_none(void)
{
	call(1, own_type);
	return 0;
}

static int call_other(void)
{
	call(0, other_type);
	return 0;
}

static u64 deeper(u64 depth)
{
	volatile char frame[1 << 10];

	frame[depth % sizeof frame] = (char)depth;
	return depth == LAST ? 0 : deeper(depth + 1) + (u64)frame[0];
}

static int fill_stack(void)
{
	seen = deeper(0);
	return 0;
}

static const char wall[] = "WebAssembly";
static const struct attempt attempts[] = {
	{wall, "read behind its memory", read_behind},
	{wall, "read at the last address", read_last},
	{wall, "write behind its memory", write_behind},
	{wall, "write at the last address", write_last},
	{wall, "copy across its memory's end", copy_behind},
	{wall, "fill across its memory's end", fill_behind},
	{wall, "have what is behind its memory written out", hand_out},
	{wall, "call what is no function", call_none},
	{wall, "call a function as one of another type", call_other},
	{wall, "call itself without end", fill_stack},
	{NULL, NULL, NULL},
};
static const struct attempt *const all[] = {attempts, wall_attempts};

void attempts_list(void)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct attempt *one = all[i]; one->what; one++)
			printf("%s\t%s\n", one->wall, one->what);
}

bool attempts_make(const char *what)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct attempt *one = all[i]; one->what; one++)
			if (!strcmp(one->what, what)) {
				walls_close();
				tasks_attempt(one->made);
				return true;
			}
	return false;
}
