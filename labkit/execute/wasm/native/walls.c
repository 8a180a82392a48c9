/* On Linux: which system calls the program may make once it has its memory and its files, should the translated code get
 * out of what wasm2c and the compiler have made of its bounds. It reads what it has opened and files of its run folder;
 * writes what it has opened; gets memory, but none to execute; and ends. The machine's kernel sees to that: seccomp, for
 * the calls, and Landlock, for the files. Where it has one of the two, that stands, and other systems have neither. SPDX: MIT */
#define _GNU_SOURCE
#include "lab.h"

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
enum { PROCESSOR = AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { PROCESSOR = AUDIT_ARCH_AARCH64 };
#endif

enum { DESCRIPTORS = 64 /* more than whoever starts it leaves open */, DENIED = SECCOMP_RET_ERRNO | EPERM };
enum { FAST = 1 << 2 /* SECCOMP_FILTER_FLAG_SPEC_ALLOW: the processor guesses as before */ };
enum { WRITING = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) };

/* linux/landlock.h of old systems lacks most of it. */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF, ASK_VERSION = 1, PATH_BENEATH = 1, READ_FILE = 1 << 2 };
static const uint64_t known[] = {0x1fff, 1 << 13, 1 << 14, 0, 1 << 15}; /* kinds of access, by the version that began it */

/* Each C library has its own name for some. */
static const uint32_t calls[] = {
	SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_ftruncate, SYS_fsync, SYS_faccessat, SYS_ppoll, SYS_munmap,
	SYS_madvise, SYS_brk, SYS_exit, SYS_exit_group,
#ifdef SYS_newfstatat
	SYS_newfstatat,
#endif
#ifdef SYS_access
	SYS_access,
#endif
#ifdef SYS_poll
	SYS_poll,
#endif
};

static struct sock_filter code[64];
static unsigned short length;

static void emit(uint16_t what, uint32_t k, uint8_t yes, uint8_t no)
{
	code[length++] = (struct sock_filter){what, yes, no, k};
}

static void answer(uint32_t action)
{
	emit(BPF_RET | BPF_K, action, 0, 0);
}

static void load(size_t offset)
{
	emit(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Of this call: allowed if its argument i has none of these bits. */
static void without(uint32_t call, unsigned i, uint32_t bits)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	load(offsetof(struct seccomp_data, args) + i * sizeof(uint64_t)); /* its lower half: an int */
	emit(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	answer(DENIED);
	answer(SECCOMP_RET_ALLOW);
}

/* Of this call: allowed if its argument i is this. */
static void only(uint32_t call, unsigned i, uint32_t value)
{
	emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	load(offsetof(struct seccomp_data, args) + i * sizeof(uint64_t));
	emit(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
	answer(DENIED);
	answer(SECCOMP_RET_ALLOW);
}

static void filter_calls(void)
{
	load(offsetof(struct seccomp_data, arch));
	emit(BPF_JMP | BPF_JEQ | BPF_K, PROCESSOR, 1, 0);
	answer(DENIED);
	load(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		emit(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		answer(SECCOMP_RET_ALLOW);
	}
	without(SYS_openat, 2, WRITING);
#ifdef SYS_open
	without(SYS_open, 1, WRITING);
#endif
	only(SYS_ioctl, 1, FIONREAD); /* of the gate */
	without(SYS_mmap, 2, PROT_EXEC);
	without(SYS_mprotect, 2, PROT_EXEC);
	answer(DENIED);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, FAST, &(struct sock_fprog){length, code});
}

static void limit_files(void)
{
	long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
	uint64_t handled = 0;

	for (long i = 0; i < version && i < (long)(sizeof known / sizeof *known); i++)
		handled |= known[i];
	int rules = (int)syscall(CREATE_RULESET, &handled, sizeof handled, 0), here = open(".", O_PATH | O_CLOEXEC);
	struct {
		uint64_t allowed;
		int32_t below;
	} __attribute__((packed)) reading = {READ_FILE, here};
	if (syscall(ADD_RULE, rules, PATH_BENEATH, &reading, 0) == 0)
		syscall(RESTRICT_SELF, rules, 0);
	close(here);
	close(rules);
}

void walls_close(void)
{
	for (int fd = 3; fd < DESCRIPTORS; fd++)
		if (!run_folder_has(fd))
			close(fd);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	limit_files();
	filter_calls();
}

#else

void walls_close(void)
{
}
#endif
