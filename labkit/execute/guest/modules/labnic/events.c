// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens when its time has come: the four timers of a port. Above all its parts, which know nothing of one another
 * that way: the far end of the cable is the other port's receiver, and what arrives may let that port transmit.
 */
#include "labnic.h"
#include "compat.h"

/* Hand over all that is due at the cable's far end. Needs the lock. */
static void labnic_cable_run(struct labnic_port *from, u64 now)
{
	struct labnic_port *to = from->peer;
	struct sk_buff *skb;

	while ((skb = labnic_cable_due(from, now))) {
		if (labnic_listens(to) && !labnic_cb(skb)->announced) {
			labnic_sense(to, skb, now);
			continue;
		}
		if (skb == from->sending)	/* its last bit leaves in this very instant: tx_timer comes back */
			return;
		__skb_unlink(skb, &from->cable);
		if (labnic_arrive(to, skb, now))
			labnic_transmit(to, now);
	}
	labnic_cable_wait(from);
}

static enum hrtimer_restart labnic_cable_timer(struct hrtimer *timer)
{
	struct labnic_port *from = container_of(timer, struct labnic_port, cable_timer);

	spin_lock(&from->pair->lock);
	if (from->peer)
		labnic_cable_run(from, labnic_now());
	spin_unlock(&from->pair->lock);
	return HRTIMER_NORESTART;
}

/* A frame has left, or the time is over for which the transmitter had to be silent. */
static enum hrtimer_restart labnic_tx_timer(struct hrtimer *timer)
{
	struct labnic_port *port = container_of(timer, struct labnic_port, tx_timer);
	u64 now = labnic_now(), at = now;

	spin_lock(&port->pair->lock);
	if (port->link) {
		if (port->sending && port->tx_ends <= now) {
			at = port->tx_ends;	/* a timer may be late; the line is not */
			labnic_sent(port, now);
		}
		labnic_transmit(port, at);
		if (!port->delay)
			labnic_cable_run(port, now);
	}
	spin_unlock(&port->pair->lock);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart labnic_bus_timer(struct hrtimer *timer)
{
	struct labnic_port *port = container_of(timer, struct labnic_port, bus_timer);
	u64 now = labnic_now();

	spin_lock(&port->pair->lock);
	if (port->running && labnic_bus_crossed(port, now))
		labnic_transmit(port, now);
	spin_unlock(&port->pair->lock);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart labnic_cpu_timer(struct hrtimer *timer)
{
	struct labnic_port *port = container_of(timer, struct labnic_port, cpu_timer);

	spin_lock(&port->pair->lock);
	if (port->running)
		labnic_cpu_due(port, labnic_now());
	spin_unlock(&port->pair->lock);
	return HRTIMER_NORESTART;
}

static const struct {
	size_t offset;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
} labnic_timers[] = {
	{ offsetof(struct labnic_port, tx_timer), labnic_tx_timer },
	{ offsetof(struct labnic_port, cable_timer), labnic_cable_timer },
	{ offsetof(struct labnic_port, bus_timer), labnic_bus_timer },
	{ offsetof(struct labnic_port, cpu_timer), labnic_cpu_timer },
};

static struct hrtimer *labnic_timer(struct labnic_port *port, int i)
{
	return (void *)port + labnic_timers[i].offset;
}

void labnic_timers_setup(struct labnic_port *port)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(labnic_timers); i++)
		hrtimer_setup(labnic_timer(port, i), labnic_timers[i].function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/* Waits for those that run: needs to be without the lock. */
void labnic_timers_cancel(struct labnic_port *port)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(labnic_timers); i++)
		hrtimer_cancel(labnic_timer(port, i));
}
