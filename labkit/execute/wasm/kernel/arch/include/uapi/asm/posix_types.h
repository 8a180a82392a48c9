/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _UAPI_ASM_WASM_POSIX_TYPES_H
#define _UAPI_ASM_WASM_POSIX_TYPES_H
/* The compiler's size_t is long. */
typedef unsigned long __kernel_size_t;
typedef long __kernel_ssize_t;
typedef long __kernel_ptrdiff_t;
#define __kernel_size_t __kernel_size_t
#include <asm-generic/posix_types.h>
#endif
