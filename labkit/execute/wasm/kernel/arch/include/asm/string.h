/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_STRING_H
#define _ASM_WASM_STRING_H
/* Here as instructions (kernel/string.c). */
#define __HAVE_ARCH_MEMCPY
#define __HAVE_ARCH_MEMMOVE
#define __HAVE_ARCH_MEMSET
void *memcpy(void *to, const void *from, __kernel_size_t size);
void *memmove(void *to, const void *from, __kernel_size_t size);
void *memset(void *to, int byte, __kernel_size_t size);
#endif
