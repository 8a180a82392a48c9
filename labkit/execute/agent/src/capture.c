/* Frames as a device passes them: one packet socket with a ring (TPACKET_V3) per interface. SPDX: MIT
 * The kernel wakes the agent when a block of the ring is full, not per frame. A ring is not for the agent's
 * children: a User-Mode Linux kernel loses count of its pages when a fork copies the mapping. */
#include "agent.h"
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

enum { BLOCK = 1 << 18, FRAME = 1 << 11, BATCH = 512, ROOM = 48 << 10, LARGEST_RING_KB = 1 << 18 };
enum { VIRTUAL_FLUSH_MS = 1000, REAL_FLUSH_MS = 50 }; /* a block that is not full is handed over after so long */

struct capture {
	struct watch watch; /* first, so that a watch is a capture */
	unsigned ns;
	uint32_t interface, blocks, current;
	uint32_t taken, offset; /* of the current block */
	uint64_t kept; /* bytes */
	uint8_t *ring;
	struct capture *next;
};

static struct capture *captures;
static struct {
	struct packets_out out;
	struct packet_out packet[BATCH];
} head;
static uint8_t frames[ROOM + (1 << 16)];
static size_t used;

static void flush(struct capture *c)
{
	if (!head.out.count)
		return;
	head.out.interface = c->interface;
	size_t table = sizeof head.out + head.out.count * sizeof *head.packet, size = table + used;
	if (limits_room(LIMIT_CAPTURE, (uint16_t)c->ns, c->interface, &c->kept, size) == size)
		raw_put(R_PACKETS, (uint16_t)c->ns, 0, &head, table, frames, used);
	head.out.count = 0;
	used = 0;
}

static void keep(struct capture *c, const struct tpacket3_hdr *h)
{
	const struct sockaddr_ll *from = (const void *)((const uint8_t *)h + TPACKET_ALIGN(sizeof *h));
	size_t padded = ((size_t)h->tp_snaplen + 3) & ~(size_t)3;

	if (head.out.count == BATCH || used + padded > ROOM)
		flush(c);
	struct packet_out *p = &head.packet[head.out.count++];
	*p = (struct packet_out){
		.at_ns = state_since_real(h->tp_sec * 1000000000ll + h->tp_nsec),
		.captured = h->tp_snaplen,
		.length = h->tp_len,
		.outgoing = from->sll_pkttype == PACKET_OUTGOING,
	};
	memcpy(frames + used, (const uint8_t *)h + h->tp_mac, h->tp_snaplen);
	memset(frames + used + h->tp_snaplen, 0, padded - h->tp_snaplen);
	used += padded;
}

/* All full blocks. In virtual time also what is in the one being filled: nothing else runs meanwhile. */
static void drain(struct capture *c)
{
	for (;;) {
		struct tpacket_block_desc *block = (void *)(c->ring + (size_t)c->current * BLOCK);
		struct tpacket_hdr_v1 *b = &block->hdr.bh1;
		bool full = __atomic_load_n(&b->block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;

		if (!full && !place.virtual_time)
			break;
		if (c->taken == 0)
			c->offset = b->offset_to_first_pkt;
		for (; c->taken < b->num_pkts; c->taken++) {
			const struct tpacket3_hdr *h = (const void *)((uint8_t *)block + c->offset);
			keep(c, h);
			c->offset += h->tp_next_offset;
		}
		if (!full)
			break;
		c->taken = 0;
		c->current = (c->current + 1) % c->blocks;
		b->num_pkts = 0; /* until the kernel opens it again */
		__atomic_store_n(&b->block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	}
	flush(c);
}

static void ready(struct watch *w, uint32_t events)
{
	int error; /* ENETDOWN: the interface was set down; it may come up again, and asking takes it away */
	socklen_t size = sizeof error;

	if (events & EPOLLERR)
		getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	drain((struct capture *)(void *)w);
}

/* Keeps the first `snap` bytes of each frame: classic BPF, "ret #snap". */
static int cut(int fd, uint32_t snap)
{
	struct sock_filter code = {BPF_RET | BPF_K, 0, 0, snap};
	struct sock_fprog filter = {1, &code};
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

static int open_ring(struct capture *c, const struct capture_op *op)
{
	int version = TPACKET_V3;
	struct tpacket_req3 request = {
		.tp_block_size = BLOCK,
		.tp_block_nr = c->blocks,
		.tp_frame_size = FRAME,
		.tp_frame_nr = c->blocks * (BLOCK / FRAME),
		.tp_retire_blk_tov = place.virtual_time ? VIRTUAL_FLUSH_MS : REAL_FLUSH_MS,
	};
	struct sockaddr_ll all = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)op->interface};
	int fd = c->watch.fd = netns_socket(c->ns, AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof version) < 0 || cut(fd, op->snap) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) < 0)
		return -1;
	void *ring = mmap(NULL, (size_t)BLOCK * c->blocks, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return -1;
	c->ring = ring;
	if (madvise(ring, (size_t)BLOCK * c->blocks, MADV_DONTFORK) < 0 || bind(fd, (void *)&all, sizeof all) < 0)
		return -1;
	return watch_add(&c->watch, EPOLLIN);
}

const char *capture_check(const struct record *r, unsigned netns)
{
	(void)netns;
	return ((const struct capture_op *)(const void *)payload(r))->ring_kb > LARGEST_RING_KB ? "ring too large" : NULL;
}

void capture_add(const struct record *r, uint32_t i)
{
	const struct capture_op *op = (const void *)payload(r);
	struct capture *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->watch = (struct watch){-1, ready};
	c->ns = r->ns;
	c->interface = op->interface;
	c->blocks = op->ring_kb / (BLOCK >> 10) + 2; /* one is being filled, one is being read */
	if (open_ring(c, op) < 0) {
		state_fail(i, 0, errno, "cannot capture on interface %u with a ring of %u kB", op->interface, op->ring_kb);
		if (c->ring)
			munmap(c->ring, (size_t)BLOCK * c->blocks);
		watch_close(&c->watch);
		free(c);
		return;
	}
	c->next = captures;
	captures = c;
}

/* Takes the rest and says what the ring had no room for since it was asked last. */
void capture_finish(int64_t at_ns)
{
	if (captures && !place.virtual_time)
		nanosleep(&(struct timespec){0, 2 * REAL_FLUSH_MS * 1000000}, NULL);
	for (struct capture *c = captures; c; c = c->next) {
		struct tpacket_stats_v3 stats = {0};
		socklen_t size = sizeof stats;

		drain(c);
		if (getsockopt(c->watch.fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) < 0)
			stats = (struct tpacket_stats_v3){0};
		struct captured_out out = {c->interface, 0, stats.tp_packets, stats.tp_drops};
		raw_put(R_CAPTURED, (uint16_t)c->ns, at_ns, &out, sizeof out, NULL, 0);
	}
}
