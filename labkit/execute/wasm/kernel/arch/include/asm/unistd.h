/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_UNISTD_H
#define _ASM_WASM_UNISTD_H
#define __ARCH_WANT_SYS_CLONE
#include <uapi/asm/unistd.h>
#endif
