/* Whether programs have something to do. Not in WebAssembly, where there are none. SPDX: MIT */
#include "agent.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

/* Its group, if it runs or waits within a system call that will end by itself; else 0. */
static pid_t busy_group(const char *process)
{
	char path[300], stat[512] = "", state;
	int group;

	snprintf(path, sizeof path, "/proc/%s/stat", process);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* it has ended meanwhile */
		return 0;
	ssize_t size = read(fd, stat, sizeof stat - 1);
	close(fd);
	const char *name_end = size > 0 ? strrchr(stat, ')') : NULL;
	if (!name_end || sscanf(name_end, ") %c %*d %d", &state, &group) != 2)
		return 0;
	return state == 'R' || state == 'D' ? group : 0;
}

bool processes_at_work(bool (*mine)(pid_t group))
{
	DIR *all = opendir("/proc");
	bool found = false;

	for (struct dirent *e; all && !found && (e = readdir(all));) {
		pid_t group = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? busy_group(e->d_name) : 0;
		found = group > 0 && mine(group);
	}
	if (all)
		closedir(all);
	return found;
}
