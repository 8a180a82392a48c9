/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_CURRENT_H
#define _ASM_WASM_CURRENT_H
struct task_struct;
extern struct task_struct *wasm_current;
#define get_current() wasm_current
#define current get_current()
#endif
