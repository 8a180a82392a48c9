/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_ATOMIC_H
#define _ASM_WASM_ATOMIC_H
/* Nothing comes between two instructions: 64 bits need no lock. */
#include <asm-generic/atomic.h>

typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC64_INIT(value) { (value) }

static __always_inline s64 arch_atomic64_read(const atomic64_t *v)
{
	return READ_ONCE(v->counter);
}

static __always_inline void arch_atomic64_set(atomic64_t *v, s64 value)
{
	WRITE_ONCE(v->counter, value);
}

#define WASM_ATOMIC64(name, op)							\
static __always_inline void arch_atomic64_##name(s64 by, atomic64_t *v)		\
{										\
	v->counter = v->counter op by;						\
}										\
static __always_inline s64 arch_atomic64_fetch_##name(s64 by, atomic64_t *v)	\
{										\
	s64 before = v->counter;						\
										\
	v->counter = before op by;						\
	return before;								\
}

WASM_ATOMIC64(add, +)
WASM_ATOMIC64(sub, -)
WASM_ATOMIC64(and, &)
WASM_ATOMIC64(or, |)
WASM_ATOMIC64(xor, ^)
#undef WASM_ATOMIC64

static __always_inline s64 arch_atomic64_add_return(s64 by, atomic64_t *v)
{
	return v->counter += by;
}

static __always_inline s64 arch_atomic64_sub_return(s64 by, atomic64_t *v)
{
	return v->counter -= by;
}

static __always_inline s64 arch_atomic64_xchg(atomic64_t *v, s64 value)
{
	s64 before = v->counter;

	v->counter = value;
	return before;
}

static __always_inline s64 arch_atomic64_cmpxchg(atomic64_t *v, s64 old, s64 value)
{
	s64 before = v->counter;

	if (before == old)
		v->counter = value;
	return before;
}

#define arch_atomic64_fetch_add arch_atomic64_fetch_add
#define arch_atomic64_fetch_sub arch_atomic64_fetch_sub
#define arch_atomic64_fetch_and arch_atomic64_fetch_and
#define arch_atomic64_fetch_or arch_atomic64_fetch_or
#define arch_atomic64_fetch_xor arch_atomic64_fetch_xor
#define arch_atomic64_add_return arch_atomic64_add_return
#define arch_atomic64_sub_return arch_atomic64_sub_return
#define arch_atomic64_xchg arch_atomic64_xchg
#define arch_atomic64_cmpxchg arch_atomic64_cmpxchg
#endif
