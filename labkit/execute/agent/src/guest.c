/* Process 1 of a lab kernel that is a process of the host (User-Mode Linux). SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/* Was the kernel started with this option? */
static bool told(const char *option)
{
	char line[4096] = "";
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);

	init_must(fd, "open the kernel's command line");
	init_must((int)read(fd, line, sizeof line - 1), "read the kernel's command line");
	close(fd);
	return strstr(line, option) != NULL;
}

/* The root is a skeleton; the run folder is mounted by what it is, never by its name. */
void init_guest(void)
{
	umask(0);
	init_must(prctl(PR_SET_DUMPABLE, 0), "close our memory to others"); /* also what we fork, until it is another program */
	init_must(mount("none", "/proc", "proc", 0, NULL), "mount /proc");
	init_must(mount("none", "/sys", "sysfs", 0, NULL), "mount /sys");
	init_must(init_devices("/dev", true), "make /dev");
	int console = open("/dev/console", O_RDWR);
	init_must(console, "open the console");
	for (int fd = 0; fd < 3; fd++)
		dup2(console, fd);
	if (console > 2)
		close(console);
	init_must(mount("none", "/run", "hostfs", 0, "/proc/self/cwd/"), "mount the run folder");
	init_must(chdir("/run"), "enter the run folder");
	umask(022);
	place = (struct place){.own_kernel = true, .virtual_time = told("time-travel"), .host_files = true};
}
