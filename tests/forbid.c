/* forbid ERRNO CALL[,CALL...] PROGRAM ARGUMENT... : runs PROGRAM where these system calls, by number, only fail
 * with that errno, as in a sandbox. Needs no privileges. SPDX: MIT */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST = 128 };

int main(int argc, char **argv)
{
	struct sock_filter code[2 * MOST + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	unsigned short n = 1;

	if (argc < 4)
		return 2;
	for (char *call = strtok(argv[2], ","); call && n < 2 * MOST; call = strtok(NULL, ",")) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(call), 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[1]));
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = {n, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
		perror("forbid");
		return 3;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 3;
}
