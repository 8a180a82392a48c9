// SPDX-License-Identifier: GPL-2.0-only
/* The machine: a processor and memory, as much as there is when it starts. */
#include <linux/console.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/reboot.h>
#include <linux/skbuff.h>
#include <linux/start_kernel.h>
#include <net/ipv6_frag.h>
#include <asm/lab.h>
#include <asm/setup.h>

extern char __heap_base[];	/* the linker's: where the module's own data ends */

unsigned long memory_end;
void *empty_zero_page;

/* Hash tables as large as the guest's, and IPv6 as there. */
static char command_line[] = "quiet panic=-1 norandmaps ipv6.disable_ipv6=1 thash_entries=4096 uhash_entries=4096";

static void print(struct console *console, const char *text, unsigned int size)
{
	lab_print(text, size);
}

static struct console console = {
	.name = "lab",
	.write = print,
	.flags = CON_PRINTBUFFER | CON_ENABLED | CON_ANYTIME,
	.index = -1,
};

void __init setup_arch(char **line)
{
	unsigned long zones[MAX_NR_ZONES] = {};

	*line = command_line;
	strscpy(boot_command_line, command_line, COMMAND_LINE_SIZE);
	memory_end = __builtin_wasm_memory_size(0) << 16;
	memblock_add(0, memory_end);
	memblock_reserve(0, PAGE_ALIGN((unsigned long)__heap_base));
	min_low_pfn = 0;
	max_pfn = max_low_pfn = memory_end >> PAGE_SHIFT;
	empty_zero_page = memblock_alloc(PAGE_SIZE, PAGE_SIZE);
	zones[ZONE_NORMAL] = max_pfn;
	free_area_init(zones);
	parse_early_param();
	register_console(&console); /* that of a quiet kernel */
}

void __init mem_init(void)
{
	high_memory = (void *)memory_end;
	memblock_free_all();
}

void __init init_IRQ(void)
{
}

LAB_EXPORT(start) void lab_start(void);
void lab_start(void)
{
	start_kernel();
}

void (*pm_power_off)(void);

void machine_power_off(void)
{
	lab_stop(LAB_OFF);
}

void machine_halt(void)
{
	lab_stop(LAB_OFF);
}

/* Who panics restarts: panic=-1. */
void machine_restart(char *command)
{
	lab_stop(LAB_PANIC);
}

/* TCP counts against its buffers what a packet takes in memory. These are of Linux 6.12 on 64 bits. */
static_assert(SKB_DATA_ALIGN(sizeof(struct sk_buff)) == 256);
static_assert(SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) == 320);
static_assert(L1_CACHE_BYTES == 64);

/* And IP, what a datagram of fragments takes. */
static_assert(sizeof(struct inet_frag_queue) == 176);
static_assert(sizeof(struct frag_queue) == 184);
