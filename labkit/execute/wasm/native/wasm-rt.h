/* What the C of wasm2c is written for, by the names that it uses, and includes by this one. SPDX: MIT */
#ifndef WASM_RT_H
#define WASM_RT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where all that is addressed is; size in bytes. On Linux for x86-64 at an address that fits into an instruction, with
 * what the module has there from the start: no register has to hold it, and no function has to ask for it. The heap of a
 * program that lies lower begins within 1 GiB of it (arch_randomize_brk()). */
#if defined(__linux__) && defined(__x86_64__)
#define MEMORY_AT ((uint8_t *)0x70000000)
#define BASE(data) ((void)(data), MEMORY_AT)
#else
#define MEMORY_AT NULL
#define BASE(data) (data)
#endif
typedef struct {
	uint8_t *data;
	uint64_t size, pages;
} wasm_rt_memory_t;

typedef void (*wasm_rt_function_ptr_t)(void);
/* One object for each type in the module: what is compared is its address. */
typedef const char *wasm_rt_func_type_t;

typedef struct {
	wasm_rt_func_type_t func_type;
	wasm_rt_function_ptr_t func;
	void *module_instance;
} wasm_rt_funcref_t;

typedef struct {
	wasm_rt_funcref_t *data;
	uint32_t size;
} wasm_rt_funcref_table_t;

/* Of calls in the place of a return, which there are none of. */
typedef struct wasm_rt_tailcallee_t {
	void (*fn)(void **instance, void *stack, struct wasm_rt_tailcallee_t *next);
} wasm_rt_tailcallee_t;

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64 } wasm_rt_type_t;

enum wasm_rt_trap { TRAP_OOB, TRAP_DIV_BY_ZERO, TRAP_INT_OVERFLOW, TRAP_UNREACHABLE, TRAP_CALL_INDIRECT };
_Noreturn void wasm_rt_trap(enum wasm_rt_trap why);

/* By so many pages; how many there were, or all ones. */
uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t by);
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t size, uint32_t most);
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table);
#endif
