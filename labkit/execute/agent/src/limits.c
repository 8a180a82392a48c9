/* How many bytes a run may write: past a limit it ends with what was measured, by a rule that knows only bytes and
 * virtual time, so that it ends at the same place each time. SPDX: MIT */
#include "agent.h"

static uint64_t limit[] = {
	[LIMIT_RAW] = LIMIT_DEFAULT_RAW,
	[LIMIT_OUTPUT] = LIMIT_DEFAULT_OUTPUT,
	[LIMIT_CAPTURE] = LIMIT_DEFAULT_CAPTURE,
	[LIMIT_TRACE] = LIMIT_DEFAULT_TRACE,
};
static const uint64_t full = UINT64_MAX; /* of what has met its limit, which is told once */
static bool told;                        /* of the raw file */

void limits_set(const struct record *r, uint32_t i)
{
	const struct limits_op *op = (const void *)payload(r);
	(void)i;

	limit[LIMIT_RAW] = op->raw;
	limit[LIMIT_OUTPUT] = op->output;
	limit[LIMIT_CAPTURE] = op->capture;
	limit[LIMIT_TRACE] = op->trace;
}

static void tell(uint32_t what, uint16_t ns, uint32_t id)
{
	struct limit_out out = {what, id, limit[what]};
	int64_t now = clock_now(), start = state_start_ns();

	raw_put(R_LIMIT, ns, state_has_epoch() ? state_since_epoch(now > start ? now : start) : LAB_AT_SETUP, &out, sizeof out,
		NULL, 0);
	state_finish(END_SIZE, now);
}

bool limits_met(void)
{
	if (!told && raw_written() > limit[LIMIT_RAW]) {
		told = true;
		tell(LIMIT_RAW, LAB_NO_NS, 0);
	}
	return told;
}

size_t limits_room(uint32_t what, uint16_t ns, uint32_t id, uint64_t *used, size_t wanted)
{
	if (*used == full || limits_met())
		return 0;
	if (wanted <= limit[what] - *used) {
		*used += wanted;
		return wanted;
	}
	size_t room = (size_t)(limit[what] - *used);
	*used = full;
	tell(what, ns, id);
	return room;
}
