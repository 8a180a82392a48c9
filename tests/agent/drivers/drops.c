/* drops <WORDS: drops.c with a drop monitor that says what it is told to. WORDS: for each request of the agent
 * and for the time before the last one some messages, each behind its size (4 bytes), a size of 0 after the last.
 * A message whose number is ~0 gets that of the request. Records go to the file raw. */
#include "agent.h"
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

static int monitor; /* the kernel's end */

static void say(uint32_t number)
{
	static uint8_t message[1 << 16];
	uint32_t size;

	while (fread(&size, sizeof size, 1, stdin) == 1 && size && size <= sizeof message) {
		if (fread(message, 1, size, stdin) != size)
			abort();
		struct nlmsghdr *m = (void *)message;
		if (size >= sizeof *m && m->nlmsg_seq == ~0u)
			m->nlmsg_seq = number;
		if (send(monitor, message, size, 0) < 0)
			abort();
	}
}

int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
	int ends[2], room = 1 << 22;
	struct timeval patience = {0, 200000};
	(void)domain;
	(void)type;
	(void)protocol;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
		return -1;
	monitor = ends[1];
	setsockopt(monitor, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	return ends[0];
}

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size)
{
	(void)fd;
	(void)to;
	(void)size;
	return 0;
}

int __real_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	bool of_netlink = level == SOL_NETLINK || (level == SOL_SOCKET && option == SO_RCVBUFFORCE);
	return of_netlink ? 0 : __real_setsockopt(fd, level, option, value, size);
}

ssize_t __real_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
	if (fd == monitor)
		return __real_send(fd, bytes, size, flags);
	say(((const struct nlmsghdr *)bytes)->nlmsg_seq);
	return (ssize_t)size;
}

int main(void)
{
	struct {
		struct record r;
		struct drops_op op;
	} watch = {{P_DROPS, LAB_NO_NS, sizeof watch, LAB_AT_SETUP}, {96, 0}};

	if (raw_open("raw") < 0)
		return 2;
	place.own_kernel = true;
	state_program(true, false);
	drops_watch(&watch.r, 0);
	if (!state_failed()) {
		say(0);
		drops_finish(7);
	}
	return raw_flush();
}
