/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_CACHE_H
#define _ASM_WASM_CACHE_H
/* As long as the guest's: what a packet takes in memory depends on it. */
#define L1_CACHE_SHIFT 6
#define L1_CACHE_BYTES (1 << L1_CACHE_SHIFT)
#endif
