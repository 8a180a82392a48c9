/* What process 1 does first, instead of guest.c; and processes.c. The files of its run folder are devices of its kernel
 * (kernel/arch/kernel/files.c). SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { MAJOR_NUMBER = 240 };

static void make_files(void)
{
	static const char *const name[] = {"program", "raw", "gate", "console"};

	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		init_must(mknod(name[i], S_IFCHR | 0600, makedev(MAJOR_NUMBER, i)), "make the files of the run folder");
}

static void wait_for_program(void)
{
	char answer;
	int gate = open("gate", O_RDONLY | O_CLOEXEC);

	init_must(gate, "open the gate");
	init_must((int)read(gate, &answer, 1), "wait at the gate");
	close(gate);
}

void init_guest(void)
{
	umask(0);
	init_must(mount("none", "/proc", "proc", 0, NULL), "mount /proc");
	init_must(mount("none", "/sys", "sysfs", 0, NULL), "mount /sys");
	init_must(init_devices("/dev", false), "make /dev");
	init_must(mount("none", "/run", "tmpfs", 0, NULL), "mount the run folder");
	init_must(chdir("/run"), "enter the run folder");
	make_files();
	int console = open("console", O_RDWR);
	init_must(console, "open the console");
	for (int fd = 0; fd < 3; fd++)
		dup2(console, fd);
	if (console > 2)
		close(console);
	umask(022);
	place = (struct place){.own_kernel = true, .virtual_time = true, .host_files = false, .built_in = true};
	wait_for_program();
}

/* There are no programs. */
bool processes_at_work(bool (*mine)(pid_t group))
{
	(void)mine;
	return false;
}
