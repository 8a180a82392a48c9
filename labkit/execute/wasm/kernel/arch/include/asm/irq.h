/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_IRQ_H
#define _ASM_WASM_IRQ_H
#define NR_IRQS 4
#include <asm-generic/irq.h>
#endif
