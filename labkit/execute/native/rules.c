/* Which files the lab kernel's process may open, as a Landlock ruleset: to read, those that are named; to write,
 * none. (What it does write is open before.) Landlock keeps it from TCP and, in newer kernels, from signals and
 * abstract sockets of processes outside, too. SPDX: MIT */
#define _GNU_SOURCE
#include "walls.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/landlock.h of old systems lacks most of it */
enum { SYS_CREATE = 444, SYS_ADD = 445, ASK_VERSION = 1, PATH_BENEATH = 1 };
enum { FILES_1 = 0x1fff, REFER_2 = 1 << 13, TRUNCATE_3 = 1 << 14, IOCTL_DEV_5 = 1 << 15 };
enum { EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3 };
enum { TCP_4 = 3 /* bind, connect */, SCOPED_6 = 3 /* abstract sockets, signals */ };

struct attributes {
	uint64_t files, net, scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

static int allow(int rules, int fd, uint64_t what)
{
	struct path_beneath rule = {what, fd};
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		rule.allowed &= EXECUTE | WRITE_FILE | READ_FILE;
	return (int)syscall(SYS_ADD, rules, PATH_BENEATH, &rule, 0);
}

static int allow_path(int rules, const char *path, uint64_t what)
{
	int fd = open(path, O_PATH | O_CLOEXEC), result = 0;

	if (fd < 0) /* a list of what systems have is longer than what this one has */
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
	result = allow(rules, fd, what);
	close(fd);
	return result;
}

/* Of all that this machine's Landlock knows, nothing is allowed yet. A ruleset, or -1; its version. */
static int none(long *version)
{
	struct attributes handled = {FILES_1, 0, 0};

	*version = syscall(SYS_CREATE, NULL, 0, ASK_VERSION);
	if (*version < 1) {
		errno = ENOSYS;
		return -1;
	}
	if (*version >= 2)
		handled.files |= REFER_2;
	if (*version >= 3)
		handled.files |= TRUNCATE_3;
	if (*version >= 4)
		handled.net = TCP_4;
	if (*version >= 5)
		handled.files |= IOCTL_DEV_5;
	if (*version >= 6)
		handled.scoped = SCOPED_6;
	return (int)syscall(SYS_CREATE, &handled, sizeof handled, 0);
}

static int whole(int rules, int worst)
{
	if (!worst)
		return rules;
	close(rules);
	errno = EPERM;
	return -1;
}

int rules_make(const char *folder, int root, char *const *shown, int count, bool *signals)
{
	long version;
	const int rules = none(&version), look = READ_FILE | READ_DIR;

	*signals = version >= 6;
	if (rules < 0)
		return -1;
	int worst = allow_path(rules, folder, look) | allow(rules, root, look);
	for (int i = 0; i < count; i++)
		worst |= allow_path(rules, shown[i], look);
	return whole(rules, worst);
}

int rules_for_compiler(const char *folder, char *const *shown, int count)
{
	long version;
	const int rules = none(&version);

	if (rules < 0)
		return -1;
	/* not REFER: what is linked from elsewhere into the folder would be read there */
	int worst = allow_path(rules, folder, FILES_1 | (version >= 3 ? TRUNCATE_3 : 0));
	worst |= allow_path(rules, "/dev/null", READ_FILE | WRITE_FILE);
	for (int i = 0; i < count; i++)
		worst |= allow_path(rules, shown[i], EXECUTE | READ_FILE | READ_DIR);
	return whole(rules, worst);
}
