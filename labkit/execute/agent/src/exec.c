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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct child {
	struct watch out, err, exit;
	struct exec_op op;
	uint32_t record, program;
	int64_t at_ns;
	unsigned ns;
	char *command;
	pid_t pid;
	uint64_t printed; /* bytes of both streams */
	struct child *next;
};

enum { FILES = 1024, FILES_AT_MOST = 4096 }; /* Linux's own limits, soft and hard */

static struct child *children;
#define OWNER(w, member) ((struct child *)((uint8_t *)(w) - offsetof(struct child, member)))

/* Whatever it started goes with it: it has no more readers. */
static void cut(struct child *c)
{
	watch_close(&c->out);
	watch_close(&c->err);
	if (c->pid > 0 && !(c->op.flags & EXEC_TERMINAL))
		kill(-c->pid, SIGKILL);
}

/* A pipe holds less than is read at once here, so that one who writes without end holds nobody up; then there may
 * be no heartbeat, and the host is asked here. (Asking moves virtual time: never where there was no flood.) What
 * was printed is in the file before a program can keep the agent from running. */
static void drain(struct child *c, struct watch *w, int32_t stream)
{
	enum { AT_ONCE = 16 };
	static uint8_t bytes[65536];
	struct exec_out head = {c->op.id, stream};
	unsigned i;

	for (i = 0; i < AT_ONCE && w->fd >= 0; i++) {
		ssize_t n = read(w->fd, bytes, sizeof bytes);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			watch_close(w);
			break;
		}
		size_t room = limits_room(LIMIT_OUTPUT, (uint16_t)c->ns, c->op.id, &c->printed, (size_t)n);
		if (room)
			raw_put(R_EXEC_OUT, (uint16_t)c->ns, state_since_epoch(clock_now()), &head, sizeof head, bytes, room);
		if (room < (size_t)n)
			cut(c);
	}
	raw_write();
	if (i == AT_ONCE && access("stop", F_OK) == 0)
		state_finish(END_STOPPED, clock_now());
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

/* As the host ends a program that computes and makes no system call, which nobody here could (execute/guest/
 * computing.py); a shell above it says so in its own way. */
static bool ended_from_outside(int status)
{
	return WIFSIGNALED(status) ? WTERMSIG(status) == SIGILL : WEXITSTATUS(status) == 128 + SIGILL;
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
	if (ended_from_outside(status) && access("stop", F_OK) == 0)
		state_finish(END_STOPPED, clock_now());
	/* How long it takes to end what writes without end is not always the same. */
	int64_t at_ns = state_ended() && state_reason() == END_SIZE ? state_end_ns() : clock_now();
	raw_put(R_EXEC_END, (uint16_t)c->ns, state_since_epoch(at_ns), &head, sizeof head, NULL, 0);
	if (!(c->op.flags & EXEC_DETACHED))
		state_done(c->program);
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

/* On a machine's own kernel: its files, and in /etc/hosts the names of the experiment's hosts. */
static void enter_machine(struct child *c)
{
	static const char path[] = "/etc/hosts", copy[] = "/tmp/hosts";
	const char *hosts = view_hosts();

	must(netns_enter(c->ns) == 0, "cannot enter the host's namespace");
	must(unshare(CLONE_NEWNS) == 0, "cannot unshare mounts");
	must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "cannot make mounts private");
	must(mount("none", "/tmp", "tmpfs", 0, NULL) == 0, "cannot mount /tmp");
	mount("none", "/proc", "proc", 0, NULL); /* containers forbid these two; most programs need neither */
	mount("none", "/sys", "sysfs", 0, NULL);
	if (!hosts)
		return;
	must(access(path, F_OK) == 0, "this machine has no /etc/hosts to put the hosts' names in: create it, empty");
	int fd = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	must(fd >= 0 && write(fd, hosts, strlen(hosts)) == (ssize_t)strlen(hosts), "cannot write /etc/hosts");
	must(mount(copy, path, NULL, MS_BIND, NULL) == 0, "cannot set /etc/hosts");
	close(fd);
}

/* The agent itself may have many more files open. */
static void limit_files(void)
{
	struct rlimit files;

	must(getrlimit(RLIMIT_NOFILE, &files) == 0, "cannot read the limit of open files");
	if (place.host_files && files.rlim_max > FILES_AT_MOST)
		files.rlim_max = FILES_AT_MOST;
	if (files.rlim_cur > FILES)
		files.rlim_cur = FILES;
	must(setrlimit(RLIMIT_NOFILE, &files) == 0, "cannot limit open files");
}

/* The program sees the network of its host: its interfaces in /sys, its neighbours in /etc/hosts. */
static void enter_host(struct child *c)
{
	limit_files();
	if (place.host_files) {
		const char *fault = walls_enter(c->ns, c->op.flags & EXEC_PRIVILEGED);
		must(!fault, fault);
	} else {
		enter_machine(c);
	}
	must(chdir("/tmp") == 0, "cannot enter /tmp");
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

static void close_all(const int *fd, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* The process, of which nothing is left where that has failed: -1 with errno. ends: what we read of its output
 * and of its errors, and what tells that it has ended. */
static pid_t launch(struct child *c, int ends[3])
{
	int pipes[4] = {-1, -1, -1, -1};
	pid_t pid = -1;

	ends[2] = -1;
	if (pipe2(pipes, O_CLOEXEC) == 0 && pipe2(pipes + 2, O_CLOEXEC) == 0 && fcntl(pipes[0], F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(pipes[2], F_SETFL, O_NONBLOCK) == 0)
		pid = place.host_files ? walls_fork(c->ns) : fork();
	if (pid == 0)
		become(c, pipes[1], pipes[3]);
	if (pid > 0 && (ends[2] = (int)syscall(SYS_pidfd_open, pid, 0)) < 0) {
		int error = errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		errno = error;
		pid = -1;
	}
	if (pid < 0) {
		int error = errno;
		close_all(pipes, 4);
		errno = error;
		return -1;
	}
	close_all((int[]){pipes[1], pipes[3]}, 2);
	ends[0] = pipes[0];
	ends[1] = pipes[2];
	return pid;
}

static void begin(void *arg, int64_t at_ns)
{
	struct child *c = arg;
	int ends[3];
	(void)at_ns;

	raw_write();
	if ((place.host_files && view_build() < 0) || (c->pid = launch(c, ends)) < 0) {
		state_fail(c->record, 0, errno, "cannot start: %s", c->command);
		return;
	}
	c->out = (struct watch){ends[0], out_ready};
	c->err = (struct watch){ends[1], err_ready};
	c->exit = (struct watch){ends[2], exit_ready};
	watch_add(&c->out, EPOLLIN);
	watch_add(&c->err, EPOLLIN);
	watch_add(&c->exit, EPOLLIN);
}

void exec_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct exec_op *op = (const void *)payload(r);
	struct child *c = calloc(1, sizeof *c);

	if (!c || !(c->command = strdup((const char *)(op + 1))))
		abort();
	c->op = *op;
	c->record = i;
	c->at_ns = at_ns;
	c->ns = r->ns;
	if (!(op->flags & EXEC_DETACHED))
		c->program = state_begun();
	c->next = children;
	c->out.fd = c->err.fd = c->exit.fd = -1;
	children = c;
	clock_at(at_ns, begin, c);
}

bool exec_running(int64_t at_ns, pid_t group)
{
	for (const struct child *c = children; c; c = c->next)
		if (c->at_ns == at_ns && c->pid > 0 && (!group || c->pid == group))
			return true;
	return false;
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
