/* Instructions of WebAssembly that are no operator of C, by the names that wasm2c gives them. They stand in the place of
 * those that it would bring itself, which may not be handed on together with Linux (translated.py). What a kernel uses is
 * here; of others the compiler says that they are not declared. SPDX: MIT */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H
#include "wasm-rt.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define assert(true_of_it) ((void)0)
#define LIKELY(of) __builtin_expect(!!(of), 1)
#define UNLIKELY(of) __builtin_expect(!!(of), 0)
#define TRAP(why) (wasm_rt_trap(TRAP_##why), 0)
#define UNREACHABLE wasm_rt_trap(TRAP_UNREACHABLE)
#define FUNC_PROLOGUE
#define FUNC_EPILOGUE
#define FUNC_TYPE_DECL_EXTERN_T(type) extern const char type[]
#define FUNC_TYPE_EXTERN_T(type) const char type[]
#define WEAK_FUNC_DECL(name, unused) \
	__attribute__((unused)) static void unused(void **instance_ptr, void *tail_call_stack, wasm_rt_tailcallee_t *next)
#define wasm_rt_memcpy memcpy

/* ---- Memory ----
 * An address of 33 bits is always within what is reserved for it (memory.c): it is not compared with anything. */

#define LOAD(name, in_memory, widened, result)                                                                     \
	static inline result name##_default32(uint8_t *base, uint64_t size, const wasm_rt_memory_t *memory, uint64_t at) \
	{                                                                                                          \
		in_memory value;                                                                                   \
		(void)size, (void)memory;                                                                          \
		memcpy(&value, BASE(base) + at, sizeof value);                                                           \
		return (result)(widened)value;                                                                     \
	}
#define STORE(name, in_memory, given)                                                                              \
	static inline void name##_default32(uint8_t *base, uint64_t size, const wasm_rt_memory_t *memory,          \
					    uint64_t at, given value)                                              \
	{                                                                                                          \
		in_memory stored = (in_memory)value;                                                               \
		(void)size, (void)memory;                                                                          \
		memcpy(BASE(base) + at, &stored, sizeof stored);                                                         \
	}

LOAD(i32_load, uint32_t, uint32_t, uint32_t)
LOAD(i32_load8_s, int8_t, int32_t, uint32_t)
LOAD(i32_load8_u, uint8_t, uint32_t, uint32_t)
LOAD(i32_load16_s, int16_t, int32_t, uint32_t)
LOAD(i32_load16_u, uint16_t, uint32_t, uint32_t)
LOAD(i64_load, uint64_t, uint64_t, uint64_t)
LOAD(i64_load8_s, int8_t, int64_t, uint64_t)
LOAD(i64_load8_u, uint8_t, uint64_t, uint64_t)
LOAD(i64_load16_s, int16_t, int64_t, uint64_t)
LOAD(i64_load16_u, uint16_t, uint64_t, uint64_t)
LOAD(i64_load32_s, int32_t, int64_t, uint64_t)
LOAD(i64_load32_u, uint32_t, uint64_t, uint64_t)
LOAD(f64_load, double, double, double)
STORE(i32_store, uint32_t, uint32_t)
STORE(i32_store8, uint8_t, uint32_t)
STORE(i32_store16, uint16_t, uint32_t)
STORE(i64_store, uint64_t, uint64_t)
STORE(i64_store8, uint8_t, uint64_t)
STORE(i64_store16, uint16_t, uint64_t)
STORE(i64_store32, uint32_t, uint64_t)
STORE(f64_store, double, double)

static inline uint8_t *within(const wasm_rt_memory_t *memory, uint64_t at, uint64_t size)
{
	if (UNLIKELY(at + size > memory->size))
		wasm_rt_trap(TRAP_OOB);
	return memory->data + at;
}

static inline void memory_fill(const wasm_rt_memory_t *memory, uint32_t at, uint32_t byte, uint32_t size)
{
	memset(within(memory, at, size), (int)byte, size);
}

static inline void memory_copy(const wasm_rt_memory_t *to, const wasm_rt_memory_t *from, uint32_t to_at,
			       uint32_t from_at, uint32_t size)
{
	memmove(within(to, to_at, size), within(from, from_at, size), size);
}

/* What the memory holds from the start; no piece of it is nothing. */
#define LOAD_DATA(memory, at, piece, size) \
	do \
		if (size) \
			memcpy(within(&(memory), at, size), piece, size); \
	while (0)

/* ---- Calls by number ---- */

typedef enum { RefFunc } wasm_elem_segment_expr_type_t;
typedef struct {
	wasm_elem_segment_expr_type_t kind;
	wasm_rt_func_type_t type;
	wasm_rt_function_ptr_t func;
	wasm_rt_tailcallee_t tailcallee;
	size_t module_offset;
} wasm_elem_segment_expr_t;

#define CALL_INDIRECT(table, pointer, type, number, ...)                                                           \
	((LIKELY((number) < (table).size && (table).data[number].func_type == (type)) || TRAP(CALL_INDIRECT)),     \
	 ((pointer)(table).data[number].func)(__VA_ARGS__))

static inline void funcref_table_init(wasm_rt_funcref_table_t *table, const wasm_elem_segment_expr_t *from,
				      uint32_t from_size, uint64_t at, uint32_t from_at, uint32_t count, void *instance)
{
	if (from_at + (uint64_t)count > from_size || at + count > table->size)
		wasm_rt_trap(TRAP_OOB);
	for (uint32_t i = 0; i < count; i++) {
		const wasm_elem_segment_expr_t *one = &from[from_at + i];
		table->data[at + i] =
			(wasm_rt_funcref_t){one->type, one->func, (char *)instance + one->module_offset};
	}
}

/* ---- Integers ---- */

#define DIVIDE(type, unsigned_type, least, x, y)                                                                   \
	(UNLIKELY((y) == 0)                                ? TRAP(DIV_BY_ZERO)                                     \
	 : UNLIKELY((type)(x) == (least) && (type)(y) == -1) ? TRAP(INT_OVERFLOW)                                  \
							     : (unsigned_type)((type)(x) / (type)(y)))
#define REMAINDER(type, unsigned_type, x, y)                                                                       \
	(UNLIKELY((y) == 0) ? TRAP(DIV_BY_ZERO) : (type)(y) == -1 ? 0 : (unsigned_type)((type)(x) % (type)(y)))
#define I32_DIV_S(x, y) DIVIDE(int32_t, uint32_t, INT32_MIN, x, y)
#define I64_DIV_S(x, y) DIVIDE(int64_t, uint64_t, INT64_MIN, x, y)
#define I32_REM_S(x, y) REMAINDER(int32_t, uint32_t, x, y)
#define I64_REM_S(x, y) REMAINDER(int64_t, uint64_t, x, y)
#define DIV_U(x, y) (UNLIKELY((y) == 0) ? TRAP(DIV_BY_ZERO) : (x) / (y))
#define REM_U(x, y) (UNLIKELY((y) == 0) ? TRAP(DIV_BY_ZERO) : (x) % (y))
#define ROTATED(x, left, right, bits) (((x) << ((left) & ((bits)-1))) | ((x) >> ((right) & ((bits)-1))))
#define I32_ROTL(x, by) ROTATED(x, by, -(by), 32)
#define I32_ROTR(x, by) ROTATED(x, -(by), by, 32)
#define I64_ROTL(x, by) ROTATED(x, by, -(by), 64)
#define I64_ROTR(x, by) ROTATED(x, -(by), by, 64)
#define I32_CLZ(x) ((x) ? (uint32_t)__builtin_clz(x) : 32)
#define I64_CLZ(x) ((x) ? (uint64_t)__builtin_clzll(x) : 64)
#define I32_CTZ(x) ((x) ? (uint32_t)__builtin_ctz(x) : 32)
#define I64_CTZ(x) ((x) ? (uint64_t)__builtin_ctzll(x) : 64)
#define I32_POPCNT(x) ((uint32_t)__builtin_popcount(x))
#define I64_POPCNT(x) ((uint64_t)__builtin_popcountll(x))

/* ---- Numbers with a fraction: of the agent, and of the logarithm ---- */

static inline uint64_t i64_reinterpret_f64(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline double f64_reinterpret_i64(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline double wasm_fabs(double x)
{
	return f64_reinterpret_i64(i64_reinterpret_f64(x) & INT64_MAX);
}

static inline uint64_t I64_TRUNC_S_F64(double x)
{
	if (!(x >= -0x1p63 && x < 0x1p63)) /* no number, too */
		wasm_rt_trap(TRAP_INT_OVERFLOW);
	return (uint64_t)(int64_t)x;
}
#endif
