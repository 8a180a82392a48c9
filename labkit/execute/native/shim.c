/* Preloaded into the lab kernel's process: what it must not learn from the host, the walls, and the gate.
 *
 * - getrandom() gives fixed bytes: the guest's seed comes from the lab program alone.
 * - Guest memory is a memfd, so that a small or noexec /dev/shm does not matter.
 * - It begins where the program ends: the heap, which is at a random distance of up to a gigabyte, moves away.
 * - The processes that it makes end with it.
 * - The user's files look as they do on every machine (shown.c).
 * - Its disk has neither blocks nor files to count, as others fill the machine's meanwhile.
 * - The kernel's first look at its root closes the walls (walls.h). What it writes later is opened before that, and
 *   given to it when it opens the run folder's file of that name.
 * - Opening the run folder's file "gate" stops the guest, clock included, until the owner says go. SPDX: MIT */
#define _GNU_SOURCE
#include "shim.h"
#include "walls.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
#ifndef WALLS
#define WALLS 1 /* 0: to measure what they cost, in bench/walls.py */
#endif
enum { SYS_RESTRICT = 446 };

static struct {
	const char *name;
	int flags, fd;
} written[] = {{"raw", O_CREAT, -1}, {"clock", 0, -1}};

static bool closed; /* the walls */

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

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	dprintf(2, "walls: %s: %s\n", what, strerror(errno));
	_exit(NOT_STARTED);
}

static bool given(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void close_walls(void)
{
	for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
		int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | written[i].flags;
		written[i].fd = openat(AT_FDCWD, written[i].name, flags, 0644);
		must(written[i].fd >= 0 || errno == ENOENT ? 0 : -1, written[i].name);
	}
	if (given(RULES))
		must((int)syscall(SYS_RESTRICT, RULES, 0), "Landlock");
	if (given(SIGNALS))
		must(filter_signals(SIGNALS), "seccomp, for signals");
	errno = EBUSY;
	must(given(ROOT) ? -1 : dup2(ROOT_LATER, ROOT), "the root");
	close(RULES);
	close(SIGNALS);
	close(ROOT_LATER);
	must(filter_calls(), "seccomp");
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

/* Whatever process it makes ends with it, from the process's first moment on: one that stops itself to be traced would
 * else stay for ever when this one is killed just then. */
static void end_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		dprintf(2, "shim: cannot die with its owner: %s\n", strerror(errno));
	else if (getppid() == parent)
		return;
	_exit(NOT_STARTED);
}

pid_t fork(void)
{
	pid_t (*next)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");
	pid_t parent = getpid(), child = next();

	if (child == 0)
		end_with(parent);
	return child;
}

struct beginning {
	int (*fn)(void *);
	void *arg;
	pid_t parent;
};

static int begin(void *beginning)
{
	const struct beginning *b = beginning;

	end_with(b->parent);
	return b->fn(b->arg);
}

/* As the lab kernel calls it, with four arguments. What the child begins with lies on its stack, as it may share our
 * memory. */
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	typedef int (*clone_fn)(int (*)(void *), void *, int, void *, ...);
	clone_fn next = (clone_fn)dlsym(RTLD_NEXT, "clone");
	struct beginning *b = (void *)(((uintptr_t)stack - sizeof *b) & -(uintptr_t)16);

	*b = (struct beginning){fn, arg, flags & CLONE_PARENT ? getppid() : getpid()};
	return next(begin, b, flags, b);
}

static void wait_for_owner(void)
{
	char word = 'w';
	if (write(TO_OWNER, &word, 1) != 1 || read(FROM_OWNER, &word, 1) != 1)
		_exit(0); /* the owner has gone */
}

/* hostfs joins its root and a name with one slash or several, and may begin with two: the name, or NULL. */
static const char *below(const char *path, const char *folder)
{
	path += strspn(path, "/");
	if (strncmp(path, folder, strlen(folder)))
		return NULL;
	path += strlen(folder);
	return path + strspn(path, "/");
}

const char *in_run_folder(const char *path)
{
	return below(path, "proc/self/cwd/");
}

static int *opened_before(const char *name)
{
	for (size_t i = 0; name && i < sizeof written / sizeof *written; i++)
		if (!strcmp(name, written[i].name) && written[i].fd >= 0)
			return &written[i].fd;
	return NULL;
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
	const char *name = in_run_folder(path);
	int *before = opened_before(name);
	if (before)
		return fcntl(*before, F_DUPFD_CLOEXEC, 0);
	if (name && !strcmp(name, "gate"))
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

/* By name only a file that is open can get another size. */
#define TRUNCATE(name, same_for_open)                                \
	int name(const char *path, off_t size)                       \
	{                                                            \
		int *before = opened_before(in_run_folder(path));    \
		if (before)                                          \
			return same_for_open(*before, size);         \
		errno = EPERM;                                       \
		return -1;                                           \
	}
TRUNCATE(truncate, ftruncate)
TRUNCATE(truncate64, ftruncate64)

/* The kernel tidies up its folder "u" at its end: the keeper does, and it no longer can. */
static int removed(const char *path, long call)
{
	return closed && !strncmp(path, "u/", 2) ? 0 : (int)syscall(call, path);
}

int unlink(const char *path)
{
	return removed(path, SYS_unlink);
}

int rmdir(const char *path)
{
	return removed(path, SYS_rmdir);
}

/* The kernel mounts its root: its own start-up is over. */
int statx(int at, const char *restrict path, int flags, unsigned int mask, struct statx *restrict found)
{
	if (WALLS && !closed && below(path, "proc/self/fd/9/")) {
		closed = true;
		close_walls();
	}
	int result = (int)syscall(SYS_statx, at, path, flags, mask, found);

	if (result == 0)
		shown_as_everywhere(path, found);
	return result;
}
