/* What process 1 of a lab kernel has to do that a program on a host has not, whatever the kernel runs on: guest.c and
 * wasm/agent/init_guest.c have the rest. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct place place;

void init_must(int result, const char *what)
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

void init_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}
