// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent is part of the kernel, and process 1: what it calls in its C library are functions here, under the names
 * that the C library's headers give them. Its memory is the kernel's.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/resume_user_mode.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <asm/lab.h>

int *__errno_location(void);
static int error;
int *__errno_location(void)
{
	return &error;
}

/* What is due before a program goes on. A call that fails takes a microsecond, as in User-Mode Linux. */
static long done(long result)
{
	if (IS_ERR_VALUE(result)) {
		lab_delay(NSEC_PER_USEC);
		schedule();
	}
	while (need_resched() || test_thread_flag(TIF_NOTIFY_RESUME)) {
		if (need_resched())
			schedule();
		if (test_thread_flag(TIF_NOTIFY_RESUME))
			resume_user_mode_work(NULL);
	}
	if (!IS_ERR_VALUE(result))
		return result;
	error = -result;
	return -1;
}

#define CALL(name, parameters, call)	\
	long name parameters;		\
	long name parameters		\
	{				\
		return done(call);	\
	}

/* Files. The first four are what functions of the agent's own call (agent/). */
CALL(lab_open_file, (const char *path, int flags, int mode), sys_openat(AT_FDCWD, path, flags | O_LARGEFILE, mode))
CALL(lab_access, (const char *path, int mode), sys_faccessat(AT_FDCWD, path, mode))
CALL(lab_ioctl, (int fd, unsigned long what, unsigned long with), sys_ioctl(fd, what, with))
CALL(lab_fcntl, (int fd, unsigned int what, unsigned long with), sys_fcntl64(fd, what, with))
CALL(close, (int fd), sys_close(fd))
CALL(read, (int fd, void *to, unsigned long size), sys_read(fd, to, size))
CALL(write, (int fd, const void *from, unsigned long size), sys_write(fd, from, size))
CALL(pread64, (int fd, void *to, unsigned long size, long long at), sys_pread64(fd, to, size, at))
CALL(fsync, (int fd), sys_fsync(fd))
CALL(dup2, (int fd, int as), fd == as ? as : sys_dup3(fd, as, 0))
CALL(pipe2, (int *ends, int flags), sys_pipe2(ends, flags))
CALL(chdir, (const char *path), sys_chdir(path))
CALL(mkdir, (const char *path, unsigned int mode), sys_mkdirat(AT_FDCWD, path, mode))
CALL(mknod, (const char *path, unsigned int mode, unsigned long long device), sys_mknodat(AT_FDCWD, path, mode, device))
CALL(symlink, (const char *to, const char *path), sys_symlinkat(to, AT_FDCWD, path))
CALL(readlink, (const char *path, char *to, unsigned long size), sys_readlinkat(AT_FDCWD, path, to, size))
CALL(umask, (unsigned int mask), sys_umask(mask))
CALL(mount, (const char *what, const char *path, const char *type, unsigned long flags, const void *options),
     sys_mount((char *)what, (char *)path, (char *)type, flags, (void *)options))

/* Sockets */
CALL(socket, (int family, int type, int protocol), sys_socket(family, type, protocol))
CALL(bind, (int fd, const void *address, int size), sys_bind(fd, (void *)address, size))
CALL(connect, (int fd, const void *address, int size), sys_connect(fd, (void *)address, size))
CALL(listen, (int fd, int backlog), sys_listen(fd, backlog))
CALL(accept4, (int fd, void *address, void *size, int flags), sys_accept4(fd, address, size, flags))
CALL(shutdown, (int fd, int how), sys_shutdown(fd, how))
CALL(getsockname, (int fd, void *address, void *size), sys_getsockname(fd, address, size))
CALL(__getsockopt64, (int fd, int level, int name, void *to, void *size), sys_getsockopt(fd, level, name, to, size))
CALL(__setsockopt64, (int fd, int level, int name, const void *from, int size),
     sys_setsockopt(fd, level, name, (void *)from, size))
CALL(send, (int fd, const void *from, unsigned long size, int flags), sys_sendto(fd, (void *)from, size, flags, NULL, 0))
CALL(sendto, (int fd, const void *from, unsigned long size, int flags, const void *to, int to_size),
     sys_sendto(fd, (void *)from, size, flags, (void *)to, to_size))
CALL(recv, (int fd, void *to, unsigned long size, int flags), sys_recvfrom(fd, to, size, flags, NULL, NULL))
CALL(__recvmsg64, (int fd, void *message, int flags), sys_recvmsg(fd, message, flags))
CALL(__recvmmsg64, (int fd, void *messages, unsigned int count, int flags, void *patience),
     sys_recvmmsg(fd, messages, count, flags, patience))

/* Waiting, time, limits, namespaces */
CALL(epoll_create1, (int flags), sys_epoll_create1(flags))
CALL(epoll_ctl, (int epoll, int what, int fd, void *event), sys_epoll_ctl(epoll, what, fd, event))
CALL(epoll_wait, (int epoll, void *events, int count, int ms), sys_epoll_wait(epoll, events, count, ms))
CALL(timerfd_create, (int clock, int flags), sys_timerfd_create(clock, flags))
CALL(__timerfd_settime64, (int fd, int flags, const void *when, void *before), sys_timerfd_settime(fd, flags, when, before))
CALL(__clock_gettime64, (int clock, void *to), sys_clock_gettime(clock, to))
CALL(__nanosleep64, (const void *how_long, void *left), sys_clock_nanosleep(CLOCK_REALTIME, 0, how_long, left))
CALL(getrlimit64, (int what, void *to), sys_prlimit64(0, what, NULL, to))
CALL(setrlimit64, (int what, const void *from), sys_prlimit64(0, what, from, NULL))
CALL(unshare, (int what), sys_unshare(what))
CALL(setns, (int fd, int kind), sys_setns(fd, kind))
CALL(getpid, (void), 1)

/* What only programs, or a machine's own kernel, ask for. */
CALL(fork, (void), -ENOSYS)
CALL(clone, (void *fn, void *stack, int flags, void *arg, ...), -ENOSYS)
CALL(execve, (const char *path, void *arguments, void *environment), -ENOSYS)
CALL(waitpid, (int pid, int *status, int options), -ENOSYS)
CALL(kill, (int pid, int signal), -ENOSYS)
CALL(setsid, (void), -ENOSYS)
CALL(setpgid, (int pid, int group), -ENOSYS)
CALL(poll, (void *fds, unsigned long count, int ms), -ENOSYS)
CALL(munmap, (void *at, unsigned long size), -ENOSYS)
CALL(umount2, (const char *path, int flags), -ENOSYS)
CALL(__prctl_time64, (int what, ...), -ENOSYS)
CALL(__lstat64_time64, (const char *path, void *to), -ENOSYS)
CALL(syscall, (long number, ...), -ENOSYS)

void sync(void);
void sync(void)
{
	ksys_sync();
}

/* A file's size and mode, to be put where the C library has them. */
long lab_stat(int fd, long long *size, unsigned int *mode);
long lab_stat(int fd, long long *size, unsigned int *mode)
{
	struct kstat found;
	int result = vfs_fstat(fd, &found);

	if (!result) {
		*size = found.size;
		*mode = found.mode;
	}
	return done(result);
}

/* The blocks of a packet socket's ring, which lie in a row (net/packet/af_packet.c). NULL: not a ring. */
void *lab_packet_ring(struct socket *socket);
void *lab_ring(int fd);
void *lab_ring(int fd)
{
	int ignored;
	struct socket *socket = sockfd_lookup(fd, &ignored);
	void *ring;

	if (!socket)
		return NULL;
	ring = lab_packet_ring(socket);
	sockfd_put(socket);
	return ring;
}

/* Process 1, where another kernel would execute /init. */
int agent_main(void);
void lab_agent(void);
void lab_agent(void)
{
	static const char *const folders[] = {"/proc", "/sys", "/dev", "/run"};
	int i;

	for (i = 0; i < ARRAY_SIZE(folders); i++)
		mkdir(folders[i], 0755);
	agent_main();
	panic("the agent has returned");
}
