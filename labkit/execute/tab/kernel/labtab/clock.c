// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time, as in the guest (User-Mode Linux with time-travel=inf-cpu): a processor takes none. The clock moves when nobody
 * has anything left to do, to the next timer. There is one timer, and it is exact.
 */
#include <linux/clockchips.h>
#include <linux/clocksource.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/init.h>
#include <asm/irq_regs.h>
#include <asm/labtab.h>

#define NEVER (~0ull)

static u64 deadline = NEVER;
static struct pt_regs no_regs = { .cs = __KERNEL_CS };

static u64 notrace read_clock(struct clocksource *source)
{
	return labtab.now;
}

static struct clocksource source = {
	.name = "labtab",
	.rating = 500,
	.read = read_clock,
	.mask = CLOCKSOURCE_MASK(64),
	.flags = CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
};

static int next_event(unsigned long delta, struct clock_event_device *device)
{
	deadline = labtab.now + delta;
	return 0;
}

static int no_event(struct clock_event_device *device)
{
	deadline = NEVER;
	return 0;
}

static struct clock_event_device timer = {
	.name = "labtab",
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

	if (labtab.now < deadline)
		labtab.now = deadline;
	deadline = NEVER;
	irq_enter();
	timer.event_handler(&timer);
	irq_exit();
	set_irq_regs(before);
}

void __cpuidle labtab_idle(void)
{
	if (deadline == NEVER)
		labtab_call(LABTAB_STUCK, NULL, 0, 0);
	interrupt();
}

/* Nothing interrupts the wait: a timer that is due within it is late, as in um_udelay(). */
void labtab_delay(unsigned int ns)
{
	unsigned long flags;

	local_irq_save(flags);
	labtab.now += ns;
	if (deadline <= labtab.now)
		interrupt();
	local_irq_restore(flags);
}

void __init labtab_time_init(void)
{
	clocksource_register_hz(&source, NSEC_PER_SEC);
	timer.cpumask = cpumask_of(0);
	clockevents_register_device(&timer);
}

/* There is no chip to measure loops by. */
unsigned long calibrate_delay_is_known(void)
{
	return 1;
}
