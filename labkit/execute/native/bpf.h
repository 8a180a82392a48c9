/* What every filter of system calls here is written with: a call, its arguments, an answer. The guest's is
 * filter.c, the compiler's compiler_calls.c, that of course work is sandbox.c. SPDX: MIT */
#ifndef BPF_H
#define BPF_H
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { X32 = 0x40000000, FAST = 4 /* SPEC_ALLOW */ };
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define DENIED (SECCOMP_RET_ERRNO | EPERM)

static struct sock_filter code[512];
static unsigned short length;

static inline void emit(uint16_t what, uint32_t k, uint8_t yes, uint8_t no)
{
	code[length++] = (struct sock_filter){what, yes, no, k};
}

static inline void answer(uint32_t action)
{
	emit(BPF_RET | BPF_K, action, 0, 0);
}

static inline void load(size_t offset)
{
	emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static inline void argument(unsigned i) /* its lower half: the kernel reads an int of each that is looked at here */
{
	load(offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
}

static inline void allow_if(uint32_t equal)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, equal, 0, 1);
	answer(SECCOMP_RET_ALLOW);
}

/* Between these two: what is asked of one call, ending in an answer. */
static inline unsigned begin(uint32_t nr)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 0);
	return length - 1;
}

static inline void end(unsigned begun)
{
	code[begun].jf = (uint8_t)(length - begun - 1);
}

static inline void one_of(uint32_t nr, unsigned i, const uint32_t *values, size_t count)
{
	unsigned begun = begin(nr);

	argument(i);
	for (size_t v = 0; v < count; v++)
		allow_if(values[v]);
	answer(DENIED);
	end(begun);
}

static inline void none_of(uint32_t nr, unsigned i, uint32_t bits)
{
	unsigned begun = begin(nr);

	argument(i);
	emit(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	answer(DENIED);
	answer(SECCOMP_RET_ALLOW);
	end(begun);
}

static inline void first_lines(void)
{
	length = 0;
	load(offsetof(struct seccomp_data, arch));
	emit(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	answer(DENIED);
	load(offsetof(struct seccomp_data, nr));
	emit(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
	answer(DENIED);
}

/* From now on, for this process and all that it starts: what seccomp(2) gives. */
static inline int install(unsigned flags)
{
	struct sock_fprog program = {length, code};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | FAST, &program);
}
#endif
