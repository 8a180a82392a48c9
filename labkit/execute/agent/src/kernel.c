/* What is set in the kernel by other ways than netlink: sysctls, the random seed, modules. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

void sysctl_write(uint32_t record, unsigned ns, const char *path, const char *value)
{
	char file[256];

	if (strstr(path, "..") || snprintf(file, sizeof file, "/proc/sys/%s", path) >= (int)sizeof file) {
		run_fail(record, 0, EINVAL, "sysctl %s: not a sysctl's name", path);
		return;
	}
	if (!is_init && (ns == LAB_NO_NS || strncmp(path, "net/", 4))) { /* the whole machine's */
		run_fail(record, 0, EPERM, "sysctl %s: kernel-wide sysctls are set in a lab kernel only", path);
		return;
	}
	if (ns != LAB_NO_NS && netns_enter(ns) < 0) {
		run_fail(record, 0, errno, "sysctl %s: cannot enter the namespace", path);
		return;
	}
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(value);
	if (fd < 0)
		run_fail(record, 0, errno, "sysctl %s: the kernel has none of this name here, or it cannot be written", path);
	else if (write(fd, value, size) != (ssize_t)size)
		run_fail(record, 0, errno ? errno : EINVAL, "sysctl %s: the kernel refuses the value %s", path, value);
	if (fd >= 0)
		close(fd);
}

/* Only for a kernel of our own: the pool is the whole machine's. */
void seed_kernel(uint32_t record, const void *bytes, size_t size)
{
	if (!is_init)
		return;
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || ioctl(fd, RNDRESEEDCRNG) < 0)
		run_fail(record, 0, errno, "cannot seed the kernel's random pool");
	if (fd >= 0)
		close(fd);
}

void module_load(uint32_t record, const char *path)
{
	if (!is_init) {
		run_fail(record, 0, EPERM, "module %s: modules are loaded into a lab kernel only", path);
		return;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0)
		run_fail(record, 0, errno, "module %s: the kernel refuses it", path);
	if (fd >= 0)
		close(fd);
}
