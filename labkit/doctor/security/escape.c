// SPDX-License-Identifier: GPL-2.0-only
/* A kernel module that asks the machine's kernel, not the lab's: what a hostile one would do. Each attempt and the
 * error that stopped it (0: none) are in /sys/module/escape/parameters/tried. */
#include <linux/module.h>

static char told[2048];
static char *tried = told;
module_param(tried, charp, 0444);
MODULE_PARM_DESC(tried, "what was tried, and the errors");

static long ask(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return result;
}

static int __init escape_init(void)
{
	static const char new[] = "../escaped", raw[] = "raw", shadow[] = "/etc/shadow", home[] = "/root",
			  program[] = "/nowhere", link[] = "link";
	static char room[128];
	long keeper = ask(110, 0, 0, 0, 0, 0, 0);
	const struct {
		const char *what;
		long nr, a, b, c, d, e, f;
	} list[] = {
		{"a file beside the run folder", 2, (long)new, 0101, 0644},
		{"the raw file, by its name", 2, (long)raw, 02, 0},
		{"a symbolic link", 88, (long)shadow, (long)link},
		{"a hard link", 86, (long)raw, (long)link},
		{"a fifo", 133, (long)link, 0010666, 0},
		{"/etc/shadow", 2, (long)shadow, 0, 0},
		{"/root", 2, (long)home, 0200000, 0},
		{"a socket", 41, 2, 1, 0},
		{"io_uring", 425, 4, (long)room},
		{"another program", 59, (long)program, 0, 0},
		{"a process", 57},
		{"another's memory", 310, keeper, (long)room, 1, (long)room, 1, 0},
		{"tracing the keeper", 101, 16, keeper, 0, 0},
		{"killing the keeper", 62, keeper, 9},
		{"another session", 112},
		{"a mount", 165, (long)link, (long)home, (long)link, 0, 0},
		{"memory for a program", 319, (long)link, 0},
		{"bpf", 321, 5, (long)room, 48},
	};
	int at = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(list); i++) {
		long r = ask(list[i].nr, list[i].a, list[i].b, list[i].c, list[i].d, list[i].e, list[i].f);
		at += scnprintf(told + at, sizeof(told) - at, "%s\t%ld\n", list[i].what, r < 0 ? -r : 0);
	}
	return 0;
}

static void __exit escape_exit(void)
{
}

module_init(escape_init);
module_exit(escape_exit);
MODULE_DESCRIPTION("Attempts to reach the machine from within the lab kernel");
MODULE_LICENSE("GPL");
