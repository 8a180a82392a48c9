/* What bubblewrap does not do for the sandbox of course work: the filter of its system calls, and what a process must
 * leave behind before the sandbox begins.
 *
 *   sandbox                              writes the filter, for bwrap --seccomp, to standard output
 *   sandbox [FILE]... -- PROGRAM ...     joins a session keyring of its own and the cgroups whose cgroup.procs are
 *                                        named, and becomes the program
 *
 * All system calls up to LAST are known here: those that are not named pass, as a notebook with compilers and a lab
 * kernel needs most of them. What later kernels have beyond is not there, as on an older kernel. SPDX: MIT */
#define _GNU_SOURCE
#include "bpf.h"
#include "walls.h"
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAST = 452 /* fchmodat2, Linux 6.6 */, LINUX_TIOCLINUX = 0x541C };
#define NOT_THERE (SECCOMP_RET_ERRNO | ENOSYS)

/* No notebook needs them, each has been a way out or is shared with the machine. Programs know how to do without. */
static const uint32_t missing[] = {
	425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */, SYS_userfaultfd,
	447 /* memfd_secret: memory that nobody else can look at */, SYS_io_setup, SYS_io_destroy, SYS_io_submit,
	SYS_io_getevents, SYS_io_cancel, 333 /* io_pgetevents: the machine has a number of these */,
	SYS_clone3 /* whose flags a filter cannot see: there is clone() */, 443 /* quotactl_fd */, SYS_modify_ldt,
	SYS_uselib, SYS__sysctl, SYS_nfsservctl, SYS_lookup_dcookie, SYS_ustat, SYS_sysfs, SYS_vserver, SYS_security,
	SYS_tuxcall, SYS_afs_syscall, SYS_getpmsg, SYS_putpmsg, SYS_epoll_ctl_old, SYS_epoll_wait_old,
	SYS_set_thread_area, SYS_get_thread_area, SYS_create_module, SYS_query_module, SYS_get_kernel_syms,
};
static const uint32_t refused[] = {
	SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_fanotify_init, SYS_fanotify_mark,
	SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, 428 /* open_tree */,
	429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */,
	442 /* mount_setattr */, SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_swapon, SYS_swapoff, SYS_quotactl,
	SYS_acct, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot,
	SYS_syslog, SYS_vhangup, SYS_iopl, SYS_ioperm, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
	SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname, SYS_mbind, SYS_set_mempolicy, SYS_migrate_pages,
	SYS_move_pages, 450 /* set_mempolicy_home_node */, SYS_kcmp,
	/* its one processor and its place in the line for it: by these its time is counted */
	SYS_sched_setaffinity, SYS_sched_setattr, SYS_setpriority,
	SYS_ioprio_set,
};

static void each(const uint32_t *calls, size_t count, uint32_t action)
{
	for (size_t i = 0; i < count; i++) {
		emit(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		answer(action);
	}
}

/* Families by an allow-list: of others the machine's kernel would load the module for whoever asks. */
static void sockets(void)
{
	static const uint32_t internet[] = {AF_INET, AF_INET6}, protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP};
	unsigned begun = begin(SYS_socket), ip[COUNT(internet)];

	argument(0);
	allow_if(AF_UNIX);
	unsigned netlink = begin(AF_NETLINK);
	argument(2);
	allow_if(NETLINK_ROUTE); /* the names of interfaces */
	answer(SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
	end(netlink);
	for (size_t i = 0; i < COUNT(internet); i++) {
		ip[i] = begin(internet[i]);
		argument(1);
		emit(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)(SOCK_NONBLOCK | SOCK_CLOEXEC), 0, 0);
		emit(BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
		emit(BPF_JMP | BPF_JEQ | BPF_K, SOCK_DGRAM, 1, 0);
		answer(SECCOMP_RET_ERRNO | ESOCKTNOSUPPORT);
		argument(2);
		for (size_t p = 0; p < COUNT(protocols); p++)
			allow_if(protocols[p]);
		answer(SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
		end(ip[i]);
	}
	answer(SECCOMP_RET_ERRNO | EAFNOSUPPORT);
	end(begun);

	begun = begin(SYS_socketpair);
	argument(0);
	allow_if(AF_UNIX);
	answer(SECCOMP_RET_ERRNO | EAFNOSUPPORT);
	end(begun);
}

/* ioctl: no characters into a terminal's input. */
static void terminals(void)
{
	static const uint32_t injects[] = {TIOCSTI, LINUX_TIOCLINUX};
	unsigned begun = begin(SYS_ioctl);

	argument(1);
	each(injects, COUNT(injects), DENIED);
	answer(SECCOMP_RET_ALLOW);
	end(begun);
}

static int write_filter(void)
{
	static const uint32_t personalities[] = {
		PER_LINUX, ADDR_NO_RANDOMIZE, 0xffffffff /* which is it? */,
	};
	static const uint32_t policies[] = {SCHED_OTHER}; /* as ZeroMQ sets it for its threads, or ends */

	first_lines();
	emit(BPF_JMP | BPF_JGT | BPF_K, LAST, 0, 1);
	answer(NOT_THERE);
	each(missing, COUNT(missing), NOT_THERE);
	each(refused, COUNT(refused), DENIED);
	sockets();
	terminals();
	one_of(SYS_personality, 0, personalities, COUNT(personalities));
	one_of(SYS_sched_setscheduler, 1, policies, COUNT(policies));
	none_of(SYS_clone, 0,
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
			CLONE_NEWCGROUP);
	answer(SECCOMP_RET_ALLOW);
	return write_to(STDOUT_FILENO) ? 0 : 1;
}

static int fail(const char *what)
{
	fprintf(stderr, "sandbox: %s: %s\n", what, strerror(errno));
	return NOT_STARTED;
}

static int join(const char *procs)
{
	int fd = open(procs, O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, "0", 1) != 1 || close(fd) < 0 ? -1 : 0; /* 0: whoever writes */
}

int main(int argc, char **argv)
{
	int i = 1;

	if (argc == 1)
		return write_filter();
	for (; i < argc && strcmp(argv[i], "--"); i++)
		if (join(argv[i]) < 0)
			return fail(argv[i]);
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: sandbox [FILE]... -- PROGRAM ARGUMENT...\n");
		return 2;
	}
	/* ENOSYS: no keys here; EPERM: a container's filter refuses them, to what is inside as well */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
		return fail("a session keyring");
	execvp(argv[i + 1], argv + i + 1);
	return fail(argv[i + 1]);
}
