/* One end of a TCP connection that is one of many: its socket, with what a flow asks of it. SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static bool set(int fd, int level, int option, int value)
{
	return !value || setsockopt(fd, level, option, &value, sizeof value) == 0;
}

int endpoint_tcp(unsigned ns, uint32_t addr, uint16_t port, const struct flow_op *op)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = addr, .sin_port = htons(port)};
	int fd = netns_socket(ns, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (port)
		set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	else /* connect() chooses one, as it knows to whom */
		set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	/* The kernel doubles buffers. Who listens sends responses, who connects reads them. */
	if (!set(fd, SOL_SOCKET, port ? SO_SNDBUF : SO_RCVBUF, (int)((port ? op->sndbuf : op->rcvbuf) / 2)) ||
	    !set(fd, IPPROTO_TCP, TCP_NODELAY, op->flags & FLOW_NODELAY) ||
	    !set(fd, IPPROTO_TCP, TCP_MAXSEG, (int)op->mss) ||
	    (op->cc[0] && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, op->cc, (socklen_t)strlen(op->cc)) < 0) ||
	    bind(fd, (void *)&own, sizeof own) < 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

int endpoint_error(int fd)
{
	int error = 0;
	socklen_t size = sizeof error;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error ? error : ECONNRESET;
}
