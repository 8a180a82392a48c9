/* The lab's machine as a process: what is around the kernel, which wasm2c has made C of (kernel.h, and the imports
 * that it wants: arch/include/asm/lab.h). It is wasm_machine.mjs over again, and gives the same bytes. SPDX: MIT */
#ifndef LAB_H
#define LAB_H
#include "kernel.h"
#include <stdbool.h>
#include <stddef.h>

/* Why the machine does not go on. */
enum reason {
	END,	 /* the agent has ended, as it does where there is no other program */
	STUCK,	 /* all sleep, and nothing will wake them */
	PANIC,	 /* the kernel has given up */
	ABORTED, /* the agent has */
	FAULT	 /* an instruction that cannot be carried out; the text has it */
};

extern w2c_kernel kernel;

/* memory.c: before all else; false where there is not so much. */
bool memory_start(unsigned mib);
/* The kernel's, at one of its addresses; ends the machine if not all of it is the kernel's. */
void *memory_at(u32 address, u32 size);
bool memory_has(const char *address);

/* tasks.c: the kernel starts; nothing returns. */
_Noreturn void tasks_start(void);
bool tasks_stack_is_full(const char *address);
/* In the stead of the kernel. It does not return either: what nothing stops ends with status 0. */
void tasks_attempt(int (*made)(void));

/* made(): the error that stopped it, if it was not a fault; 0 if nothing did. After the last of them is one without names. */
struct attempt {
	const char *wall, *what;
	int (*made)(void);
};
extern const struct attempt wall_attempts[]; /* wall_attempts.c */

/* attempts.c: false where none has this name. */
void attempts_list(void);
bool attempts_make(const char *what);

/* walls.c: after memory_start() and run_folder_open(), before anything of an experiment is read. */
void walls_close(void);

/* console.c: the last that was printed. */
void console_print(const char *text, size_t size);
void console_say(const char *text);
void console_show(void);

/* run_folder.c: the folder that the machine is started in. */
void run_folder_open(int from_owner, int to_owner);
bool run_folder_has(int descriptor);
bool run_folder_program(void);
u32 run_folder_size(void);
u32 run_folder_read(void *to, u32 size, u32 offset);
void run_folder_write(const void *from, u32 size);
void run_folder_clock(u32 ms);
bool run_folder_stop(void);
void run_folder_sync(void);

/* end.c */
_Noreturn void end(enum reason reason);
/* Of what the machine around the kernel cannot do; errno says why. */
_Noreturn void give_up(const char *what);
void end_fault(const char *address);
#endif
