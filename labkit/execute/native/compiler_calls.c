/* Which system calls the compiler of modules may make, and all that it starts: to compute, to read and write what Landlock
 * lets it open, to start programs and wait for them. Nothing that reaches another process, a network, or a file by
 * other than its content: no modes, owners, times, attributes, flags. SPDX: MIT */
#define _GNU_SOURCE
#include "bpf.h"
#include "walls.h"
#include <asm/ioctls.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint32_t calls[] = {
	/* what is open */
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv, SYS_pwritev, SYS_preadv2,
	SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_dup, SYS_dup2, SYS_dup3, SYS_pipe, SYS_pipe2, SYS_ftruncate,
	SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_fadvise64, SYS_readahead, SYS_copy_file_range, SYS_sendfile, SYS_splice,
	SYS_tee, SYS_flock, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl,
	SYS_epoll_wait, SYS_epoll_pwait, SYS_eventfd2,
	/* names of files: Landlock sees to them */
	SYS_open, SYS_openat, SYS_creat, SYS_access, SYS_faccessat, 439 /* faccessat2 */, SYS_stat, SYS_lstat, SYS_fstat,
	SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_readlink, SYS_readlinkat, SYS_getdents, SYS_getdents64,
	SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_unlink, SYS_unlinkat, SYS_rename,
	SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_mknod, SYS_mknodat, SYS_umask,
	/* memory and threads */
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mincore, SYS_msync, SYS_membarrier,
	SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_arch_prctl, SYS_sched_yield,
	SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_getcpu,
	/* programs; the last ones among its own users: it has no capability to be somebody else */
	SYS_execve, SYS_execveat, SYS_fork, SYS_vfork, SYS_wait4, SYS_waitid, SYS_exit, SYS_exit_group, SYS_setresuid,
	SYS_setresgid,
	/* signals that come */
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigpending, SYS_rt_sigtimedwait,
	SYS_sigaltstack, SYS_restart_syscall, SYS_pause, SYS_alarm, SYS_setitimer, SYS_getitimer,
	/* who and when it is */
	SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid,
	SYS_getresgid, SYS_getpgrp, SYS_getpgid, SYS_getsid, SYS_capget, SYS_getpriority, SYS_getrlimit, SYS_setrlimit,
	SYS_getrusage, SYS_times, SYS_time, SYS_gettimeofday, SYS_clock_gettime, SYS_clock_getres, SYS_nanosleep,
	SYS_clock_nanosleep, SYS_uname, SYS_sysinfo, SYS_getrandom,
};
/* no F_SETOWN, F_SETSIG, leases: by these the kernel sends signals, to whomever they name */
static const uint32_t descriptors[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW,
	F_GETPIPE_SZ, F_SETPIPE_SZ, F_GETOWN,
};
static const uint32_t inputs[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};
static const uint32_t of_itself[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_CAPBSET_READ};
static const uint32_t own[] = {0};

static void open_files(void)
{
	unsigned begun = begin(SYS_fcntl);

	argument(1);
	for (size_t i = 0; i < COUNT(descriptors); i++)
		allow_if(descriptors[i]);
	emit(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 3);
	argument(2);
	emit(BPF_JMP | BPF_JSET | BPF_K, O_ASYNC, 1, 0);
	answer(SECCOMP_RET_ALLOW);
	answer(DENIED);
	end(begun);
}

/* What a program asks of a terminal, of any file, is answered as by one that is none. */
static void no_terminal(void)
{
	unsigned begun = begin(SYS_ioctl);

	argument(1);
	for (size_t i = 0; i < COUNT(inputs); i++)
		allow_if(inputs[i]);
	answer(SECCOMP_RET_ERRNO | ENOTTY);
	end(begun);
}

/* Of what is open, as touch(1) has it: done, it hears, and nothing is. Its file was made a moment ago. */
static void no_times(void)
{
	unsigned begun = begin(SYS_utimensat);

	argument(1);
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	answer(SECCOMP_RET_ERRNO | 0);
	answer(DENIED);
	end(begun);
}

int filter_compiler(void)
{
	first_lines();
	open_files();
	no_terminal();
	no_times();
	one_of(SYS_prlimit64, 0, own, COUNT(own));
	one_of(SYS_prctl, 0, of_itself, COUNT(of_itself));
	none_of(SYS_clone, 0, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP);
	for (size_t i = 0; i < COUNT(calls); i++)
		allow_if(calls[i]);
	answer(SECCOMP_RET_ERRNO | ENOSYS); /* so that what is newer than this list is done in an older way: clone3 too */
	return install(0);
}
