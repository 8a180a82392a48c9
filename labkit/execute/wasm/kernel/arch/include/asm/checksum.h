/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ASM_WASM_CHECKSUM_H
#define _ASM_WASM_CHECKSUM_H
unsigned int do_csum(const unsigned char *at, int left);
#define do_csum do_csum
#include <asm-generic/checksum.h>
#endif
