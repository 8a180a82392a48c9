/* A filter of system calls, put together call by call (bpf.c), from first_lines() to install(). SPDX: MIT */
#ifndef BPF_H
#define BPF_H
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define DENIED (SECCOMP_RET_ERRNO | EPERM)

void first_lines(void);	 /* no call of another architecture; the call's number is loaded */
int install(unsigned flags); /* what seccomp(2) gives */
int write_to(int file);	 /* for who installs it: whether all of it was written */

void emit(uint16_t what, uint32_t k, uint8_t yes, uint8_t no);
void answer(uint32_t action);
void argument(unsigned i); /* its lower half: the kernel reads an int of each that is looked at here */
void allow_if(uint32_t equal);

/* Between these two: what is asked of one call, ending in an answer. */
unsigned begin(uint32_t nr);
void end(unsigned begun);

/* A call whose argument is one of these values, or has none of these bits; else it is denied. */
void one_of(uint32_t nr, unsigned i, const uint32_t *values, size_t count);
void none_of(uint32_t nr, unsigned i, uint32_t bits);
#endif
