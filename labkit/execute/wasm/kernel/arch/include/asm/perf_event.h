/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_PERF_EVENT_H
#define _ASM_WASM_PERF_EVENT_H
#define perf_arch_fetch_caller_regs(regs, place) ((regs)->ip = (place))
#endif
