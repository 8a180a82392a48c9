/* What the agent asks of a C library and the kernel does not have: kernel/arch/kernel/calls.c has the rest. SPDX: MIT */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMPORT(name) __attribute__((import_module("lab"), import_name(#name)))

enum { OFF, ABORTED = 3 }; /* as kernel/arch/include/asm/lab.h */
IMPORT(stop) void lab_stop(unsigned why);
IMPORT(print) void lab_print(const char *text, unsigned size);

long lab_open_file(const char *path, int flags, int mode);
long lab_ioctl(int fd, unsigned long what, unsigned long with);
long lab_fcntl(int fd, unsigned what, unsigned long with);
long lab_stat(int fd, long long *size, unsigned *mode);
void *lab_ring(int fd);
unsigned long long simple_strtoull(const char *text, char **end, unsigned base);
int kernel_vsscanf(const char *text, const char *format, va_list list) __asm__("vsscanf"); /* the header has another's name for it */

/* ---- Files ---- */

int open(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	int mode = flags & O_CREAT ? va_arg(list, int) : 0;
	va_end(list);
	return (int)lab_open_file(path, flags, mode);
}

int __ioctl_time64(int fd, unsigned long what, ...)
{
	va_list list;
	va_start(list, what);
	unsigned long with = va_arg(list, unsigned long);
	va_end(list);
	return (int)lab_ioctl(fd, what, with);
}

int __fcntl_time64(int fd, int what, ...)
{
	va_list list;
	va_start(list, what);
	unsigned long with = va_arg(list, unsigned long);
	va_end(list);
	return (int)lab_fcntl(fd, (unsigned)what, with);
}

int fstat(int fd, struct stat *to)
{
	long long size = 0;
	unsigned mode = 0;
	int result = (int)lab_stat(fd, &size, &mode);
	*to = (struct stat){.st_size = size, .st_mode = mode};
	return result;
}

/* Only of rings: they are where the kernel has them. */
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	(void)at, (void)size, (void)protection, (void)flags, (void)offset;
	void *ring = lab_ring(fd);
	if (!ring)
		errno = ENODEV;
	return ring ? ring : MAP_FAILED;
}

int madvise(void *at, size_t size, int advice)
{
	(void)at, (void)size, (void)advice;
	return 0;
}

/* ---- Text ---- */

int dprintf(int fd, const char *format, ...)
{
	char text[1024];
	va_list list;
	va_start(list, format);
	int size = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	(void)fd; /* there is one console */
	lab_print(text, (unsigned)size < sizeof text ? (unsigned)size : sizeof text - 1);
	return size;
}

int __isoc99_sscanf(const char *text, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int found = kernel_vsscanf(text, format, list);
	va_end(list);
	return found;
}

unsigned long long strtoull(const char *text, char **end, int base)
{
	while (*text == ' ' || *text == '\t')
		text++;
	return simple_strtoull(text, end, (unsigned)base);
}

long strtol(const char *text, char **end, int base)
{
	bool negative = *text == '-';
	long value = (long)strtoull(text + negative, end, base);
	return negative ? -value : value;
}

char *strerror(int error)
{
	static char text[32];
	snprintf(text, sizeof text, "error %d", error);
	return text;
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);
	return copy ? memcpy(copy, text, size) : NULL;
}

/* ---- The process, which is the only one ---- */

void agent_abort(void)
{
	lab_stop(ABORTED);
	__builtin_trap();
}

void _exit(int status)
{
	(void)status;
	agent_abort();
}

int reboot(int how)
{
	(void)how;
	lab_stop(OFF);
	__builtin_trap();
}

void *signal(int number, void *handler)
{
	(void)number, (void)handler;
	return NULL;
}

uid_t geteuid(void)
{
	return 0;
}

gid_t getegid(void)
{
	return 0;
}

int getpagesize(void)
{
	return 4096;
}

long sysconf(int name)
{
	(void)name;
	return 1; /* processor */
}
