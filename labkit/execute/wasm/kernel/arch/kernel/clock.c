// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time, as in the guest (User-Mode Linux with time-travel=inf-cpu): a processor takes none. The clock moves when nobody
 * has anything left to do, to the next timer. There is one timer, and it is exact.
 */
#include <linux/clockchips.h>
#include <linux/clocksource.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/sched/clock.h>
#include <asm/irq_regs.h>
#include <asm/lab.h>

#define NEVER (~0ull)

unsigned long wasm_interrupts;

static u64 now, deadline = NEVER;
static struct pt_regs no_regs;

static u64 notrace read_clock(struct clocksource *source)
{
	return now;
}

static struct clocksource source = {
	.name = "lab",
	.rating = 500,
	.read = read_clock,
	.mask = CLOCKSOURCE_MASK(64),
	.flags = CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
};

static int next_event(unsigned long delta, struct clock_event_device *device)
{
	deadline = now + delta;
	return 0;
}

static int no_event(struct clock_event_device *device)
{
	deadline = NEVER;
	return 0;
}

static struct clock_event_device timer = {
	.name = "lab",
	.rating = 500,
	.features = CLOCK_EVT_FEAT_ONESHOT,
	.set_state_shutdown = no_event,
	.set_state_oneshot = no_event,
	.set_next_event = next_event,
	.max_delta_ns = 0xffffffff,
	.max_delta_ticks = 0xffffffff,
	.min_delta_ns = 1,
	.min_delta_ticks = 1,
	.mult = 1,
};

/* Interrupts are off; they are off again when it returns. */
static void interrupt(void)
{
	struct pt_regs *before = set_irq_regs(&no_regs);

	if (now < deadline)
		now = deadline;
	deadline = NEVER;
	irq_enter();
	timer.event_handler(&timer);
	irq_exit();
	set_irq_regs(before);
}

void __cpuidle arch_cpu_idle(void)
{
	if (deadline == NEVER)
		lab_stop(LAB_STUCK);
	interrupt();
}

/* Nothing interrupts the wait: a timer that is due within it is late, as in um_udelay(). */
void lab_delay(unsigned int ns)
{
	unsigned long flags;

	local_irq_save(flags);
	now += ns;
	if (deadline <= now)
		interrupt();
	local_irq_restore(flags);
}

void __ndelay(unsigned long ns)
{
	lab_delay(ns);
}

void __udelay(unsigned long us)
{
	lab_delay(us * NSEC_PER_USEC);
}

void __const_udelay(unsigned long loops)
{
	lab_delay(loops / 4); /* 2^32 / 10^6 of them are a microsecond: asm-generic/delay.h */
}

void __delay(unsigned long ns)
{
	lab_delay(ns);
}

u64 notrace sched_clock(void)
{
	return now;
}

/* The real clock is a second ahead, as the guest's. */
void read_persistent_clock64(struct timespec64 *to)
{
	*to = (struct timespec64){ .tv_sec = 1 };
}

void __init time_init(void)
{
	clocksource_register_hz(&source, NSEC_PER_SEC);
	timer.cpumask = cpumask_of(0);
	clockevents_register_device(&timer);
}

/* A processor takes no time: there are no loops to count. */
void calibrate_delay(void)
{
}
