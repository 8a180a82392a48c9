/* Attempts to leave what is the kernel's, by the instructions that it is translated to: `labkit doctor --security` has them
 * made, one a process. One that is stopped ends as a fault does; one that is not returns. SPDX: MIT */
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

static void read_behind(void)
{
	seen = i64_load_default32(memory()->data, memory()->size, memory(), memory()->size);
}

static void read_last(void)
{
	seen = i64_load_default32(memory()->data, memory()->size, memory(), LAST);
}

static void write_behind(void)
{
	i64_store_default32(memory()->data, memory()->size, memory(), memory()->size, 1);
}

static void write_last(void)
{
	i64_store_default32(memory()->data, memory()->size, memory(), LAST, 1);
}

static void copy_behind(void)
{
	memory_copy(memory(), memory(), (u32)memory()->size - 1, 0, 2);
}

static void fill_behind(void)
{
	memory_fill(memory(), (u32)memory()->size - 1, 0, 2);
}

static void hand_out(void)
{
	memory_at((u32)memory()->size - 1, 2);
}

static void call(u32 number, wasm_rt_func_type_t type)
{
	wasm_rt_funcref_table_t table;

	wasm_rt_allocate_funcref_table(&table, 1, 1);
	table.data[0] = (wasm_rt_funcref_t){own_type, read_behind, NULL};
	CALL_INDIRECT(table, void (*)(void), type, number);
}

static void call_none(void)
{
	call(1, own_type);
}

static void call_other(void)
{
	call(0, other_type);
}

static u64 deeper(u64 depth)
{
	volatile char frame[1 << 10];

	frame[depth % sizeof frame] = (char)depth;
	return depth == LAST ? 0 : deeper(depth + 1) + (u64)frame[0];
}

static void fill_stack(void)
{
	seen = deeper(0);
}

static const struct attempt {
	const char *what;
	void (*made)(void);
} attempts[] = {
	{"read behind its memory", read_behind},
	{"read at the last address", read_last},
	{"write behind its memory", write_behind},
	{"write at the last address", write_last},
	{"copy across its memory's end", copy_behind},
	{"fill across its memory's end", fill_behind},
	{"have what is behind its memory written out", hand_out},
	{"call what is no function", call_none},
	{"call a function as one of another type", call_other},
	{"call itself without end", fill_stack},
};

void attempts_list(void)
{
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
		puts(attempts[i].what);
}

bool attempts_make(const char *what)
{
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
		if (!strcmp(attempts[i].what, what)) {
			tasks_attempt(attempts[i].made);
			return true;
		}
	return false;
}
