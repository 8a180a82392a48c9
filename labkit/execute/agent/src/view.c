/* What programs in a lab kernel see of the machine: a root of its own, into which is put, read-only, what the file
 * "machine" in the run folder lists (guest/machine_files.py). SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* What else programs expect to find, empty. */
static const char *const empty[] = {"dev", "proc", "sys", "tmp", "run", "home", "root", "mnt", "opt", "srv", "var", "var/lib"};
static const char *const links[][2] = {{"/tmp", "var/tmp"}, {"/run", "var/run"}, {"/run/lock", "var/lock"}};

struct file {
	char *name, *path; /* in the run folder; where programs see it */
	struct file *next;
};
static struct file *files;
static char *hosts;

static char *copy(const void *bytes, size_t size)
{
	char *made = calloc(1, size + 1);
	if (!made)
		abort();
	return memcpy(made, bytes, size);
}

void view_set_hosts(const struct record *r, uint32_t i)
{
	(void)i;
	free(hosts);
	hosts = copy(payload(r), payload_size(r));
}

const char *view_hosts(void)
{
	return hosts;
}

const char *view_check_file(const struct record *r, unsigned netns)
{
	const char *name = (const char *)payload(r), *path = name + strlen(name) + 1;
	(void)netns;

	if (!*name || *name == '.' || strchr(name, '/'))
		return "no name in the folder";
	return *path != '/' || strlen(path) > PATH_MAX / 2 || strstr(path, "/..") ? "no path for programs" : NULL;
}

void view_add_file(const struct record *r, uint32_t i)
{
	const char *name = (const char *)payload(r), *path = name + strlen(name) + 1;
	struct file *f = calloc(1, sizeof *f);
	(void)i;

	if (!f)
		abort();
	*f = (struct file){copy(name, strlen(name)), copy(path, strlen(path)), files};
	files = f;
}

/* The folders of a path below /host, but for its last part. */
static void make_folders(char *path)
{
	for (char *end = path + sizeof "/host"; (end = strchr(end, '/')); *end++ = '/') {
		*end = 0;
		mkdir(path, 0755);
	}
}

/* What is at one place, shown at another as well: a folder or a file with the mount's flags, a link as it is. */
static int show(const char *from, char *to)
{
	char target[PATH_MAX] = "";
	struct stat st;

	if (lstat(from, &st) < 0)
		return -1;
	if (S_ISLNK(st.st_mode))
		return readlink(from, target, sizeof target - 1) < 0 ? -1 : symlink(target, to);
	if (S_ISDIR(st.st_mode) ? mkdir(to, 0755) < 0 && errno != EEXIST : mknod(to, S_IFREG | 0644, 0) < 0)
		return -1;
	return mount(from, to, NULL, MS_BIND, NULL);
}

/* Each name of the machine's that is listed, ending in a zero; one that ends in a slash is a folder to make. */
static int show_machine(void)
{
	static char names[1 << 16];
	char from[PATH_MAX], to[PATH_MAX];
	int fd = open("/run/machine", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, names, sizeof names);

	if (fd >= 0)
		close(fd);
	for (const char *name = names; size > 0 && name < names + size; name += strlen(name) + 1) {
		snprintf(from, sizeof from, "/machine/%.255s", name);
		snprintf(to, sizeof to, "/host/%.255s", name);
		if ((name[strlen(name) - 1] == '/' ? mkdir(to, 0755) : show(from, to)) < 0)
			return -1;
	}
	return size > 0 ? 0 : -1;
}

static int show_all(void)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (show_machine() < 0)
		return -1;
	for (struct file *f = files; f; f = f->next) {
		snprintf(from, sizeof from, "/run/%s", f->name);
		snprintf(to, sizeof to, "/host%s", f->path);
		make_folders(to);
		if (show(from, to) < 0 || mount(NULL, to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
			return -1;
	}
	return 0;
}

static int write_hosts(void)
{
	int fd = open("/host/etc/hosts", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	bool done = fd >= 0 && (!hosts || write(fd, hosts, strlen(hosts)) == (ssize_t)strlen(hosts));

	if (fd >= 0)
		close(fd);
	return done ? 0 : -1;
}

/* Its inodes draw random numbers, so that one more here shifts every later draw of a run. A terminal's shell
 * has the console; in virtual time that is a file of the host's, and no program's business. */
static int devices(void)
{
	char pts[] = "/host/dev/pts";
	mode_t mask = umask(0);

	if (init_devices("/host/dev", !place.virtual_time) < 0 || symlink("/proc/self/fd", "/host/dev/fd") < 0 ||
	    mkdir("/host/dev/shm", 01777) < 0 || mkdir(pts, 0755) < 0)
		return -1;
	umask(mask);
	return mount("none", pts, "devpts", MS_NOSUID | MS_NOEXEC, "ptmxmode=0666");
}

/* -1 with errno. The machine's files are mounted once: the kernel mounts none after them. Which process's /proc
 * and which network's /sys is seen is not for all alike: walls.c. */
static int build(void)
{
	char path[64];

	if (mount("none", "/host", "ramfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0 ||
	    mount("none", "/machine", "hostfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "/") < 0)
		return -1;
	for (unsigned i = 0; i < sizeof empty / sizeof *empty; i++) {
		snprintf(path, sizeof path, "/host/%s", empty[i]);
		if (mkdir(path, 0755) < 0)
			return -1;
	}
	for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
		snprintf(path, sizeof path, "/host/%s", links[i][1]);
		if (symlink(links[i][0], path) < 0)
			return -1;
	}
	if (show_all() < 0 || write_hosts() < 0 || umount2("/machine", MNT_DETACH) < 0 || devices() < 0)
		return -1;
	if (mount("none", "/host/tmp", "tmpfs", MS_NOSUID | MS_NODEV, NULL) < 0)
		return -1;
	return mount("none", "/host/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
}

int view_build(void)
{
	static bool built;

	if (!built && build() < 0)
		return -1;
	built = true;
	return 0;
}
