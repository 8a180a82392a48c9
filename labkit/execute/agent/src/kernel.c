/* What is set in the kernel by other ways than netlink: sysctls, the random seed, modules and their parameters. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* value into folder/path; what: a "sysctl" or a "module parameter" */
static void write_setting(uint32_t i, const char *what, const char *folder, const char *path, const char *value)
{
	char file[256];

	if (strstr(path, "..") || snprintf(file, sizeof file, "%s/%s", folder, path) >= (int)sizeof file) {
		state_fail(i, 0, EINVAL, "%s %s: not the name of one", what, path);
		return;
	}
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(value);
	ssize_t taken = fd < 0 ? -1 : write(fd, value, size);
	if (fd < 0)
		state_fail(i, 0, errno, "%s %s: the kernel has none of this name here, or it cannot be written", what, path);
	else if (taken != (ssize_t)size) /* a part of it, of three numbers the first, is no error to the kernel */
		state_fail(i, 0, taken < 0 ? errno : EINVAL, "%s %s: the kernel refuses the value %s", what, path, value);
	if (fd >= 0)
		close(fd);
}

void sysctl_write(const struct record *r, uint32_t i)
{
	const char *path = (const char *)payload(r);

	if (!place.own_kernel && (r->ns == LAB_NO_NS || strncmp(path, "net/", 4))) { /* the whole machine's */
		state_fail(i, 0, EPERM, "sysctl %s: kernel-wide sysctls are set in a lab kernel only", path);
		return;
	}
	if (r->ns != LAB_NO_NS && netns_enter(r->ns) < 0) {
		state_fail(i, 0, errno, "sysctl %s: cannot enter the namespace", path);
		return;
	}
	write_setting(i, "sysctl", "/proc/sys", path, path + strlen(path) + 1);
}

void parameter_write(const struct record *r, uint32_t i)
{
	const char *path = (const char *)payload(r);

	if (!place.own_kernel)
		state_fail(i, 0, EPERM, "module parameter %s: they are set in a lab kernel only", path);
	else
		write_setting(i, "module parameter", "/sys/module", path, path + strlen(path) + 1);
}

/* Only for a kernel of our own: the pool is the whole machine's. */
void seed_kernel(const struct record *r, uint32_t i)
{
	if (!place.own_kernel)
		return;
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);
	if (fd < 0 || write(fd, payload(r), payload_size(r)) != (ssize_t)payload_size(r) || ioctl(fd, RNDRESEEDCRNG) < 0)
		state_fail(i, 0, errno, "cannot seed the kernel's random pool");
	if (fd >= 0)
		close(fd);
}

void module_load(const struct record *r, uint32_t i)
{
	const char *path = (const char *)payload(r);

	if (!place.own_kernel) {
		state_fail(i, 0, EPERM, "module %s: modules are loaded into a lab kernel only", path);
		return;
	}
	if (place.built_in)
		return;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0)
		state_fail(i, 0, errno, "module %s: the kernel refuses it", path);
	if (fd >= 0)
		close(fd);
}
