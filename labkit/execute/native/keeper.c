/* Keeps a guest: starts it, and when its owner goes, however it goes, kills it and removes its folder.
 *
 *   keeper FOLDER CPU -- PROGRAM ARGUMENT...
 *
 * Descriptor 12 is the owner's lifeline: a byte on it means kill the program, its end of file is the
 * owner's end. PROGRAM runs in FOLDER in a process group of its own, on CPU (-1: any), with standard
 * streams as ours, and dies with the keeper. When it has ended, "exit STATUS\n" goes to descriptor 13;
 * the folder stays until the owner lets go. Locks that the owner passes on are held as long. SPDX: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FROM_OWNER = 10, TO_OWNER = 11, LIFELINE = 12, STATUS = 13 };
enum { NOT_STARTED = 125 }; /* as env(1) and others say it */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path) && errno != ENOENT;
}

static void run(char **argv, const char *folder, int cpu)
{
	cpu_set_t one;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
		dprintf(2, "keeper: cannot die with its owner: %s\n", strerror(errno));
		_exit(NOT_STARTED);
	}
	if (getppid() == 1)
		_exit(NOT_STARTED);
	setpgid(0, 0);
	if (isatty(0)) { /* the terminal's own group, or reading from it would stop the program */
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
	signal(SIGINT, SIG_DFL);
	if (cpu >= 0) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof one, &one);
	}
	if (chdir(folder) < 0)
		_exit(NOT_STARTED);
	close(LIFELINE);
	close(STATUS);
	execv(argv[0], argv);
	dprintf(2, "keeper: cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Until the program has ended, or the owner lets it die or goes: its status as a shell would have it. */
static int watch(pid_t pid)
{
	struct pollfd wait[2] = {{LIFELINE, POLLIN, 0}, {(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0}};
	int status = 0;

	if (wait[1].fd < 0) /* its end would go by unseen */
		dprintf(2, "keeper: cannot watch the program: %s\n", strerror(errno));
	else
		while (poll(wait, 2, -1) < 0 && errno == EINTR)
			;
	if (!(wait[1].revents & POLLIN))
		kill(-pid, SIGKILL);
	if (wait[1].fd < 0)
		kill(pid, SIGKILL); /* it may have no group of its own yet */
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL); /* whatever it left in its group */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	if (argc < 5 || strcmp(argv[3], "--")) {
		fprintf(stderr, "usage: keeper FOLDER CPU -- PROGRAM ARGUMENT...\n");
		return 2;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	pid_t pid = fork();
	if (pid == 0)
		run(argv + 4, argv[1], atoi(argv[2]));
	if (pid < 0)
		dprintf(2, "keeper: cannot start another process: %s\n", strerror(errno));
	close(FROM_OWNER); /* the program's, so that it sees the owner go */
	close(TO_OWNER);
	dprintf(STATUS, "exit %d\n", pid < 0 ? NOT_STARTED : watch(pid));
	close(STATUS);
	for (char byte; read(LIFELINE, &byte, 1) > 0 || errno == EINTR;)
		errno = 0;
	nftw(argv[1], remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
