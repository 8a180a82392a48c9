/* Attempts by system calls, behind the walls (walls.c), which answer with an error. Each does no harm where nothing stops
 * it: what it would open, start or remove is not there, and a signal is none. SPDX: MIT */
#define _GNU_SOURCE
#include "lab.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 1 << 12 };
static const char nothing[] = "./nothing";

static int answered(long result)
{
	return result < 0 ? errno : 0;
}

static int opened(const char *path, int flags)
{
	return answered(open(path, flags, 0600));
}

static int make_file(void)
{
	return opened(nothing, O_RDWR | O_CREAT);
}

static int write_file(void)
{
	return opened(nothing, O_WRONLY);
}

static int make_nameless(void)
{
	return opened(".", O_RDWR | O_TMPFILE);
}

static int remove_file(void)
{
	return answered(unlink(nothing));
}

static int rename_file(void)
{
	return answered(rename(nothing, "./other"));
}

static int link_file(void)
{
	return answered(symlink("/", nothing));
}

static int change_mode(void)
{
	return answered(chmod(nothing, 0777));
}

static int make_socket(void)
{
	return answered(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int start_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return answered(child > 0 ? waitpid(child, NULL, 0) : child);
}

static int start_program(void)
{
	char *none[] = {NULL};

	return answered(execve(nothing, none, none));
}

static int signal_owner(void)
{
	return answered(kill(getppid(), 0));
}

static int trace_owner(void)
{
	return answered(ptrace(PTRACE_PEEKDATA, getppid(), NULL, NULL));
}

static int read_owner(void)
{
	char byte;
	struct iovec here = {&byte, 1};

	return answered(process_vm_readv(getppid(), &here, 1, &here, 1, 0));
}

static int leave_namespace(void)
{
	return answered(syscall(SYS_unshare, 0));
}

static int ask_terminal(void)
{
	return answered(ioctl(0, FIOCLEX));
}

static int new_code(void)
{
	/* not by mmap(), of which one C library gives another error */
	return answered(syscall(SYS_mmap, NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static int written_code(void)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? 0 : answered(mprotect(at, PAGE, PROT_READ | PROT_EXEC));
}

static int read_program(void)
{
	return opened("/proc/self/exe", O_RDONLY);
}

static int list_root(void)
{
	return opened("/", O_RDONLY | O_DIRECTORY);
}

static const char calls[] = "WebAssembly: calls", files[] = "WebAssembly: files";
const struct attempt wall_attempts[] = {
	{calls, "make a file", make_file},
	{calls, "open a file to write", write_file},
	{calls, "make a file without a name", make_nameless},
	{calls, "remove a file", remove_file},
	{calls, "give a file another name", rename_file},
	{calls, "make a link", link_file},
	{calls, "change a file's mode", change_mode},
	{calls, "make a socket", make_socket},
	{calls, "start a process", start_process},
	{calls, "start a program", start_program},
	{calls, "send its owner a signal", signal_owner},
	{calls, "trace its owner", trace_owner},
	{calls, "read its owner's memory", read_owner},
	{calls, "leave a namespace", leave_namespace},
	{calls, "control a device", ask_terminal},
	{calls, "have memory to execute", new_code},
	{calls, "execute what it has written", written_code},
	{files, "read its own program", read_program},
	{files, "list the machine's root", list_root},
	{NULL, NULL, NULL},
};

#else

const struct attempt wall_attempts[] = {{NULL, NULL, NULL}};
#endif
