/* The kernel's memory, among as many addresses as an access can reach: it is at one of 32 bits and an offset of as many,
 * and some bytes long. Where nothing is yet an access is a fault: none is checked. SPDX: MIT */
#include "lab.h"
#include "system.h"
#include <errno.h>

enum { PAGE = 1 << 16, PAGES_OF_A_MIB = 16, MOST_PAGES = 1 << 16 };
#define REACH (((size_t)1 << 33) + PAGE)

static wasm_rt_memory_t memory;

wasm_rt_memory_t *w2c_env_memory(struct w2c_env *unused)
{
	(void)unused;
	return &memory;
}

bool memory_start(unsigned mib)
{
	u64 pages = (u64)mib * PAGES_OF_A_MIB;

	if (pages < wasm2c_kernel_min_env_memory) {
		errno = ENOMEM;
		return false;
	}
	memory.data = system_reserve(MEMORY_AT, REACH);
	if (!memory.data)
		return false;
	return wasm_rt_grow_memory(&memory, pages) == 0;
}

/* memory.grow: how many pages there were, or all ones. */
u64 wasm_rt_grow_memory(wasm_rt_memory_t *grown, u64 by)
{
	u64 before = grown->pages;

	if (by > MOST_PAGES - before || (by && !system_commit(grown->data + grown->size, by * PAGE)))
		return ~(u64)0;
	grown->pages += by;
	grown->size += by * PAGE;
	return before;
}

void *memory_at(u32 address, u32 size)
{
	if ((u64)address + size > memory.size)
		wasm_rt_trap(TRAP_OOB);
	return memory.data + address;
}

bool memory_has(const char *address)
{
	return (const u8 *)address >= memory.data && (const u8 *)address < memory.data + REACH;
}
