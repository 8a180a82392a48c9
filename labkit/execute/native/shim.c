/* Preloaded into the lab kernel's process: what it must not learn from the host, and the gate.
 *
 * - getrandom() gives fixed bytes: the guest's seed comes from the lab program alone.
 * - Guest memory is a memfd, so that a small or noexec /dev/shm does not matter.
 * - Opening the run folder's file "gate" stops the guest, clock included, until the owner says go.
 *
 * File descriptors agreed with keeper.c: 10 the owner's word, 11 ours. SPDX: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

enum { FROM_OWNER = 10, TO_OWNER = 11 };

ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	(void)flags;
	memset(buffer, 0x5a, length);
	return (ssize_t)length;
}

static int guest_memory(void)
{
	int fd = memfd_create("labkit-guest", MFD_CLOEXEC | MFD_EXEC);
	if (fd < 0 && (fd = memfd_create("labkit-guest", MFD_CLOEXEC)) < 0) /* kernels before 6.3 */
		dprintf(2, "shim: no memory file: %s\n", strerror(errno));
	return fd;
}

static void wait_for_owner(void)
{
	char word = 'w';
	if (write(TO_OWNER, &word, 1) != 1 || read(FROM_OWNER, &word, 1) != 1)
		_exit(0); /* the owner has gone */
}

/* hostfs joins its root and a name with one slash or several, and may begin with two. */
static int is_gate(const char *path)
{
	static const char folder[] = "proc/self/cwd/";

	path += strspn(path, "/");
	if (strncmp(path, folder, sizeof folder - 1))
		return 0;
	path += sizeof folder - 1;
	return !strcmp(path + strspn(path, "/"), "gate");
}

typedef int (*open_fn)(const char *, int, ...);

static int open_either(const char *symbol, const char *path, int flags, mode_t mode)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return guest_memory();
	if (is_gate(path))
		wait_for_owner();
	open_fn next = (open_fn)dlsym(RTLD_NEXT, symbol);
	return next(path, flags, mode);
}

#define OPEN(name)                                                                       \
	int name(const char *path, int flags, ...)                                       \
	{                                                                                \
		va_list list;                                                            \
		va_start(list, flags);                                                   \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;  \
		va_end(list);                                                            \
		return open_either(#name, path, flags, mode);                            \
	}
OPEN(open)
OPEN(open64)
