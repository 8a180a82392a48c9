/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _UAPI_ASM_WASM_PTRACE_H
#define _UAPI_ASM_WASM_PTRACE_H
/* There are no registers; the kernel's own code wants some to be named. */
struct pt_regs { unsigned long ip, sp, ret; };
#endif
