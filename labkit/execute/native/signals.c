/* Signals of the guest reach the guest alone, also where the machine's Landlock does not see to that: each kill()
 * of it waits until the keeper has looked whom it is for. SPDX: MIT */
#define _GNU_SOURCE
#include "walls.h"
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the shim sends once, or -1. */
int signals_listener(int from)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec bytes = {&byte, 1};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
	int fd = -1;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
	return fd;
}

/* The process is held while it is looked at: its number cannot become another one's in between. */
static int send_within(pid_t group, pid_t to, int signal)
{
	int process = to > 0 ? (int)syscall(SYS_pidfd_open, to, 0) : -1, result = -EPERM;

	if (process >= 0 && getpgid(to) == group)
		result = syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) < 0 ? -errno : 0;
	else if (to > 0 && process < 0 && errno == ESRCH)
		result = -ESRCH;
	if (process >= 0)
		close(process);
	return result;
}

bool signals_answer(int listener, pid_t group)
{
	struct seccomp_notif asked;
	struct seccomp_notif_resp answer = {0};

	memset(&asked, 0, sizeof asked);
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return errno == ENOENT || errno == EINTR; /* who asked has ended */
	answer.id = asked.id;
	pid_t to = (pid_t)asked.data.args[0];
	if (to == (pid_t)asked.pid) /* to itself: it stops inside its own call, as it expects */
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		answer.error = send_within(group, to, (int)asked.data.args[1]);
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	return true;
}
