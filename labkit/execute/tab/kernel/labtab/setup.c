// SPDX-License-Identifier: GPL-2.0-only
/* How this machine differs from a PC: it has nothing but a processor and memory. */
#include <linux/console.h>
#include <linux/i8253.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/pm.h>
#include <linux/skbuff.h>
#include <asm/i8259.h>
#include <asm/labtab.h>
#include <asm/reboot.h>
#include <asm/setup.h>
#include <asm/time.h>
#include <asm/x86_init.h>

volatile struct labtab labtab __aligned(64);
unsigned long labtab_interrupts;

u32 labtab_call(enum labtab_call call, const void *bytes, u32 size, u32 offset)
{
	labtab.address = bytes ? __pa(bytes) : 0;
	labtab.size = size;
	labtab.offset = offset;
	labtab.call = call;
	while (labtab.call != LABTAB_NONE)
		asm volatile("hlt" : : : "memory");
	return labtab.size;
}

static void power_off(void)
{
	for (;;)
		labtab_call(LABTAB_OFF, NULL, 0, 0);
}

static void after_panic(void)
{
	for (;;)
		labtab_call(LABTAB_PANIC, NULL, 0, 0);
}

static void no_restart(char *command)
{
	after_panic();
}

/* The real clock is a second ahead, as the guest's. */
static void wall_clock(struct timespec64 *now)
{
	*now = (struct timespec64){ .tv_sec = 1 };
}

static int no_setting(const struct timespec64 *now)
{
	return -ENODEV;
}

void __init labtab_early_setup(void)
{
	outl(__pa(&labtab), LABTAB_PORT);
	x86_platform.legacy.rtc = 0;
	x86_platform.legacy.i8042 = X86_LEGACY_I8042_PLATFORM_ABSENT;
	x86_platform.get_wallclock = wall_clock;
	x86_platform.set_wallclock = no_setting;
	x86_init.resources.probe_roms = x86_init_noop;
	x86_init.irqs.pre_vector_init = x86_init_noop;
	x86_init.irqs.intr_mode_select = x86_init_noop;
	x86_init.irqs.intr_mode_init = x86_init_noop;
	x86_init.timers.timer_init = labtab_time_init;
	legacy_pic = &null_legacy_pic;
	pm_power_off = power_off;
	machine_ops.power_off = power_off;
	machine_ops.restart = no_restart;
	machine_ops.emergency_restart = after_panic;
}

static void print(struct console *console, const char *text, unsigned int size)
{
	while (size--)
		outb(*text++, LABTAB_CONSOLE);
}

static struct console console = {
	.name = "labtab",
	.write = print,
	.flags = CON_PRINTBUFFER | CON_ENABLED | CON_ANYTIME,
	.index = -1,
};

static int __init print_start(void)
{
	register_console(&console);
	return 0;
}
console_initcall(print_start);

/* TCP counts against its buffers what a packet takes in memory. These are of Linux 6.12 on 64 bits. */
static_assert(SKB_DATA_ALIGN(sizeof(struct sk_buff)) == 256);
static_assert(SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) == 320);
static_assert(L1_CACHE_BYTES == 64);
