/* What the keeper and the shim agree on to put walls around the lab kernel's process. SPDX: MIT
 *
 * The keeper prepares what takes names of files (rules.c) and answers for signals (signals.c). The shim closes
 * the walls (filter.c) when the lab kernel is about to mount its root: after its own start-up and before
 * anything of an experiment is read. The descriptor of the root is where the kernel looks for it only from then
 * on, so that a kernel whose shim was not loaded finds no root: there is no run without walls.
 *
 * Modules are compiled outside of the guest. confine.c puts other walls around the compiler, of the same files. */
#ifndef WALLS_H
#define WALLS_H
#include <stdbool.h>
#include <sys/types.h>

enum {
	ROOT = 9, /* where the guest's kernel looks for its root */
	FROM_OWNER = 10,
	TO_OWNER = 11,
	/* from the keeper to the shim, closed by it */
	RULES = 15,	/* a Landlock ruleset; none where the machine's kernel has no Landlock */
	SIGNALS = 16,	/* takes the listener for kill(); none where Landlock sees to signals */
	ROOT_LATER = 17 /* the root, until the walls stand */
};
enum { NOT_STARTED = 125 }; /* as env(1) and others say it */

/* rules.c: what may be read: `folder`, `root`, and what is `shown`; nothing may be written. A ruleset, or -1; with
 * ENOSYS where there is no Landlock. *signals: it keeps signals in, too. */
int rules_make(const char *folder, int root, char *const *shown, int count, bool *signals);

/* rules.c: for a compiler, which may read and start what is `shown`, and in `folder` do all; -1 with errno. */
int rules_for_compiler(const char *folder, char *const *shown, int count);

/* signals.c: in the keeper, answer one kill() of the guest whose process group this is; false: it is gone. */
int signals_listener(int from);
bool signals_answer(int listener, pid_t group);

/* filter.c: in the shim; 0, or -1 with errno. */
int filter_signals(int to);
int filter_calls(void);
/* compiler_calls.c: in confine */
int filter_compiler(void);
#endif
