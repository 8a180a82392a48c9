/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_IRQFLAGS_H
#define _ASM_WASM_IRQFLAGS_H
#define ARCH_IRQ_DISABLED 0
#define ARCH_IRQ_ENABLED 1

/* Nothing ever interrupts; what waits or is idle looks at it. */
extern unsigned long wasm_interrupts;

static inline unsigned long arch_local_save_flags(void)
{
	return wasm_interrupts;
}
#define arch_local_save_flags arch_local_save_flags

static inline void arch_local_irq_restore(unsigned long flags)
{
	barrier();
	wasm_interrupts = flags;
	barrier();
}
#define arch_local_irq_restore arch_local_irq_restore

#include <asm-generic/irqflags.h>
#endif
