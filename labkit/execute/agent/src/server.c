/* Servers: a listening socket that several flows share, with a backlog of its own, which may be slow to
 * accept. Whoever connects and is no flow is hung up on. SPDX: MIT */
#include "agent.h"
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct server {
	struct watch listener; /* first: ready() is called with it */
	unsigned ns;
	struct server *next;
};

static struct server *servers;

static void ready(struct watch *w, uint32_t events)
{
	struct server *s = (struct server *)w;
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	(void)events;

	int fd = accept4(w->fd, (void *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0 && !tcp_flow_serve(s->ns, &from, fd))
		close(fd);
}

static void begin(void *arg, int64_t at_ns)
{
	struct server *s = arg;
	(void)at_ns;

	watch_add(&s->listener, EPOLLIN);
}

void server_prepare(const struct record *r, uint32_t i, int64_t at_ns)
{
	const struct server_op *op = (const void *)payload(r);
	struct server *s = calloc(1, sizeof *s);
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(op->port)};
	int on = 1;

	if (!s)
		abort();
	int fd = netns_socket(r->ns, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	*s = (struct server){{fd, ready}, r->ns, servers};
	servers = s;
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 || bind(fd, (void *)&own, sizeof own) < 0 ||
	    listen(fd, (int)op->backlog) < 0)
		state_fail(i, 0, errno, "cannot listen on port %u", op->port);
	else
		clock_at(at_ns, begin, s);
}

void server_end_all(void)
{
	for (struct server *s = servers, *next; s; s = next) {
		next = s->next;
		clock_cancel(s);
		watch_close(&s->listener);
		free(s);
	}
	servers = NULL;
}
