// SPDX-License-Identifier: GPL-2.0-only
/*
 * A congestion control of one's own, written in a cell: %%cc @NAME@. labkit supplies what stands before the cell and
 * behind it. The module's table of callbacks calls the cell's functions through wrappers, which look whether what a
 * function did can be (a window of 0 packets, a loop that does not end) and keep the first calls for who asks.
 *
 * For the guest the cell is compiled with -fsanitize=integer-divide-by-zero,null,shift,bounds, which calls the handlers
 * below, and with -fsanitize-coverage=trace-pc, which calls a function at the beginning of every basic block. Whatever
 * is found ends the run: "labkit-cc", the name, the line, what it was. For the kernel in WebAssembly it is compiled
 * without: of the book's own cells alone, which the guest has run.
 */
#include <linux/delay.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/panic_notifier.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <net/tcp.h>

/* A callback runs in softirq context, or with the socket locked: nothing there may sleep. */
#ifdef CONFIG_UML
#define LP_SLEEPS __attribute__((error("a callback must not sleep: it runs in softirq context")))
#else
#define LP_SLEEPS /* clang takes the attribute with a function's first declaration only */
#endif
LP_SLEEPS void msleep(unsigned int ms);
LP_SLEEPS unsigned long msleep_interruptible(unsigned int ms);
LP_SLEEPS void usleep_range_state(unsigned long min, unsigned long max, unsigned int state);
LP_SLEEPS void schedule(void);
LP_SLEEPS long schedule_timeout(long timeout);
LP_SLEEPS long schedule_timeout_interruptible(long timeout);
LP_SLEEPS long schedule_timeout_uninterruptible(long timeout);
LP_SLEEPS void mutex_lock(struct mutex *lock);
LP_SLEEPS void wait_for_completion(struct completion *done);
gfp_t lp_gfp_kernel(void)
	__attribute__((error("a callback must not sleep, as GFP_KERNEL may: allocate with GFP_ATOMIC")));
#undef GFP_KERNEL
#define GFP_KERNEL lp_gfp_kernel()

/* A loop with an empty body would have no basic block to count in: now none is empty. */
#define while(...) while (({ barrier(); (__VA_ARGS__); }))
#define for(...) for (__VA_ARGS__) if (({ barrier(); 0; })) {} else

