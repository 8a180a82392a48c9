/* The files of the folder that the machine is started in: it carries out `program` and appends to `raw`. `clock`, if it is
 * there, grows to as many bytes as milliseconds have passed; a `stop` ends the program. For each further program it
 * waits at the gate: two pipes that the owner has the other ends of. Whose owner is gone ends. SPDX: MIT */
#include "lab.h"
#include "system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32
#include <io.h>
#define fsync _commit
#else
#define O_BINARY 0
#endif

static int raw = -1, clock_file = -1, from_owner, to_owner;
static char *program;
static size_t program_size;

void run_folder_open(int from, int to)
{
	from_owner = from;
	to_owner = to;
	raw = open("raw", O_WRONLY | O_CREAT | O_APPEND | O_BINARY, 0644);
	if (raw < 0)
		give_up("raw");
	clock_file = open("clock", O_WRONLY | O_BINARY);
	if (clock_file < 0 && errno != ENOENT)
		give_up("clock");
}

bool run_folder_has(int descriptor)
{
	return descriptor == raw || descriptor == clock_file || descriptor == from_owner || descriptor == to_owner;
}

static void read_program(void)
{
	struct stat facts;
	int file = open("program", O_RDONLY | O_BINARY);

	if (file < 0 || fstat(file, &facts) < 0)
		give_up("program");
	free(program);
	program = malloc((size_t)facts.st_size + 1); /* none of 0 */
	if (!program)
		give_up("program");
	for (program_size = 0; program_size < (size_t)facts.st_size;) {
		ssize_t got = read(file, program + program_size, (unsigned)((size_t)facts.st_size - program_size));
		if (got < 0)
			give_up("program");
		if (got == 0)
			break;
		program_size += (size_t)got;
	}
	close(file);
}

/* Whether the owner wants another one carried out; it may be gone. */
static bool opened(void)
{
	char byte = 'w';

	if (write(to_owner, &byte, 1) != 1 || read(from_owner, &byte, 1) != 1)
		return false;
	return byte == 'g';
}

bool run_folder_program(void)
{
	if (program && !opened())
		return false;
	read_program();
	return true;
}

u32 run_folder_size(void)
{
	return (u32)program_size;
}

u32 run_folder_read(void *to, u32 size, u32 offset)
{
	u32 left = offset < program_size ? (u32)program_size - offset : 0;

	if (size > left)
		size = left;
	if (size)
		memcpy(to, program + offset, size);
	return size;
}

void run_folder_write(const void *from, u32 size)
{
	for (const char *at = from; size > 0;) {
		ssize_t done = write(raw, at, size);
		if (done < 0)
			give_up("raw");
		at += done;
		size -= (u32)done;
	}
}

/* Told once in a virtual second, which is some milliseconds. */
void run_folder_clock(u32 ms)
{
	if (system_pipe_is_closed(from_owner))
		end(END);
	if (clock_file >= 0 && ftruncate(clock_file, (off_t)ms) < 0)
		give_up("clock");
}

bool run_folder_stop(void)
{
	return access("stop", F_OK) == 0;
}

/* A raw file that is no file has nothing to be kept. */
void run_folder_sync(void)
{
	if (raw >= 0 && fsync(raw) < 0 && errno != EINVAL && errno != EROFS)
		give_up("raw");
}
