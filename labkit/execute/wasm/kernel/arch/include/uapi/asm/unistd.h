/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _UAPI_ASM_WASM_UNISTD_H
#define _UAPI_ASM_WASM_UNISTD_H
#include <asm/unistd_32.h>
#endif
