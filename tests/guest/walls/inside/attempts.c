/* Everything a program in the guest could try against the machine, the agent or other runs; one line each: what,
 * and 0 (it worked) or the errno. `attempts` tries as who it is, `attempts UID` as that user. SPDX: MIT */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s %d\n", what, result < 0 ? errno : 0);
	fflush(stdout);
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_NONBLOCK, 0644);
	char byte;

	if (fd >= 0 && !(flags & (O_WRONLY | O_RDWR)) && read(fd, &byte, 1) < 0 && errno != EISDIR) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* Is there anything in a folder? */
static int listed(const char *path)
{
	DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			return 0;
	errno = folder ? ENOENT : errno;
	return -1;
}

/* In a process of its own, since it changes what the process is: 0, or -1 with its errno. */
static int apart(int (*attempt)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(attempt() < 0 ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno ? -1 : 0;
}

static int hostfs(const char *what)
{
	return mount("none", "/tmp", "hostfs", 0, what);
}

static int in_a_user_namespace(void)
{
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ? -1 : hostfs("/tmp");
}

static int remount_in_a_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -1;
	return mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL);
}

/* The old way out of a chroot; then something of the agent's root should be in sight. */
static int out_of_the_root(void)
{
	struct stat st;

	mkdir("/tmp/deeper", 0755);
	if (chroot("/tmp/deeper") < 0)
		return -1;
	for (int i = 0; i < 64; i++)
		if (chdir("..") < 0)
			return -1;
	if (chroot(".") < 0)
		return -1;
	return stat("/agent", &st) == 0 || stat("/run/raw", &st) == 0 || stat("/run/program", &st) == 0 ? 0 : -1;
}

static int into_pid_1(void)
{
	int fd = open("/proc/1/ns/mnt", O_RDONLY);
	return fd < 0 ? -1 : setns(fd, CLONE_NEWNS);
}

static int killed_by_a_crash(void)
{
	abort();
}

static int to_abstract_socket(void)
{
	static const char name[] = "labkit-attempt";
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(at.sun_path + 1, name, sizeof name - 1);
	return connect(fd, (void *)&at, offsetof(struct sockaddr_un, sun_path) + sizeof name);
}

static void mounts(void)
{
	say("remount-root", mount(NULL, "/", NULL, MS_REMOUNT, NULL));
	say("remount-root-bind", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
	say("remount-machine", mount(NULL, "/usr", NULL, MS_REMOUNT, NULL));
	say("remount-machine-bind", mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL));
	say("mount-hostfs", hostfs("/tmp"));
	say("mount-hostfs-run-folder", hostfs("/proc/self/cwd"));
	say("mount-hostfs-new-call", syscall(SYS_fsopen, "hostfs", 0));
	say("bind-mount", mount("/usr", "/tmp", NULL, MS_BIND, NULL));
	say("unmount", umount2("/etc/passwd", MNT_DETACH));
	say("own-mounts", apart(in_a_user_namespace));
	say("own-remount", apart(remount_in_a_user_namespace));
	say("chroot-escape", apart(out_of_the_root));
	say("pivot-root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
}

static void files(void)
{
	say("write-program", opened("/usr/bin/env", O_WRONLY));
	say("append-passwd", opened("/etc/passwd", O_WRONLY | O_APPEND));
	say("create", opened("/usr/labkit-attempt", O_WRONLY | O_CREAT));
	say("create-in-root", opened("/labkit-attempt", O_WRONLY | O_CREAT));
	say("chmod", chmod("/usr/bin/env", 04777));
	say("chown", chown("/usr/bin/env", 1, 1));
	say("touch", utimensat(AT_FDCWD, "/usr/bin/env", NULL, 0));
	say("truncate", truncate("/usr/bin/env", 0));
	say("unlink", unlink("/usr/bin/env"));
	say("rename", rename("/usr/bin/env", "/usr/bin/labkit-attempt"));
	say("mkdir", mkdir("/usr/labkit-attempt", 0755));
	say("rmdir", rmdir("/usr/share/man"));
	say("symlink", symlink("/etc/shadow", "/usr/labkit-attempt"));
	say("hard-link", link("/usr/bin/env", "/tmp/labkit-attempt"));
	say("hard-link-there", link("/usr/bin/env", "/usr/bin/labkit-attempt"));
	say("fifo", mkfifo("/usr/labkit-attempt", 0666));
	say("socket-file", mknod("/usr/labkit-attempt", S_IFSOCK | 0666, 0));
	say("read-shadow", opened("/etc/shadow", O_RDONLY));
	say("read-gshadow", opened("/etc/gshadow", O_RDONLY));
	say("read-host-keys", opened("/etc/ssh", O_RDONLY));
	say("read-private-keys", opened("/etc/ssl/private", O_RDONLY));
	say("read-var", opened("/var/lib/dpkg", O_RDONLY));
	say("handle", syscall(SYS_open_by_handle_at, AT_FDCWD, "", O_RDONLY));
}

static void agent(void)
{
	char bytes[16];
	struct iovec here = {bytes, sizeof bytes}, there = {environ, sizeof bytes};

	say("pid1-root", opened("/proc/1/root/run/raw", O_WRONLY | O_APPEND));
	say("pid1-cwd", opened("/proc/1/cwd/raw", O_WRONLY | O_APPEND));
	say("pid1-root-symlink", symlink("/etc/passwd", "/proc/1/root/run/raw"));
	say("pid1-descriptors", listed("/proc/1/fd"));
	say("pid1-memory", opened("/proc/1/mem", O_RDWR));
	say("pid1-environment", opened("/proc/1/environ", O_RDONLY));
	say("pid1-namespace", apart(into_pid_1));
	say("ptrace", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	say("ptrace-seize", ptrace(PTRACE_SEIZE, 1, NULL, NULL));
	say("read-memory", process_vm_readv(1, &here, 1, &there, 1, 0));
	say("write-memory", process_vm_writev(1, &here, 1, &there, 1, 0));
	say("take-descriptor", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 1, 0));
	say("console", opened("/dev/console", O_WRONLY));
	kill(1, SIGKILL);
	kill(1, SIGTERM);
	say("crash", apart(killed_by_a_crash));
	say("core-file", opened("core", O_RDONLY));
}

static void kernel(void)
{
	struct timeval day = {86400, 0};
	struct timespec later = {86400, 0};
	struct timex step = {.modes = ADJ_SETOFFSET, .time = {60, 0}};

	say("device-memory", mknod("/tmp/mem", S_IFCHR | 0666, makedev(1, 1)));
	say("device-disk", mknod("/tmp/ubd", S_IFBLK | 0666, makedev(98, 0)));
	say("device-console", mknod("/tmp/console", S_IFCHR | 0666, makedev(5, 1)));
	say("clock", settimeofday(&day, NULL));
	say("clock-realtime", clock_settime(CLOCK_REALTIME, &later));
	say("clock-adjust", adjtimex(&step));
	say("reboot", reboot(RB_POWER_OFF));
	say("load-module", syscall(SYS_init_module, "", 0L, ""));
	say("load-kernel", syscall(SYS_kexec_load, 0L, 0L, NULL, 0L));
	say("ports", syscall(SYS_iopl, 3));
	say("io-uring", syscall(SYS_io_uring_setup, 1, (char[120]){0}));
	say("bpf", syscall(SYS_bpf, 0, NULL, 0));
	say("sysrq", opened("/proc/sysrq-trigger", O_WRONLY));
	say("core-pattern", opened("/proc/sys/kernel/core_pattern", O_WRONLY));
	say("modprobe", opened("/proc/sys/kernel/modprobe", O_WRONLY));
	say("kernel-setting", opened("/proc/sys/kernel/panic", O_WRONLY));
	say("kernel-object", opened("/sys/kernel/reboot/mode", O_WRONLY));
	say("kernel-memory", opened("/proc/kcore", O_RDONLY));
	say("mounts-of-its-own", unshare(CLONE_NEWNS));
	say("abstract-socket", to_abstract_socket());
	errno = EPERM;
	say("new-privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && (setgid((gid_t)atoi(argv[1])) < 0 || setuid((uid_t)atoi(argv[1])) < 0))
		return 2;
	mounts();
	files();
	agent();
	kernel();
	return 0;
}
