/* Two files of the run folder that are none: "clock" is told to the machine around the kernel, "stop" is there when that
 * has been asked to stop (run.c). The others are devices (kernel/arch/kernel/files.c). SPDX: MIT */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define IMPORT(name) __attribute__((import_module("lab"), import_name(#name)))
IMPORT(clock) void lab_clock(unsigned ms);
IMPORT(asked_to_stop) unsigned lab_asked_to_stop(void);
long lab_access(const char *path, int mode);

/* "stop" is looked for among the files, and not found, as in the guest: a call that fails takes time. */
int access(const char *path, int mode)
{
	if (strcmp(path, "clock") == 0 || (strcmp(path, "stop") == 0 && lab_asked_to_stop()))
		return 0;
	return (int)lab_access(path, mode);
}

int truncate(const char *path, off_t size)
{
	if (strcmp(path, "clock") != 0) {
		errno = ENOENT;
		return -1;
	}
	lab_clock((unsigned)size);
	return 0;
}
