/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_ELF_H
#define _ASM_WASM_ELF_H
/* No program is ever loaded. */
typedef unsigned long elf_greg_t;
typedef elf_greg_t elf_gregset_t[10];
typedef unsigned long elf_fpregset_t;
#define ELF_CLASS ELFCLASS32
#define ELF_DATA ELFDATA2LSB
#define ELF_ARCH EM_NONE
#define elf_check_arch(header) 0
#define ELF_EXEC_PAGESIZE PAGE_SIZE
#define ELF_HWCAP 0
#define ELF_PLATFORM NULL
#endif
