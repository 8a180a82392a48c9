/* What the compiler of modules must not do to a file that it may read (argv[1]) and to another process (argv[2]): a line
 * for each attempt, its name and what came of it. With
 * one argument more only the first ones, which harm no more than that process. SPDX: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>

#define TRY(name, call) (errno = 0, (void)((call) == -1), said(name, errno))
#define CALL(name, ...) TRY(name, syscall(__VA_ARGS__))

static void said(const char *name, int error)
{
	printf("%s: %s\n", name, error == EPERM || error == ENOSYS || error == ENOTTY ? "refused" : error ? strerror(error) : "done");
}

int main(int argc, char **argv)
{
	const char *file = argv[1];
	int other = argc > 2 ? atoi(argv[2]) : 0, pair[2], fd = open(file, O_RDONLY), flags = 0x10;
	struct timespec times[2] = {{1, 0}, {1, 0}};
	struct timeval old[2] = {{1, 0}, {1, 0}};
	struct f_owner_ex owner = {F_OWNER_PID, other};
	struct fsxattr attributes = {.fsx_xflags = 0x8};
	char word[64] = "x", *low = mmap((void *)0x100000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (fd < 0 || pipe(pair) < 0 || low == MAP_FAILED)
		return 1;
	strcpy(low, file);
	TRY("F_SETOWN", fcntl(pair[0], F_SETOWN, other));
	TRY("F_SETOWN, a group", fcntl(pair[0], F_SETOWN, -other));
	TRY("F_SETOWN_EX", fcntl(pair[0], F_SETOWN_EX, &owner));
	TRY("F_SETSIG", fcntl(pair[0], F_SETSIG, SIGKILL));
	TRY("O_ASYNC", fcntl(pair[0], F_SETFL, O_ASYNC));
	TRY("O_ASYNC with others", fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK | O_APPEND));
	if (argc > 3)
		return write(pair[1], "x", 1) == 1 ? 0 : 1;
	TRY("FIOASYNC", ioctl(pair[0], FIOASYNC, &flags));
	TRY("FIOSETOWN", ioctl(pair[0], 0x8901, &other));
	TRY("F_SETLEASE", fcntl(fd, F_SETLEASE, F_RDLCK));
	TRY("F_NOTIFY", fcntl(fd, F_NOTIFY, 1));
	TRY("TIOCSTI", ioctl(0, TIOCSTI, word));
	TRY("TIOCSPGRP", ioctl(0, TIOCSPGRP, &other));
	TRY("FS_IOC_SETFLAGS", ioctl(fd, FS_IOC_SETFLAGS, &flags));
	TRY("FS_IOC_FSSETXATTR", ioctl(fd, FS_IOC_FSSETXATTR, &attributes));
	TRY("FS_IOC_SETVERSION", ioctl(fd, _IOW('v', 2, long), &flags));
	CALL("file_setattr", 469, AT_FDCWD, file, &attributes, sizeof attributes, 0);
	CALL("utimensat", SYS_utimensat, AT_FDCWD, file, times, 0);
	CALL("utimensat, now", SYS_utimensat, AT_FDCWD, file, NULL, 0);
	CALL("utimensat, a name whose lower half is 0", SYS_utimensat, AT_FDCWD, low, times, 0);
	CALL("futimens", SYS_utimensat, fd, NULL, times, 0);
	CALL("futimens, now", SYS_utimensat, fd, NULL, NULL, 0);
	CALL("utimensat, an empty name", SYS_utimensat, fd, "", times, AT_EMPTY_PATH);
	CALL("utime", SYS_utime, file, NULL);
	CALL("utimes", SYS_utimes, file, old);
	CALL("futimesat", SYS_futimesat, AT_FDCWD, file, old);
	CALL("chmod", SYS_chmod, file, 0777);
	CALL("fchmod", SYS_fchmod, fd, 0777);
	CALL("fchmodat", SYS_fchmodat, AT_FDCWD, file, 0777);
	CALL("fchmodat2", 452, fd, "", 0777, AT_EMPTY_PATH);
	CALL("chown", SYS_chown, file, 1, 1);
	CALL("lchown", SYS_lchown, file, 1, 1);
	CALL("fchown", SYS_fchown, fd, 1, 1);
	CALL("fchownat", SYS_fchownat, fd, "", 1, 1, AT_EMPTY_PATH);
	CALL("setxattr", SYS_setxattr, file, "user.x", word, 1, 0);
	CALL("lsetxattr", SYS_lsetxattr, file, "user.x", word, 1, 0);
	CALL("fsetxattr", SYS_fsetxattr, fd, "user.x", word, 1, 0);
	CALL("removexattr", SYS_removexattr, file, "user.kept");
	CALL("fremovexattr", SYS_fremovexattr, fd, "user.kept");
	CALL("setxattrat", 463, AT_FDCWD, file, 0, "user.x", word, 16);
	CALL("truncate", SYS_truncate, file, 0);
	CALL("kill", SYS_kill, other, SIGUSR1);
	CALL("tkill", SYS_tkill, other, SIGUSR1);
	CALL("tgkill", SYS_tgkill, other, other, SIGUSR1);
	CALL("rt_sigqueueinfo", SYS_rt_sigqueueinfo, other, SIGUSR1, word);
	CALL("pidfd_open", 434, other, 0);
	CALL("pidfd_send_signal", 424, pair[0], SIGUSR1, NULL, 0);
	CALL("ptrace", SYS_ptrace, PTRACE_SEIZE, other, 0, 0);
	CALL("process_vm_readv", SYS_process_vm_readv, other, NULL, 0, NULL, 0, 0);
	CALL("process_madvise", 440, pair[0], NULL, 0, 0, 0);
	CALL("kcmp", SYS_kcmp, other, other, 0, 0, 0);
	CALL("prlimit64", SYS_prlimit64, other, 7, NULL, word);
	CALL("setpriority", SYS_setpriority, 0, other, 19);
	CALL("sched_setaffinity", SYS_sched_setaffinity, other, sizeof word, word);
	CALL("sched_setscheduler", SYS_sched_setscheduler, other, 0, word);
	CALL("ioprio_set", SYS_ioprio_set, 1, other, 0);
	CALL("get_robust_list", SYS_get_robust_list, other, word, word + 8);
	CALL("migrate_pages", SYS_migrate_pages, other, 1, word, word);
	CALL("move_pages", SYS_move_pages, other, 0, NULL, NULL, NULL, 0);
	CALL("socket", SYS_socket, 1, 1, 0);
	CALL("socketpair", SYS_socketpair, 1, 1, 0, word);
	CALL("io_uring_setup", 425, 1, word);
	CALL("userfaultfd", SYS_userfaultfd, 0);
	CALL("bpf", SYS_bpf, 0, word, sizeof word);
	CALL("perf_event_open", SYS_perf_event_open, word, 0, -1, -1, 0);
	CALL("keyctl", SYS_keyctl, 0, -3, 0);
	CALL("add_key", SYS_add_key, "user", "x", word, 1, -3);
	CALL("request_key", SYS_request_key, "user", "x", 0, -3);
	CALL("shmget", SYS_shmget, 4711, 4096, 01600);
	CALL("semget", SYS_semget, 4711, 1, 01600);
	CALL("msgget", SYS_msgget, 4711, 01600);
	CALL("mq_open", SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, NULL);
	CALL("inotify_init1", SYS_inotify_init1, 0);
	CALL("fanotify_init", SYS_fanotify_init, 0, 0);
	CALL("open_by_handle_at", SYS_open_by_handle_at, fd, word, 0);
	CALL("unshare", SYS_unshare, CLONE_NEWUSER);
	CALL("clone, a namespace of users", SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	CALL("clone3", 435, word, sizeof word);
	CALL("setns", SYS_setns, fd, 0);
	CALL("mount", SYS_mount, "none", "/tmp", "tmpfs", 0, NULL);
	CALL("fsopen", 430, "tmpfs", 0);
	CALL("open_tree", 428, AT_FDCWD, "/", 0);
	CALL("mount_setattr", 442, AT_FDCWD, "/", 0, word, 32);
	CALL("chroot", SYS_chroot, ".");
	CALL("personality", SYS_personality, 0x40000);
	CALL("setsid", SYS_setsid);
	CALL("setpgid", SYS_setpgid, 0, 0);
	CALL("PR_SET_PTRACER", SYS_prctl, 0x59616d61, -1, 0, 0, 0);
	CALL("PR_SET_CHILD_SUBREAPER", SYS_prctl, 36, 1, 0, 0, 0);
	CALL("memfd_create", SYS_memfd_create, "x", 0);
	return write(pair[1], "x", 1) == 1 ? 0 : 1; /* which sends the signal that the first attempts ask for */
}
