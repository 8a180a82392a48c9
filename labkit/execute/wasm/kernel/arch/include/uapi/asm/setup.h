/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _UAPI_ASM_WASM_SETUP_H
#define _UAPI_ASM_WASM_SETUP_H
#define COMMAND_LINE_SIZE 512
#endif
