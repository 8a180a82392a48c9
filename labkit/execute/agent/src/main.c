/* The agent: carries out lab programs in the kernel under test. Alone in a lab kernel it is
 * process 1; on a host it is an ordinary program, started in the run folder. SPDX: MIT */
#include "agent.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

/* Returns when the owner wants another program run. In virtual time the file is the shim's gate, which stops
 * the whole guest, clock included, until then; on a host they are the keeper's descriptors. */
enum { FROM_OWNER = 10, TO_OWNER = 11 };

static bool wait_at_gate(void)
{
	char answer = 'w';
	int fd = -1;
	ssize_t n = -1;

	if (!place.virtual_time) {
		if (write(TO_OWNER, &answer, 1) == 1)
			n = read(FROM_OWNER, &answer, 1);
		return n == 1 && answer == 'g';
	}
	if ((fd = open("gate", O_RDONLY | O_CLOEXEC)) >= 0)
		n = read(fd, &answer, 1);

	if (fd >= 0)
		close(fd);
	return n == 1 && answer == 'g';
}

static int run_all(void)
{
	struct program program;
	uint32_t more;

	if (raw_open("raw") < 0) {
		dprintf(2, "agent: cannot write into the run folder: %s\n", strerror(errno));
		return 1;
	}
	do {
		const char *fault = program_load(&program, "program", step_check);
		if (fault) {
			dprintf(2, "agent: %s\n", fault);
			program_free(&program);
			return 2;
		}
		more = program.flags & PROGRAM_MORE;
		int error = run_program(&program);
		if (error) {
			dprintf(2, "agent: cannot write the raw file: %s\n", strerror(error));
			more = 0;
		}
		program_free(&program);
	} while (more && wait_at_gate());
	netlink_close();
	return 0;
}

int main(void)
{
	if (getpid() == 1)
		init_guest();
	else if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || isolate() < 0) {
		dprintf(2, "agent: no namespaces of our own: %s\n", strerror(errno));
		return 3;
	}
	signal(SIGPIPE, SIG_IGN);
	int status = run_all();
	if (place.own_kernel)
		init_power_off();
	return status;
}
