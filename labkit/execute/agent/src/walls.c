/* Around programs in a lab kernel: each host has its own processes and its own mounts, in which there is nothing of
 * the agent's: neither the run folder nor a process that could be traced. Programs are root of their network, not of
 * the kernel. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define BIT(capability) (1ULL << (capability))
static const uint64_t ordinary =
	BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_KILL) | BIT(CAP_SETGID) |
	BIT(CAP_SETUID) | BIT(CAP_SETPCAP) | BIT(CAP_NET_BIND_SERVICE) | BIT(CAP_NET_BROADCAST) | BIT(CAP_NET_ADMIN) |
	BIT(CAP_NET_RAW) | BIT(CAP_SYS_CHROOT);
/* Not even by name: another kernel's code, the machine under it, the agent's memory, the clock, its end. */
static const uint64_t nobodys = BIT(CAP_SYS_MODULE) | BIT(CAP_SYS_RAWIO) | BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_TIME) |
				BIT(CAP_SYS_BOOT) | BIT(CAP_MKNOD);

static const uint64_t every = BIT(CAP_LAST_CAP + 1) - 1;

static int *first; /* of each namespace: its first process, as a descriptor, or 0 */
static unsigned firsts;
static int own = -1; /* the agent's own process namespace */

/* What a program that is started from here can have at most, whoever it becomes: with no_new_privs a program of
 * root's has no right that its caller had not. */
static int give(uint64_t rights)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct sets[2] = {{(uint32_t)rights, (uint32_t)rights, 0},
						 {(uint32_t)(rights >> 32), (uint32_t)(rights >> 32), 0}};

	if (syscall(SYS_capset, &head, sets) < 0)
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int bind_again(const char *path, unsigned long how)
{
	if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) < 0)
		return -1;
	return mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | how, NULL);
}

static const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

/* The kernel's own settings can be read; those of the host's network are for its programs to set. */
static int mount_proc(void)
{
	if (mount("none", "/host/proc", "proc", flags, NULL) < 0 || bind_again("/host/proc/sys/net", flags) < 0)
		return -1;
	return bind_again("/host/proc/sys", MS_RDONLY | flags);
}

/* Modules' parameters are for programs to set, as those of congestion controls. */
static int mount_sys(void)
{
	if (mount("none", "/host/sys", "sysfs", flags, NULL) < 0)
		return -1;
	return bind_again("/host/sys/kernel", MS_RDONLY | flags);
}

/* In new namespaces of mounts and processes: the host's root, and nothing beside or under it. */
static const char *settle(void)
{
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return "make mounts private";
	if (mount_proc() < 0)
		return "mount /proc";
	if (mount_sys() < 0)
		return "mount /sys";
	if (mount(NULL, "/host", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
		return "make the root read-only";
	if (chdir("/host") < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return "leave the agent's files";
	return NULL;
}

enum { STACK = 16384 };
struct birth {
	const char *fault; /* or NULL */
	int error;
};

/* Process 1 of a host: it reaps, holds nothing and may nothing. Its memory is the agent's, which nobody can trace:
 * one of its own would cost as much as starting a program. */
static int be_first(void *arg)
{
	struct birth *birth = arg;

	birth->fault = settle();
	if (!birth->fault && give(0) < 0)
		birth->fault = "give up rights";
	birth->error = errno;
	if (birth->fault)
		syscall(SYS_exit, 1);
	signal(SIGCHLD, SIG_IGN);
	syscall(SYS_close_range, 0, ~0U, 0);
	while (syscall(SYS_pause) < 0)
		;
	return 0;
}

/* A descriptor of it; -1 with errno, and on the agent's console what it was. */
static int make_first(unsigned ns)
{
	uint8_t *stack = aligned_alloc(16, STACK); /* for as long as it lives: to the end */
	struct birth birth = {NULL, 0};
	int ends[2], fd = -1;
	char byte;

	if (!stack || netns_enter(ns) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = clone(be_first, stack + STACK, CLONE_VM | CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, &birth);
	close(ends[1]);
	if (pid > 0 && read(ends[0], &byte, 1) == 0 && !birth.fault)
		fd = (int)syscall(SYS_pidfd_open, pid, 0);
	close(ends[0]);
	if (fd >= 0 || pid < 0)
		return fd;
	dprintf(2, "agent: cannot %s: %s\n", birth.fault ? birth.fault : "watch it", strerror(birth.error));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = birth.error;
	return -1;
}

/* A descriptor of the first process of a host, which is made if need be. */
static int first_of(unsigned ns)
{
	if (ns >= firsts) {
		int *more = realloc(first, netns_count() * sizeof *first);
		if (!more)
			return -1;
		memset(more + firsts, 0, (netns_count() - firsts) * sizeof *first);
		first = more;
		firsts = netns_count();
	}
	if (!first[ns]) {
		int fd = make_first(ns);
		if (fd < 0)
			return -1;
		first[ns] = fd;
	}
	return first[ns];
}

/* fork(), into the host's processes. */
pid_t walls_fork(unsigned ns)
{
	int fd = first_of(ns);

	if (own < 0)
		own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || own < 0 || setns(fd, CLONE_NEWPID) < 0)
		return -1;
	pid_t pid = fork();
	int error = errno;
	if (pid != 0 && setns(own, CLONE_NEWPID) < 0)
		abort();
	errno = error;
	return pid;
}

/* In the forked process: its host's network and files, and the rights that are left. NULL, or what failed. */
const char *walls_enter(unsigned ns, bool privileged)
{
	if (netns_enter(ns) < 0)
		return "cannot enter the host's network";
	if (setns(first[ns], CLONE_NEWNS) < 0)
		return "cannot enter the host's files";
	if (privileged && unshare(CLONE_NEWNS) < 0) /* what it mounts is its own */
		return "cannot unshare mounts";
	return give(privileged ? ~nobodys & every : ordinary) < 0 ? "cannot give up privileges" : NULL;
}
