/* What each system has another name for: addresses, memory, stacks, and to be told of a fault. posix.c with
 * switch_*.S, or windows.c. SPDX: MIT */
#ifndef SYSTEM_H
#define SYSTEM_H
#include <stdbool.h>
#include <stddef.h>

/* A stack with a guard below it, and where what ran on it was left. */
struct fiber {
	void *at;     /* its stack pointer; Windows: the fiber */
	char *memory; /* its lowest address, the guard's; NULL while it has none, or where the system has made it */
};

enum {
	STACK = 1 << 18,
	/* No frame is larger (native.py has the compiler see to it): none steps over it. */
	GUARD = 1 << 16
};

/* Once, before all others: told() is called, on a stack of its own, instead of a signal. */
void system_start(void (*told)(const char *address));

/* Whether nobody has the other end of a pipe any more. */
bool system_pipe_is_closed(int end);

/* Addresses at which nothing is yet, from `at` on if it is not NULL; NULL if there are not so many. */
void *system_reserve(void *at, size_t size);
/* Memory of zeros at some of them. */
bool system_commit(void *at, size_t size);

/* A fiber that begins in enter() when it is switched to. One that has a stack keeps it. False: no memory. */
bool fiber_make(struct fiber *fiber, void (*enter)(void));
/* Goes on with `to`; returns when somebody goes on with `from`. */
void fiber_switch(struct fiber *from, struct fiber *to);
/* Whether an address is in its guard. */
bool fiber_is_full(const struct fiber *fiber, const char *address);
#endif
