/* Tries to get out of the walls around the lab kernel's process, from inside them: started in its stead.
 *
 *   attempts FOLDER PID
 *
 * FOLDER is outside, its owner's own, with a file "secret"; PID is a process of the owner's. For each attempt a
 * line: the wall, the attempt, and 0 (it got out) or the error that stopped it. SPDX: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char out_file[4096], secret[4096], maps[64], environment[64], memory[64];
static pid_t victim;
static char nothing[4096];

static void say(const char *wall, const char *what, int error)
{
	printf("%s\t%s\t%d\n", wall, what, error);
}

static void tried(const char *wall, const char *what, long result)
{
	say(wall, what, result < 0 ? errno : 0);
}

#define TRY(wall, what, ...) tried(wall, what, (errno = 0, syscall(__VA_ARGS__)))

static void writing(void)
{
	static const char wall[] = "writing";
	struct {
		unsigned long flags, mode, resolve;
	} how = {O_WRONLY | O_CREAT, 0644, 0};

	TRY(wall, "a new file", SYS_openat, AT_FDCWD, out_file, O_WRONLY | O_CREAT, 0644);
	TRY(wall, "a new file, openat2", SYS_openat2, AT_FDCWD, out_file, &how, sizeof how);
	TRY(wall, "a new file, creat", SYS_creat, out_file, 0644);
	TRY(wall, "a file that is there", SYS_openat, AT_FDCWD, secret, O_WRONLY);
	TRY(wall, "emptying it", SYS_openat, AT_FDCWD, secret, O_RDONLY | O_TRUNC);
	TRY(wall, "cutting it", SYS_truncate, secret, 1);
	TRY(wall, "removing it", SYS_unlink, secret);
	TRY(wall, "renaming it", SYS_rename, secret, out_file);
	TRY(wall, "making it setuid", SYS_chmod, secret, 04755);
	TRY(wall, "its owner", SYS_chown, secret, getuid(), getgid());
	TRY(wall, "its times", SYS_utimensat, AT_FDCWD, secret, NULL, 0);
	TRY(wall, "an attribute", SYS_setxattr, secret, "user.labkit", "x", 1, 0);
	TRY(wall, "a hard link to it", SYS_link, secret, "link");
	TRY(wall, "a symbolic link in the run folder", SYS_symlink, secret, "symlink");
	TRY(wall, "a raw file that is a link", SYS_rename, "symlink", "raw");
	TRY(wall, "a fifo in the run folder", SYS_mknod, "fifo", S_IFIFO | 0666, 0);
	TRY(wall, "a device in the run folder", SYS_mknod, "device", S_IFCHR | 0666, makedev(1, 3));
	TRY(wall, "a folder in the run folder", SYS_mkdir, "folder", 0755);
	TRY(wall, "a nameless file", SYS_openat, AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0600);
	TRY(wall, "another file in the run folder", SYS_openat, AT_FDCWD, "manifest.json", O_WRONLY | O_CREAT, 0644);
}

static void reading(void)
{
	static const char wall[] = "reading";

	TRY(wall, "the secret", SYS_openat, AT_FDCWD, secret, O_RDONLY);
	TRY(wall, "a listing of the root", SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
	TRY(wall, "/etc/shadow", SYS_openat, AT_FDCWD, "/etc/shadow", O_RDONLY);
	TRY(wall, "another process's environment", SYS_openat, AT_FDCWD, environment, O_RDONLY);
	TRY(wall, "another process's memory map", SYS_openat, AT_FDCWD, maps, O_RDONLY);
	TRY(wall, "a terminal", SYS_openat, AT_FDCWD, "/dev/tty", O_RDONLY);
}

static void network(void)
{
	static const char wall[] = "network";
	int ends[2];

	TRY(wall, "TCP", SYS_socket, AF_INET, SOCK_STREAM, 0);
	TRY(wall, "UDP", SYS_socket, AF_INET6, SOCK_DGRAM, 0);
	TRY(wall, "a unix or abstract socket", SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	TRY(wall, "netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0);
	TRY(wall, "a pair of sockets", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
	TRY(wall, "io_uring", SYS_io_uring_setup, 4, nothing);
}

static void programs(void)
{
	static const char wall[] = "programs", shell[] = "/bin/true";
	char *const arguments[] = {(char *)shell, NULL};

	TRY(wall, "execve", SYS_execve, "/nowhere", arguments, environ);
	TRY(wall, "execveat", SYS_execveat, AT_FDCWD, "/nowhere", arguments, environ, 0);
	TRY(wall, "a program from memory", SYS_memfd_create, "x", 0);
}

static long attach(long how)
{
	long result = syscall(SYS_ptrace, how, victim, NULL, NULL);

	if (result >= 0)
		ptrace(PTRACE_DETACH, victim, NULL, NULL);
	return result;
}

static void processes(void)
{
	static const char wall[] = "other processes";
	struct {
		void *at;
		size_t size;
	} here = {nothing, 1}, there = {nothing, 1};
	struct rlimit limit = {1, 1};
	cpu_set_t cpus = {0};

	tried(wall, "ptrace, attach", attach(PTRACE_ATTACH));
	tried(wall, "ptrace, seize", attach(PTRACE_SEIZE));
	TRY(wall, "reading memory", SYS_process_vm_readv, victim, &here, 1, &there, 1, 0);
	TRY(wall, "writing memory", SYS_process_vm_writev, victim, &here, 1, &there, 1, 0);
	TRY(wall, "memory as a file", SYS_openat, AT_FDCWD, memory, O_RDWR);
	TRY(wall, "holding it", SYS_pidfd_open, victim, 0);
	TRY(wall, "its limits", SYS_prlimit64, victim, RLIMIT_FSIZE, &limit, NULL);
	TRY(wall, "its processors", SYS_sched_setaffinity, victim, sizeof cpus, &cpus);
	TRY(wall, "its priority", SYS_setpriority, PRIO_PROCESS, victim, 19);
	TRY(wall, "leaving the process group", SYS_setpgid, 0, victim);
	TRY(wall, "leaving the session", SYS_setsid);
}

static void signals(void)
{
	static const char wall[] = "signals";
	siginfo_t info = {.si_code = SI_QUEUE};

	TRY(wall, "kill", SYS_kill, victim, SIGKILL);
	TRY(wall, "kill the keeper", SYS_kill, getppid(), SIGKILL);
	TRY(wall, "kill its group", SYS_kill, -victim, SIGKILL);
	TRY(wall, "kill everybody", SYS_kill, -1, SIGCONT);
	TRY(wall, "tkill", SYS_tkill, victim, SIGKILL);
	TRY(wall, "tgkill", SYS_tgkill, victim, victim, SIGKILL);
	TRY(wall, "a queued signal", SYS_rt_sigqueueinfo, victim, SIGKILL, &info);
	TRY(wall, "by input", SYS_fcntl, 0, F_SETOWN, victim);
	TRY(wall, "by another's input", SYS_fcntl, 0, F_SETSIG, SIGKILL);
}

static long cloned(long flags)
{
	long pid = syscall(SYS_clone, flags, NULL, NULL, NULL, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static void rights(void)
{
	static const char wall[] = "rights";
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};

	TRY(wall, "mount", SYS_mount, "none", "/mnt", "tmpfs", 0, NULL);
	TRY(wall, "unmount", SYS_umount2, "/mnt", 0);
	TRY(wall, "chroot", SYS_chroot, "/");
	TRY(wall, "chdir", SYS_chdir, "/");
	TRY(wall, "a user namespace", SYS_unshare, CLONE_NEWUSER);
	tried(wall, "a user namespace, clone", cloned(CLONE_NEWUSER | SIGCHLD));
	TRY(wall, "another's namespace", SYS_setns, 0, 0);
	TRY(wall, "setuid", SYS_setuid, 0);
	TRY(wall, "capabilities", SYS_capset, &head, data);
	TRY(wall, "a file by its handle", SYS_open_by_handle_at, AT_FDCWD, nothing, O_RDONLY);
	TRY(wall, "a core dump's limit", SYS_setrlimit, RLIMIT_CORE, &(struct rlimit){1, 1});
	TRY(wall, "clock_settime", SYS_clock_settime, 0, nothing);
	TRY(wall, "typing into the terminal", SYS_ioctl, 0, TIOCSTI, "x");
}

static void kernel(void)
{
	static const char wall[] = "kernel interfaces";

	TRY(wall, "bpf", SYS_bpf, 5, nothing, 48);
	TRY(wall, "perf", SYS_perf_event_open, nothing, 0, -1, -1, 0);
	TRY(wall, "userfaultfd", SYS_userfaultfd, 0);
	TRY(wall, "keys", SYS_keyctl, 0, -3, 1);
	TRY(wall, "a key", SYS_add_key, "user", "labkit", "x", 1, -3);
	TRY(wall, "a module", SYS_init_module, nothing, 1, "");
	TRY(wall, "fanotify", SYS_fanotify_init, 0, 0);
	TRY(wall, "inotify", SYS_inotify_init1, 0);
	long shared = syscall(SYS_shmget, 0, 4096, 0600 | 01000);
	tried(wall, "shared memory", shared);
	if (shared >= 0)
		syscall(SYS_shmctl, shared, 0, NULL);
	TRY(wall, "another filter", SYS_seccomp, 1, 0, nothing);
	TRY(wall, "personality", SYS_personality, 0x0040000);
	TRY(wall, "x32", SYS_getpid | 0x40000000);
	long result;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L /* getpid */) : "memory", "r8", "r9", "r10", "r11");
	say(wall, "32-bit calls", result < 0 ? (int)-result : 0);
}

static void crash(void)
{
	int status = 0;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);

	if (pid == 0)
		__builtin_trap();
	waitpid(pid, &status, 0);
	say("core dumps", "a crash", pid > 0 && WIFSIGNALED(status) && !WCOREDUMP(status) ? EPERM : 0);
}

static void inherited(void)
{
	char name[64];

	for (int fd = 3; fd < 1024; fd++) {
		bool agreed = fd == 9 || fd == 10 || fd == 11;
		if (agreed || fcntl(fd, F_GETFD) < 0 || (fcntl(fd, F_GETFD) & FD_CLOEXEC))
			continue;
		snprintf(name, sizeof name, "descriptor %d", fd);
		say("inheritance", name, 0);
	}
	for (char **word = environ; *word; word++)
		if (strncmp(*word, "LD_PRELOAD=", 11))
			say("inheritance", *word, 0);
	say("inheritance", "descriptors, environment", EPERM);
}

int main(int argc, char **argv)
{
	struct statx found;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	victim = atoi(argv[2]);
	snprintf(out_file, sizeof out_file, "%s/new", argv[1]);
	snprintf(secret, sizeof secret, "%s/secret", argv[1]);
	snprintf(maps, sizeof maps, "/proc/%d/maps", victim);
	snprintf(memory, sizeof memory, "/proc/%d/mem", victim);
	snprintf(environment, sizeof environment, "/proc/%d/environ", victim);
	statx(-1, "//proc/self/fd/9/", 0, STATX_BASIC_STATS, &found); /* as the kernel does: the walls close */
	inherited();
	writing();
	reading();
	network();
	programs();
	processes();
	signals();
	rights();
	kernel();
	crash();
	return 0;
}
