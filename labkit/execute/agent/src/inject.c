/* Frames made by hand: sent into an interface, and taken from one as they come. SPDX: MIT
 * For one frame at a time; capture.c is for many. */
#include "agent.h"
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct listener {
	struct watch watch; /* first, so that a watch is a listener */
	unsigned ns;
	uint32_t interface;
	uint64_t kept; /* bytes */
	struct listener *next;
};

static struct listener *listeners;

void inject_send(const struct record *r, uint32_t i)
{
	const struct send_op *op = (const void *)payload(r);
	size_t size = payload_size(r) - sizeof *op;
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)op->interface};
	int fd = netns_socket(r->ns, AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || sendto(fd, op + 1, size, 0, (void *)&to, sizeof to) < 0)
		state_fail(i, 0, errno, "cannot send %zu bytes into interface %u", size, op->interface);
	if (fd >= 0)
		close(fd);
}

static void ready(struct watch *w, uint32_t events)
{
	static uint8_t frame[1 << 16];
	struct listener *l = (void *)w;
	struct sockaddr_ll from = {0};
	uint8_t control[64];
	struct iovec piece = {frame, sizeof frame};
	struct msghdr m = {&from, sizeof from, &piece, 1, control, sizeof control, 0};
	ssize_t n;

	(void)events;
	while ((n = recvmsg(w->fd, &m, MSG_DONTWAIT)) >= 0) {
		struct {
			struct packets_out out;
			struct packet_out packet;
		} head = {{l->interface, 1}, {state_message_time(&m), (uint32_t)n, (uint32_t)n, from.sll_pkttype == PACKET_OUTGOING, 0}};
		if (limits_room(LIMIT_CAPTURE, (uint16_t)l->ns, l->interface, &l->kept, (size_t)n) == (size_t)n)
			raw_put(R_PACKETS, (uint16_t)l->ns, 0, &head, sizeof head, frame, (size_t)n);
		if (from.sll_pkttype != PACKET_OUTGOING)
			state_packet();
		m.msg_controllen = sizeof control;
	}
}

void inject_listen(const struct record *r, uint32_t i)
{
	uint32_t interface = ((const struct capture_op *)(const void *)payload(r))->interface;
	struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)interface};
	struct listener *l = calloc(1, sizeof *l);
	int on = 1;

	if (!l)
		abort();
	*l = (struct listener){{netns_socket(r->ns, AF_PACKET, SOCK_RAW, 0), ready}, r->ns, interface, 0, listeners};
	if (l->watch.fd < 0 || setsockopt(l->watch.fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ||
	    bind(l->watch.fd, (void *)&all, sizeof all) < 0 || watch_add(&l->watch, EPOLLIN) < 0) {
		state_fail(i, 0, errno, "cannot listen on interface %u", interface);
		watch_close(&l->watch);
		free(l);
		return;
	}
	listeners = l;
}
