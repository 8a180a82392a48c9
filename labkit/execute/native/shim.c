/* Preloaded into the lab kernel's process: what it must not learn from the host, and the gate.
 *
 * - getrandom() gives fixed bytes: the guest's seed comes from the lab program alone.
 * - Guest memory is a memfd, so that a small or noexec /dev/shm does not matter.
 * - It begins where the program ends: the heap, which is at a random distance of up to a gigabyte, moves away.
 * - Its disk has neither blocks nor files to count, as others fill the machine's meanwhile.
 * - Opening the run folder's file "gate" stops the guest, clock included, until the owner says go.
 *
 * File descriptors agreed with keeper.c: 10 the owner's word, 11 ours. SPDX: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
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
	return fd >= 0 ? fd : memfd_create("labkit-guest", MFD_CLOEXEC); /* kernels before 6.3 */
}

static int find_end(struct dl_phdr_info *program, size_t size, void *end)
{
	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++)
		if (program->dlpi_phdr[i].p_type == PT_LOAD)
			*(uintptr_t *)end = program->dlpi_addr + program->dlpi_phdr[i].p_vaddr + program->dlpi_phdr[i].p_memsz;
	return 1; /* the first is the program itself */
}

/* The guest's memory is laid out from here on, and how large it is must not differ from run to run. */
void *sbrk(intptr_t increment)
{
	uintptr_t end = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (increment)
		return errno = ENOMEM, (void *)-1;
	dl_iterate_phdr(find_end, &end);
	return (void *)((end + page - 1) & -page);
}

/* No heap where the guest's memory will be: malloc() maps memory elsewhere when the heap cannot grow. */
__attribute__((constructor)) static void no_heap(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *next = (void *)(((uintptr_t)syscall(SYS_brk, 0) + page - 1) & -page);

	if (mmap(next, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == next)
		return;
	dprintf(2, "labkit: cannot keep the heap out of the guest's memory: %s\n", strerror(errno));
	_exit(127);
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

typedef int (*statfs_fn)(const char *, struct statfs64 *);

int statfs64(const char *path, struct statfs64 *disk)
{
	statfs_fn next = (statfs_fn)dlsym(RTLD_NEXT, "statfs64");
	int result = next(path, disk);

	if (result == 0)
		*disk = (struct statfs64){.f_type = disk->f_type, .f_bsize = 4096, .f_frsize = 4096, .f_namelen = 255};
	return result;
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
