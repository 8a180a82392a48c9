/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_DIV64_H
#define _ASM_WASM_DIV64_H
/* Division by 64 bits is an instruction. */
#include <linux/types.h>

#define do_div(n, base) ({						\
	u32 base_ = (base);						\
	u32 rest_ = (u64)(n) % base_;					\
									\
	(n) = (u64)(n) / base_;						\
	rest_;								\
})

static inline s64 div_s64_rem(s64 n, s32 by, s32 *rest)
{
	*rest = n % by;
	return n / by;
}
#define div_s64_rem div_s64_rem

static inline u64 div64_u64_rem(u64 n, u64 by, u64 *rest)
{
	*rest = n % by;
	return n / by;
}
#define div64_u64_rem div64_u64_rem

static inline u64 div64_u64(u64 n, u64 by)
{
	return n / by;
}
#define div64_u64 div64_u64

static inline s64 div64_s64(s64 n, s64 by)
{
	return n / by;
}
#define div64_s64 div64_s64

#define __div64_32 __div64_32
#endif
