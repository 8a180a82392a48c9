/* Programs of the host, started in a namespace; what they print goes into the raw file. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct child {
	struct watch out, err, exit;
	struct exec_op op;
	uint32_t record, program;
	unsigned ns;
	char *command;
	pid_t pid;
	struct child *next;
};

static struct child *children;
#define OWNER(w, member) ((struct child *)((uint8_t *)(w) - offsetof(struct child, member)))

static const char hosts_path[] = "/etc/hosts";
static char hosts_copy[] = "/tmp/hosts";
static char *hosts;
static size_t hosts_size;

void hosts_set(const void *text, size_t size)
{
	free(hosts);
	hosts = malloc(size + 1);
	if (!hosts)
		abort();
	memcpy(hosts, text, size);
	hosts_size = size;
}

static void drain(struct child *c, struct watch *w, int32_t stream)
{
	static uint8_t bytes[65536];
	struct exec_out head = {c->op.id, stream};
	ssize_t n = -1;

	while (w->fd >= 0 && (n = read(w->fd, bytes, sizeof bytes)) > 0)
		raw_put(R_EXEC_OUT, (uint16_t)c->ns, run_since_epoch(clock_now()), &head, sizeof head, bytes, (size_t)n);
	if (w->fd >= 0 && (n == 0 || errno != EAGAIN))
		watch_close(w);
}

static void out_ready(struct watch *w, uint32_t events)
{
	(void)events;
	drain(OWNER(w, out), w, 1);
}

static void err_ready(struct watch *w, uint32_t events)
{
	(void)events;
	drain(OWNER(w, err), w, 2);
}

static void gone(struct child *c)
{
	int status = 0;

	if (c->pid <= 0 || waitpid(c->pid, &status, 0) < 0)
		return;
	c->pid = 0;
	drain(c, &c->out, 1);
	drain(c, &c->err, 2);
	watch_close(&c->out);
	watch_close(&c->err);
	watch_close(&c->exit);
	struct exec_out head = {c->op.id, status};
	raw_put(R_EXEC_END, (uint16_t)c->ns, run_since_epoch(clock_now()), &head, sizeof head, NULL, 0);
	if (!(c->op.flags & EXEC_DETACHED))
		run_ended(c->program);
}

static void exit_ready(struct watch *w, uint32_t events)
{
	(void)events;
	gone(OWNER(w, exit));
}

static void must(bool worked, const char *what)
{
	if (worked)
		return;
	dprintf(2, "agent: %s: %s\n", what, strerror(errno));
	_exit(126);
}

/* The program sees the network of its host: its interfaces in /sys, its neighbours in /etc/hosts. */
static void enter_host(struct child *c)
{
	const char *root = init_host_root();

	must(root && netns_enter(c->ns) == 0, "cannot enter the host's namespace");
	must(unshare(CLONE_NEWNS) == 0, "cannot unshare mounts");
	must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "cannot make mounts private");
	if (is_init) {
		must(mount("none", "/host/sys", "sysfs", 0, NULL) == 0, "cannot mount /sys");
		must(chroot(root) == 0 && chdir("/tmp") == 0, "cannot enter the machine's files");
	} else {
		must(mount("none", "/tmp", "tmpfs", 0, NULL) == 0 && chdir("/tmp") == 0, "cannot mount /tmp");
		mount("none", "/proc", "proc", 0, NULL); /* containers forbid these two; most programs need neither */
		mount("none", "/sys", "sysfs", 0, NULL);
	}
	if (!hosts)
		return;
	must(access(hosts_path, F_OK) == 0, "this machine has no /etc/hosts to put the hosts' names in: create it, empty");
	int fd = open(hosts_copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	must(fd >= 0 && write(fd, hosts, hosts_size) == (ssize_t)hosts_size, "cannot write /etc/hosts");
	must(mount(hosts_copy, hosts_path, NULL, MS_BIND, NULL) == 0, "cannot set /etc/hosts");
	close(fd);
}

static void become(struct child *c, int out, int err)
{
	static char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
					    "HOME=/tmp", "LANG=C.UTF-8", "TERM=xterm", NULL};
	char *const arguments[] = {"sh", "-c", c->command, NULL};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (c->op.flags & EXEC_TERMINAL) {
		setsid();
		ioctl(0, TIOCSCTTY, 1);
	} else {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		setpgid(0, 0);
		dup2(null, 0);
		dup2(out, 1);
		dup2(err, 2);
	}
	enter_host(c);
	execve("/bin/sh", arguments, environment);
	_exit(127);
}

static bool pipes(int out[2], int err[2])
{
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return false;
	return fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(err[0], F_SETFL, O_NONBLOCK) == 0;
}

static void begin(void *arg, int64_t at_ns)
{
	struct child *c = arg;
	int out[2], err[2];
	(void)at_ns;

	if (!init_host_root() || !pipes(out, err) || (c->pid = fork()) < 0) {
		run_fail(c->record, 0, errno, "cannot start: %s", c->command);
		return;
	}
	if (c->pid == 0)
		become(c, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	c->out = (struct watch){out[0], out_ready};
	c->err = (struct watch){err[0], err_ready};
	c->exit = (struct watch){(int)syscall(SYS_pidfd_open, c->pid, 0), exit_ready};
	watch_add(&c->out, EPOLLIN);
	watch_add(&c->err, EPOLLIN);
	watch_add(&c->exit, EPOLLIN);
}

void exec_at(uint32_t record, unsigned ns, const struct exec_op *op, const char *command, int64_t start_ns)
{
	struct child *c = calloc(1, sizeof *c);

	if (!c || !(c->command = strdup(command)))
		abort();
	c->op = *op;
	c->record = record;
	c->ns = ns;
	if (!(op->flags & EXEC_DETACHED))
		c->program = run_started();
	c->next = children;
	c->out.fd = c->err.fd = c->exit.fd = -1;
	children = c;
	clock_at(start_ns, begin, c);
}

/* program 0: every one, and they are forgotten; else those that this program started and waits for. */
void exec_kill(uint32_t program)
{
	for (struct child *c = children, *next; c; c = next) {
		next = c->next;
		if (program && c->program != program)
			continue;
		clock_cancel(c);
		if (c->pid > 0) {
			if (!(c->op.flags & EXEC_TERMINAL))
				kill(-c->pid, SIGKILL);
			kill(c->pid, SIGKILL);
			gone(c);
		}
		if (!program) {
			free(c->command);
			free(c);
		}
	}
	if (!program)
		children = NULL;
}
