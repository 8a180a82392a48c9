/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labnic: a pair of Ethernet ports joined by a cable, for teaching where frames are lost.
 *
 *   start_xmit          transmit.c        cable.c             receive.c                 cpu.c
 *   qdisc -> [TX ring] -> transmitter -> ~~~ cable ~~~ -> FCS check -> [FIFO] -> bus -> [RX ring] -> NAPI -> stack
 *                         line rate      delay            bit errors   on the chip                   cost per packet
 *
 * Every place in [] has a size. What does not fit, what is damaged and what is in the way when the link goes down is
 * lost, counted, and reported with its cause: see labnic_lose() in counters.c.
 *
 * Nothing here waits. Whatever takes time is a timer: hrtimers in soft interrupts, as precise as the clock.
 *
 * Locks: one spinlock for both ports, pair->lock, taken with soft interrupts off. Functions say if they need it;
 * packets are handed to the stack without it.
 */
#ifndef LABNIC_H
#define LABNIC_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>

#define LABNIC_RING_MIN		8
#define LABNIC_RING_DEFAULT	256
#define LABNIC_RING_MAX		4096
#define LABNIC_RING_STEP	8
#define LABNIC_BER_MAX		1000000000000ULL	/* 1e-3 in units of 1e-15 */
#define LABNIC_BURST_MAX	64
#define LABNIC_USECS_MAX	1000000

/* On the wire: 7 bytes of preamble and the start delimiter before each frame, at least 96 bit times after it. */
#define LABNIC_PREAMBLE		8
#define LABNIC_GAP_BITS		96
#define LABNIC_SHORTEST		64	/* with the FCS; less is a runt */

/* Why a frame was lost: the field `cause` of the tracepoint labnic:frame_lost. The numbers are part of its format. */
#define LABNIC_CAUSES(X)					\
	X(CRC, 1, "crc")					\
	X(LENGTH, 2, "length")					\
	X(MISSED, 3, "missed")					\
	X(FIFO, 4, "fifo")					\
	X(LATE_COLLISION, 5, "late_collision")			\
	X(EXCESSIVE_COLLISIONS, 6, "excessive_collisions")	\
	X(CARRIER, 7, "carrier")				\
	X(RESIZED, 8, "resized")				\
	X(DOWN, 9, "down")

#define LABNIC_CAUSE_ENUM(name, number, text) LABNIC_LOST_##name = number,
enum labnic_cause { LABNIC_CAUSES(LABNIC_CAUSE_ENUM) };

/* What `ethtool -S` shows, in its order. rx_frames and tx_frames are whole frames that reached the host or the cable. */
#define LABNIC_COUNTERS(X)						\
	X(rx_frames) X(rx_bytes) X(rx_crc_errors) X(rx_length_errors)	\
	X(rx_runts) X(rx_missed_errors) X(rx_fifo_errors)		\
	X(rx_resized) X(rx_down) X(rx_carrier_lost) X(rx_fragments)	\
	X(rx_pause) X(rx_interrupts) X(rx_polls)			\
	X(rx_bit_errors) X(memory_bit_errors)				\
	X(tx_frames) X(tx_bytes) X(tx_collisions) X(tx_late_collisions)	\
	X(tx_aborted_errors) X(tx_carrier_errors)			\
	X(tx_resized) X(tx_down) X(tx_fragments) X(tx_deferred)		\
	X(tx_pause) X(tx_paused) X(tx_stops)

#define LABNIC_COUNTER_ENUM(name) labnic_##name,
enum labnic_counter { LABNIC_COUNTERS(LABNIC_COUNTER_ENUM) LABNIC_COUNTER_COUNT };

/* What travels with a frame, in its control block. Times are nanoseconds of CLOCK_MONOTONIC at the far end. */
struct labnic_cb {
	u64 begins, ends;
	u32 fcs;
	bool announced;		/* the receiver has sensed its carrier */
	bool fragment;		/* cut off by a collision: its sender still has, or has lost, the whole frame */
	bool garbled;		/* another frame was on the cable with it */
	bool touched;		/* not the bits any more that its check sequence was computed over */
	bool control;		/* a pause frame, made by the port itself */
};

static inline struct labnic_cb *labnic_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct labnic_cb) > sizeof(skb->cb));
	return (struct labnic_cb *)skb->cb;
}

/* Descriptors: the host or the port puts frames in at `tail`, the other takes them out at `head`. Both only grow. */
struct labnic_ring {
	struct sk_buff **slot;
	u32 size, head, tail;
};

/* A source of bit errors: how many good bits are still to come, drawn whenever it reaches zero. */
struct labnic_noise {
	u64 rate;		/* flipped bits per bit, in 1e-15 */
	u32 burst;		/* bits that one error touches */
	u64 good;
	struct rnd_state random;
};

struct labnic_mode {
	u32 speed;		/* Mbit/s */
	u8 duplex;
	u8 copper, fibre;	/* ethtool's numbers of the link mode */
};

struct labnic_pair {
	spinlock_t lock;
	struct kref users;
};

struct labnic_port {
	struct net_device *dev;
	struct labnic_port *peer;	/* NULL once one of the two is being deleted; under the lock */
	struct labnic_pair *pair;
	bool running;			/* between open and stop */
	u64 counters[LABNIC_COUNTER_COUNT];

	/* negotiate.c. What this port is able and willing to do, and what the two agreed on. */
	u32 max_speed, forced_speed;
	u8 forced_duplex;
	bool autoneg, half_only;
	u32 willing;			/* bit i: mode i of labnic_modes is advertised */
	bool link;
	u32 speed;
	u8 duplex;

	/* transmit.c. sending: the frame at the ring's head, or a pause frame, is on its way out. */
	struct labnic_ring tx;
	struct hrtimer tx_timer;
	struct sk_buff *sending;
	u64 tx_begins, tx_ends, tx_free;	/* this frame's first and last bit; when the next may begin */
	u32 tx_rest;				/* of a nanosecond, in 1/speed: so that the line rate is exact */
	u32 attempts;				/* collisions of this frame */
	u64 carrier_until;			/* half duplex: the other's frame is on the cable until then */
	struct rnd_state backoff;
	bool bql;

	/* cable.c. From this port to its peer: frames in order, each with the time of its last bit. */
	struct sk_buff_head cable;
	struct hrtimer cable_timer;
	u64 delay;

	/* errors.c */
	struct labnic_noise line, memory;

	/* receive.c */
	struct sk_buff_head fifo;
	struct hrtimer bus_timer;
	u32 fifo_size, fifo_bytes;
	u64 bus, bus_free;			/* bit/s, 0: no limit; when the bus is free again */
	struct labnic_ring rx;

	/* cpu.c */
	struct napi_struct napi;
	struct hrtimer cpu_timer;
	u32 weight, rx_usecs, rx_frames;
	u32 packet_cost, interrupt_cost;	/* ns */
	bool masked;				/* interrupts are off: NAPI is at work */
	bool waiting;				/* for rx_usecs to pass */
	u32 ready;				/* packets whose cost has been paid */
	u64 cpu_free;				/* when the next one's will have been */

	/* pause.c */
	bool pause_rx, pause_tx;
	u64 paused_until;			/* asked to be silent until then */
	u64 asked_until;			/* the peer has been asked to, 0: it has not */
	struct sk_buff *pause_frame;		/* to be sent next */

	/* optics.c */
	bool module;
	s32 rx_power;				/* 0.1 dBm */
};

static inline u64 labnic_now(void)
{
	return ktime_get_ns();
}

static inline void labnic_arm(struct hrtimer *timer, u64 at)
{
	hrtimer_start(timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static inline void labnic_count(struct labnic_port *port, enum labnic_counter which)
{
	port->counters[which]++;
}

extern const struct ethtool_ops labnic_ethtool_ops;
extern const struct labnic_mode labnic_modes[];
extern const unsigned int labnic_mode_count;

/* device.c */
void labnic_setup(struct net_device *dev);
struct labnic_pair *labnic_pair_alloc(void);
void labnic_pair_put(struct labnic_pair *pair);

/* negotiate.c */
void labnic_can(struct labnic_port *port);
void labnic_negotiate(struct labnic_port *port);
void labnic_part(struct labnic_port *port);
u32 labnic_modes_up_to(const struct labnic_port *port);

/* transmit.c */
netdev_tx_t labnic_xmit(struct sk_buff *skb, struct net_device *dev);
void labnic_transmit(struct labnic_port *port, u64 now);
void labnic_sense(struct labnic_port *port, struct sk_buff *skb, u64 now);
void labnic_sent(struct labnic_port *port, u64 now);
void labnic_flush_tx(struct labnic_port *port, enum labnic_cause cause);

/* cable.c */
void labnic_cable_put(struct labnic_port *from, struct sk_buff *skb);
struct sk_buff *labnic_cable_due(struct labnic_port *from, u64 now);
void labnic_cable_wait(struct labnic_port *from);
void labnic_cable_cut(struct labnic_port *from);
bool labnic_listens(const struct labnic_port *port);

/* events.c */
void labnic_timers_setup(struct labnic_port *port);
void labnic_timers_cancel(struct labnic_port *port);

/* errors.c */
void labnic_seed(struct labnic_port *port, u64 seed);
void labnic_noise_set(struct labnic_noise *noise, u64 rate, u32 burst);
u32 labnic_damage(struct labnic_noise *noise, struct sk_buff **skb, bool with_fcs);
u32 labnic_fcs(const struct sk_buff *skb);

/* receive.c */
bool labnic_arrive(struct labnic_port *port, struct sk_buff *skb, u64 now);
void labnic_flush_rx(struct labnic_port *port, enum labnic_cause cause);
bool labnic_bus_crossed(struct labnic_port *port, u64 now);

/* cpu.c */
void labnic_frame_is_there(struct labnic_port *port, u64 now);
int labnic_poll(struct napi_struct *napi, int budget);
void labnic_cpu_due(struct labnic_port *port, u64 now);

/* pause.c */
bool labnic_pause_check(struct labnic_port *port, u64 now);
bool labnic_pause_received(struct labnic_port *port, struct sk_buff *skb, u64 now);

/* rings.c */
int labnic_ring_alloc(struct labnic_ring *ring, u32 size);
void labnic_ring_free(struct labnic_ring *ring);
u32 labnic_ring_round(u32 wanted);
int labnic_rings_resize(struct labnic_port *port, u32 rx, u32 tx);

static inline u32 labnic_ring_used(const struct labnic_ring *ring)
{
	return ring->tail - ring->head;
}

static inline bool labnic_ring_full(const struct labnic_ring *ring)
{
	return labnic_ring_used(ring) == ring->size;
}

static inline void labnic_ring_put(struct labnic_ring *ring, struct sk_buff *skb)
{
	ring->slot[ring->tail++ % ring->size] = skb;
}

static inline struct sk_buff *labnic_ring_head(const struct labnic_ring *ring)
{
	return labnic_ring_used(ring) ? ring->slot[ring->head % ring->size] : NULL;
}

static inline struct sk_buff *labnic_ring_take(struct labnic_ring *ring)
{
	return labnic_ring_used(ring) ? ring->slot[ring->head++ % ring->size] : NULL;
}

/* optics.c */
#define LABNIC_POWER_MIN	(-400)
#define LABNIC_POWER_MAX	80
u64 labnic_power_to_ber(s32 power);
bool labnic_is_dark(const struct labnic_port *port);
int labnic_module_info(struct net_device *dev, struct ethtool_modinfo *info);
int labnic_module_eeprom(struct net_device *dev, struct ethtool_eeprom *ee, u8 *data);

/* counters.c */
void labnic_lose(struct labnic_port *port, struct sk_buff *skb, enum labnic_cause cause);
void labnic_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats);
extern const char labnic_counter_names[LABNIC_COUNTER_COUNT][ETH_GSTRING_LEN];

#endif
