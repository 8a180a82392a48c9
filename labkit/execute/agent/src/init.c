/* What process 1 of a lab kernel has to do that a program on a host has not. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct place place;

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	dprintf(2, "agent: %s: %s\n", what, strerror(errno));
	init_power_off();
}

/* A /dev of the devices that every program may use. -1 with errno. */
int init_devices(const char *folder, bool console)
{
	static const struct {
		const char *name;
		unsigned major, minor;
	} node[] = {{"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8},
		    {"urandom", 1, 9}, {"tty", 5, 0}, {"ptmx", 5, 2}, {"net/tun", 10, 200}, {"console", 5, 1}};
	char path[64];

	if (mount("none", folder, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755") < 0)
		return -1;
	snprintf(path, sizeof path, "%s/net", folder);
	if (mkdir(path, 0755) < 0)
		return -1;
	for (unsigned i = 0; i < sizeof node / sizeof *node - !console; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, node[i].name);
		if (mknod(path, S_IFCHR | 0666, makedev(node[i].major, node[i].minor)) < 0)
			return -1;
	}
	return 0;
}

/* Was the kernel started with this option? */
static bool told(const char *option)
{
	char line[4096] = "";
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);

	must(fd, "open the kernel's command line");
	must((int)read(fd, line, sizeof line - 1), "read the kernel's command line");
	close(fd);
	return strstr(line, option) != NULL;
}

/* The root is a skeleton; the run folder is mounted by what it is, never by its name. */
void init_guest(void)
{
	umask(0);
	must(prctl(PR_SET_DUMPABLE, 0), "close our memory to others"); /* also what we fork, until it is another program */
	must(mount("none", "/proc", "proc", 0, NULL), "mount /proc");
	must(mount("none", "/sys", "sysfs", 0, NULL), "mount /sys");
	must(init_devices("/dev", true), "make /dev");
	int console = open("/dev/console", O_RDWR);
	must(console, "open the console");
	for (int fd = 0; fd < 3; fd++)
		dup2(console, fd);
	if (console > 2)
		close(console);
	must(mount("none", "/run", "hostfs", 0, "/proc/self/cwd/"), "mount the run folder");
	must(chdir("/run"), "enter the run folder");
	umask(022);
	place = (struct place){.own_kernel = true, .virtual_time = told("time-travel"), .host_files = true};
}

void init_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}
