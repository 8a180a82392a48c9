/* Linux and macOS. SPDX: MIT */
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "system.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#if defined __x86_64__
enum { WORDS = 8, ENTRY = 6 };
#elif defined __aarch64__
enum { WORDS = 20, ENTRY = 11 };
#endif

static void (*on_fault)(const char *address);

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	on_fault(info->si_addr);
}

void system_start(void (*told)(const char *address))
{
	static char stack[1 << 16];
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	on_fault = told;
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL); /* macOS's */
	sigaction(SIGILL, &action, NULL); /* __builtin_trap() */
	sigaction(SIGTRAP, &action, NULL); /* on ARM */
	signal(SIGPIPE, SIG_IGN); /* an owner that is gone is an answer */
	signal(SIGXFSZ, SIG_IGN); /* and so is a limit of files */
}

bool system_pipe_is_closed(int end)
{
	/* Not POLLIN: for macOS its end can be read, too */
	struct pollfd asked = {.fd = end, .events = POLLHUP};
	int left;

	return poll(&asked, 1, 0) == 1 && asked.revents & POLLHUP && ioctl(end, FIONREAD, &left) == 0 && !left;
}

void *system_reserve(void *at, size_t size)
{
	void *found = mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);

	if (found == MAP_FAILED)
		return NULL;
	if (at && found != at) {
		munmap(found, size);
		errno = EADDRINUSE; /* by what /etc/ld.so.preload names */
		return NULL;
	}
	return found;
}

bool system_commit(void *at, size_t size)
{
	return mprotect(at, size, PROT_READ | PROT_WRITE) == 0;
}

/* What fiber_switch() takes from a stack that was left; here it is laid there. */
static void lay(struct fiber *fiber, void (*enter)(void))
{
	uintptr_t *words = (uintptr_t *)(fiber->memory + GUARD + STACK) - WORDS;

	memset(words, 0, WORDS * sizeof *words);
	words[ENTRY] = (uintptr_t)enter;
	fiber->at = words;
}

bool fiber_make(struct fiber *fiber, void (*enter)(void))
{
	if (!fiber->memory) {
		char *memory = system_reserve(NULL, GUARD + STACK);
		if (!memory || !system_commit(memory + GUARD, STACK))
			return false;
		fiber->memory = memory;
	}
	lay(fiber, enter);
	return true;
}

bool fiber_is_full(const struct fiber *fiber, const char *address)
{
	return fiber->memory && address >= fiber->memory && address < fiber->memory + GUARD;
}
