/* Which system calls of the machine the lab kernel's process may make once its guest runs: those that it was seen
 * to make, with the arguments it was seen to use. A filter of the machine's kernel sees to it, so it holds for code
 * in a kernel module as well, for the processes that stand for the guest's, and for ever. SPDX: MIT */
#define _GNU_SOURCE
#include "bpf.h"
#include "walls.h"
#include <asm/termbits.h>
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYSEMU = 31, SYSEMU_SINGLESTEP = 32, NEW_LISTENER = 8 };

/* Memory, files that are open or opened to read, waiting for its own processes and timers. */
static const uint32_t calls[] = {
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_close, SYS_dup, SYS_fsync, SYS_fdatasync,
	SYS_ftruncate, SYS_access, SYS_stat, SYS_lstat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs,
	SYS_readlink, SYS_getdents64, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_wait4, SYS_getpid,
	SYS_getppid, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall, SYS_pause, SYS_timer_settime, SYS_timer_gettime,
	SYS_clock_gettime, SYS_nanosleep, SYS_clock_nanosleep, SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait, SYS_poll,
	SYS_futex,
};
/* of processes that asked for it (TRACEME): without ATTACH and SEIZE there are no others */
static const uint32_t tracing[] = {
	SYSEMU, PTRACE_SETREGS, PTRACE_GETREGS, PTRACE_CONT, PTRACE_SETREGSET, PTRACE_GETREGSET, PTRACE_GETSIGINFO,
	SYSEMU_SINGLESTEP, PTRACE_GETFPREGS, PTRACE_SETFPREGS, PTRACE_KILL, PTRACE_TRACEME, PTRACE_SETOPTIONS,
	21 /* as older lab kernels set options */,
};
/* a process for the guest's: started by the kernel, or, until Linux 6.10, by the process of its parent */
static const uint32_t process[] = {CLONE_FILES | SIGCHLD, CLONE_PARENT | CLONE_FILES | SIGCHLD};
static const uint32_t descriptors[] = {F_GETFL, F_SETFL, F_GETFD, F_SETFD, F_DUPFD_CLOEXEC};
static const uint32_t terminals[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ}; /* no TIOCSTI */

/* fcntl: also "tell me when there is input", with SIGIO and nobody else. */
static void descriptor_calls(void)
{
	unsigned begun = begin(SYS_fcntl);

	argument(1);
	for (size_t i = 0; i < COUNT(descriptors); i++)
		allow_if(descriptors[i]);
	const uint32_t pairs[2][2] = {{F_SETOWN, (uint32_t)getpid()}, {F_SETSIG, SIGIO}};
	for (int i = 0; i < 2; i++) {
		emit(BPF_JMP | BPF_JEQ | BPF_K, pairs[i][0], 0, 4);
		argument(2);
		allow_if(pairs[i][1]);
		answer(DENIED);
	}
	answer(DENIED);
	end(begun);
}

/* prctl: "kill me when who started me ends", and not otherwise. */
static void end_with_parent(void)
{
	unsigned begun = begin(SYS_prctl);

	argument(0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 3);
	argument(1);
	allow_if(SIGKILL);
	answer(DENIED);
	end(begun);
}

/* No process ends as the keeper, the shim and `confine` say that a wall does not stand: code in a guest's kernel could
 * else say so on the console, and end. */
static void not_as_if_not_started(uint32_t nr)
{
	unsigned begun = begin(nr);

	argument(0);
	emit(BPF_ALU | BPF_AND | BPF_K, 0xff, 0, 0); /* of which the parent learns */
	emit(BPF_JMP | BPF_JEQ | BPF_K, NOT_STARTED, 0, 1);
	answer(SECCOMP_RET_KILL_PROCESS);
	answer(SECCOMP_RET_ALLOW);
	end(begun);
}

/* From Linux 6.13 on, each process begins with a small program that the kernel keeps in memory: that one. */
static int stub_program(void)
{
	char name[32], target[64] = "";

	for (int fd = 3; fd < 64; fd++) {
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(name, target, sizeof target - 1);
		if (n > 0 && !strncmp(target, "/memfd:uml-userspace", 20))
			return fd;
	}
	return -1;
}

static void stub_calls(int program)
{
	static const uint32_t begins[] = {CLONE_VM | CLONE_VFORK | SIGCHLD}, unix_only[] = {AF_UNIX};
	uint32_t only[] = {(uint32_t)program};

	one_of(SYS_execveat, 0, only, 1);
	one_of(SYS_clone, 0, begins, COUNT(begins));
	one_of(SYS_socketpair, 0, unix_only, COUNT(unix_only));
	allow_if(SYS_pipe);
	allow_if(SYS_pipe2);
	allow_if(SYS_dup2);
	allow_if(SYS_close_range);
	allow_if(SYS_recvmsg);
}

int filter_calls(void)
{
	const int stub = stub_program();
	const uint32_t writing = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

	first_lines();
	one_of(SYS_ptrace, 0, tracing, COUNT(tracing)); /* the most frequent by far */
	none_of(SYS_openat, 2, writing);
	none_of(SYS_open, 1, writing);
	if (stub >= 0)
		stub_calls(stub);
	else
		one_of(SYS_clone, 0, process, COUNT(process));
	end_with_parent();
	one_of(SYS_ioctl, 1, terminals, COUNT(terminals));
	descriptor_calls();
	none_of(SYS_kill, 0, 1U << 31); /* no groups; one process: kept in by Landlock or by filter_signals */
	for (size_t i = 0; i < COUNT(calls); i++)
		allow_if(calls[i]);
	not_as_if_not_started(SYS_exit);
	not_as_if_not_started(SYS_exit_group);
	answer(DENIED);
	return install(0);
}

/* From now on kill() asks the keeper, who gets the listener through `to`. */
int filter_signals(int to)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec bytes = {&byte, 1};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	first_lines();
	unsigned begun = begin(SYS_kill);
	answer(SECCOMP_RET_USER_NOTIF);
	end(begun);
	answer(SECCOMP_RET_ALLOW);
	int listener = install(NEW_LISTENER);
	if (listener < 0)
		return -1;
	*head = (struct cmsghdr){CMSG_LEN(sizeof listener), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &listener, sizeof listener);
	ssize_t sent = sendmsg(to, &message, MSG_NOSIGNAL);
	close(listener);
	return sent == 1 ? 0 : -1;
}
