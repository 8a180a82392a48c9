/* Runs the compiler on a stranger's source: it may read and start what is named, and write in one folder.
 *
 *   confine FOLDER [PATH]... -- PROGRAM ARGUMENT...
 *
 * A Kbuild file is carried out by make, and source takes in any file by its name: without this both are done as
 * whoever compiles. Where the machine's kernel has no Landlock nothing starts. SPDX: MIT */
#define _GNU_SOURCE
#include "walls.h"
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LANDLOCK_RESTRICT_SELF = 446, MINUTES = 10 * 60, LARGEST = 1 << 30 };

static int fail(const char *what)
{
	fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
	return NOT_STARTED;
}

/* Root's rights other than to its own files. (Who is not root has none, and may not give any up.) */
static int give_up_rights(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	for (int right = 0; prctl(PR_CAPBSET_READ, right, 0, 0, 0) >= 0; right++)
		if (prctl(PR_CAPBSET_DROP, right, 0, 0, 0) < 0 && errno != EPERM)
			return -1;
	return (int)syscall(SYS_capset, &head, none);
}

static int limit(int what, rlim_t most)
{
	return setrlimit(what, &(struct rlimit){most, most});
}

int main(int argc, char **argv)
{
	int i = 2, rules;

	while (i < argc && strcmp(argv[i], "--"))
		i++;
	if (argc < 4 || i + 1 >= argc) {
		fprintf(stderr, "usage: confine FOLDER [PATH]... -- PROGRAM ARGUMENT...\n");
		return 2;
	}
	if (limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_FSIZE, LARGEST) < 0 || limit(RLIMIT_CPU, MINUTES) < 0)
		return fail("limits");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail("no_new_privs");
	if ((rules = rules_for_compiler(argv[1], argv + 2, i - 2)) < 0 || syscall(LANDLOCK_RESTRICT_SELF, rules, 0) < 0)
		return fail("Landlock");
	close(rules);
	if (give_up_rights() < 0)
		return fail("capabilities");
	if (filter_compiler() < 0)
		return fail("seccomp");
	execvp(argv[i + 1], argv + i + 1);
	return fail(argv[i + 1]);
}
