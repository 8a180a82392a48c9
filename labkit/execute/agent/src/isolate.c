/* On a machine's own kernel: what keeps a run apart from the machine, and lets nothing outlive it. A user
 * namespace, where the user may make no other kind without one; a process namespace, with which all that
 * the run has started dies, whatever kills it. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { INHERITED = 1024 }; /* descriptors that we may have been given: not for the programs we start */

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* The user becomes root of a namespace in which the other namespaces are made. */
static bool become_root(void)
{
	char users[32], groups[32];

	snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
	return unshare(CLONE_NEWUSER) == 0 && put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", users) &&
	       put("/proc/self/gid_map", groups) && unshare(CLONE_NEWPID) == 0;
}

/* Returns -1 with errno, or 0 in the process that goes on, whose parent passes on how it ended. */
int isolate(void)
{
	int alive[2], status = 0;

	for (int fd = 3; fd < INHERITED; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (unshare(CLONE_NEWPID) < 0 && !become_root())
		return -1;
	if (pipe2(alive, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		struct pollfd parent = {alive[0], POLLIN, 0};
		close(alive[1]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&parent, 1, 0) != 0)
			_exit(125); /* the parent had gone already */
		close(alive[0]);
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of user may have cleared it */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
