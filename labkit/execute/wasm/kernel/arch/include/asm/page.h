/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_PAGE_H
#define _ASM_WASM_PAGE_H
#define PAGE_SHIFT CONFIG_PAGE_SHIFT
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define PAGE_OFFSET 0UL
#define ARCH_PFN_OFFSET 0

#ifndef __ASSEMBLY__
#include <linux/types.h>

typedef struct { unsigned long pte; } pte_t;
typedef struct { unsigned long pmd; } pmd_t;
typedef struct { unsigned long pgd; } pgd_t;
typedef struct { unsigned long pgprot; } pgprot_t;
typedef struct page *pgtable_t;

#define pte_val(x) ((x).pte)
#define pmd_val(x) ((x).pmd)
#define pgd_val(x) ((x).pgd)
#define pgprot_val(x) ((x).pgprot)
#define __pte(x) ((pte_t){ (x) })
#define __pmd(x) ((pmd_t){ (x) })
#define __pgd(x) ((pgd_t){ (x) })
#define __pgprot(x) ((pgprot_t){ (x) })

#define clear_page(page) memset((page), 0, PAGE_SIZE)
#define copy_page(to, from) memcpy((to), (from), PAGE_SIZE)
#define clear_user_page(page, address, frame) clear_page(page)
#define copy_user_page(to, from, address, frame) copy_page(to, from)

/* An address is its place in memory. */
extern unsigned long memory_end;
#define __pa(address) ((unsigned long)(address))
#define __va(place) ((void *)(unsigned long)(place))
static inline unsigned long virt_to_pfn(const volatile void *address)
{
	return __pa(address) >> PAGE_SHIFT;
}
#define pfn_to_virt(pfn) __va((pfn) << PAGE_SHIFT)
#define page_to_phys(page) ((phys_addr_t)page_to_pfn(page) << PAGE_SHIFT)
#define phys_to_page(place) pfn_to_page((place) >> PAGE_SHIFT)
#define virt_to_page(address) pfn_to_page(virt_to_pfn(address))
#define page_to_virt(page) pfn_to_virt(page_to_pfn(page))
#define virt_addr_valid(address) ((unsigned long)(address) < memory_end)

#include <asm-generic/memory_model.h>
#include <asm-generic/getorder.h>
#endif
#endif
