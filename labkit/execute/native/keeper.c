/* Keeps a guest: starts it, and when its owner goes, however it goes, kills it and removes its folder.
 *
 *   keeper FOLDER CPU [-c] [-w [PATH]...] -- PROGRAM ARGUMENT...
 *
 * Descriptor 12 is the owner's lifeline. It is there before FOLDER is, so that no folder is without a keeper. A first
 * byte on it means that FOLDER is made and filled, a second one kill the program; its end of file is the owner's end.
 * PROGRAM runs in FOLDER in a process group of its own, on CPU (-1: any), with standard streams as ours, and dies
 * with the keeper. When it has ended, "exit STATUS\n" goes to descriptor 13; the folder stays until the owner lets go.
 * Locks that the owner passes on are held as long, and one on the folder.
 *
 * -c: what it and we print goes to FOLDER/console.
 * -w: with walls around it (walls.h), through which it can read FOLDER, its root and these PATHs. SPDX: MIT */
#define _GNU_SOURCE
#include "walls.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIFELINE = 12, STATUS = 13, NOBODY = -2 };

/* A terminal that is closed or a service that is stopped sends one to everybody. The owner decides what it means; if
 * it ends, we tidy up. */
static const int meant_for_owner[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

struct order {
	char *folder, **shown, **program;
	int cpu, shown_count, rules, signals[2]; /* a socket pair: ours, the program's. -1: there is none */
	bool console, walls;
};

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path) && errno != ENOENT;
}

static void fail(const char *what)
{
	dprintf(2, "keeper: %s: %s\n", what, strerror(errno));
	_exit(NOT_STARTED);
}

/* Until the owner has filled the folder; false: it has gone before. */
static bool filled(void)
{
	ssize_t got;
	char byte;

	while ((got = read(LIFELINE, &byte, 1)) < 0 && errno == EINTR)
		;
	return got == 1;
}

/* From now on nobody takes the folder for an abandoned one; and there is somewhere to print to. */
static bool hold(const struct order *order)
{
	int folder = open(order->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int console = folder < 0 || !order->console
			      ? folder
			      : openat(folder, "console", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (console >= 0 && order->console && dup2(console, 1) == 1)
		dup2(console, 2);
	if (console < 0 || flock(folder, LOCK_EX) < 0)
		dprintf(2, "keeper: cannot hold its folder: %s\n", strerror(errno));
	else
		return true;
	return false;
}

/* No more than there may be; a core of one byte is none, also where cores go to a program. */
static void limit(int what, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now) < 0)
		fail("cannot read a limit");
	if (now.rlim_max > most)
		now.rlim_max = most;
	now.rlim_cur = now.rlim_max;
	if (setrlimit(what, &now) < 0)
		fail("cannot set a limit");
}

/* What is needed before there is a process: the rules of Landlock, and, where these do not see to signals, how we
 * shall hear of them. */
static bool prepare(struct order *order)
{
	bool signals = false;

	order->rules = rules_make(order->folder, ROOT, order->shown, order->shown_count, &signals);
	if (order->rules < 0 && errno != ENOSYS)
		dprintf(2, "keeper: walls: Landlock: %s\n", strerror(errno));
	else if (!signals && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, order->signals) < 0)
		dprintf(2, "keeper: walls: a socket: %s\n", strerror(errno));
	else
		return true;
	return false;
}

/* In the new process: what can be closed before the program is loaded. */
static void begin_walls(const struct order *order)
{
	limit(RLIMIT_CORE, 1);
	limit(RLIMIT_NOFILE, 4096);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_FSIZE, (rlim_t)1 << 38); /* guest memory is a file, too. (RLIMIT_NPROC would be the user's) */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("walls: no_new_privs");
	if (dup2(ROOT, ROOT_LATER) < 0 || (order->rules >= 0 && dup2(order->rules, RULES) < 0) ||
	    (order->signals[1] >= 0 && dup2(order->signals[1], SIGNALS) < 0))
		fail("walls: descriptors");
	for (int fd = 3; fd < RULES; fd++)
		if (fd != FROM_OWNER && fd != TO_OWNER)
			close(fd);
}

static void run(const struct order *order, pid_t keeper)
{
	cpu_set_t one;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
		dprintf(2, "keeper: cannot die with its owner: %s\n", strerror(errno));
		_exit(NOT_STARTED);
	}
	if (getppid() != keeper) /* it has gone already, and who adopts its children need not be 1 */
		_exit(NOT_STARTED);
	setpgid(0, 0);
	if (isatty(0)) { /* the terminal's own group, or reading from it would stop the program */
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
	for (size_t i = 0; i < sizeof meant_for_owner / sizeof *meant_for_owner; i++)
		signal(meant_for_owner[i], SIG_DFL);
	if (order->cpu >= 0) {
		CPU_ZERO(&one);
		CPU_SET(order->cpu, &one);
		sched_setaffinity(0, sizeof one, &one);
	}
	if (chdir(order->folder) < 0)
		_exit(NOT_STARTED);
	close(LIFELINE);
	close(STATUS);
	if (order->walls)
		begin_walls(order);
	execv(order->program[0], order->program);
	dprintf(2, "keeper: cannot start %s: %s\n", order->program[0], strerror(errno));
	_exit(127);
}

/* Until the program has ended, or the owner lets it die or goes: its status as a shell would have it. */
static int watch(pid_t pid, int signals)
{
	struct pollfd wait[3] = {
		{LIFELINE, POLLIN, 0}, {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0}, {signals, POLLIN, 0}};
	bool listening = false;
	int status = 0;

	if (wait[1].fd < 0) /* its end would go by unseen */
		dprintf(2, "keeper: cannot watch the program: %s\n", strerror(errno));
	while (wait[1].fd >= 0 && (poll(wait, 3, -1) >= 0 || errno == EINTR)) {
		if (wait[0].revents || wait[1].revents)
			break;
		if (!wait[2].revents)
			continue;
		if (!listening)
			wait[2].fd = signals_listener(signals);
		else if (!(wait[2].revents & POLLIN) || !signals_answer(wait[2].fd, pid))
			wait[2].fd = -1;
		listening = true;
	}
	if (!(wait[1].revents & POLLIN)) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL); /* it may have no group of its own yet */
	}
	while (waitpid(pid, &status, 0) == pid && !WIFEXITED(status) && !WIFSIGNALED(status))
		;
	kill(-pid, SIGKILL); /* whatever it left in its group */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool understood(int argc, char **argv, struct order *order)
{
	int i = 3;

	if (argc < 5)
		return false;
	*order = (struct order){.folder = argv[1], .cpu = atoi(argv[2]), .rules = -1, .signals = {-1, -1}};
	if (!strcmp(argv[i], "-c")) {
		order->console = true;
		i++;
	}
	if (!strcmp(argv[i], "-w")) {
		order->walls = true;
		order->shown = argv + ++i;
		while (i < argc && strcmp(argv[i], "--"))
			i++;
		order->shown_count = (int)(argv + i - order->shown);
	}
	order->program = argv + i + 1;
	return i + 1 < argc && !strcmp(argv[i], "--");
}

/* A guest, from the start of its program until the owner lets go. */
static void keep(struct order *order)
{
	pid_t self = getpid(), pid = hold(order) && (!order->walls || prepare(order)) ? fork() : NOBODY;

	if (pid == 0)
		run(order, self);
	if (pid == -1)
		dprintf(2, "keeper: cannot start another process: %s\n", strerror(errno));
	close(FROM_OWNER); /* the program's, so that it sees the owner go */
	close(TO_OWNER);
	if (order->signals[1] >= 0)
		close(order->signals[1]);
	dprintf(STATUS, "exit %d\n", pid < 0 ? NOT_STARTED : watch(pid, order->signals[0]));
	close(STATUS);
	for (char byte; read(LIFELINE, &byte, 1) > 0 || errno == EINTR;)
		errno = 0;
}

int main(int argc, char **argv)
{
	struct order order;
	sigset_t none;

	if (!understood(argc, argv, &order)) {
		fprintf(stderr, "usage: keeper FOLDER CPU [-c] [-w [PATH]...] -- PROGRAM ARGUMENT...\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof meant_for_owner / sizeof *meant_for_owner; i++)
		signal(meant_for_owner[i], SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	setpgid(0, 0); /* what kills all of the owner's process group leaves us */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* the owner has them blocked until here */
	for (int fd = 3; fd < ROOT; fd++) /* what our owner's owner left open */
		close(fd);
	closefrom(RULES);
	if (filled())
		keep(&order);
	nftw(argv[1], remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
