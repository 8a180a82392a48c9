"""The probe "queue": every packet in every queue, from when it enters to when it leaves or is thrown away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.decode.plain_tables import ComputedTable
from labkit.probes.probe import Event, Probe, Scene

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

ENQUEUE, DEQUEUE, FREE = "qdisc/qdisc_enqueue", "qdisc/qdisc_dequeue", "skb/kfree_skb"
COLUMNS: dict[str, str] = {
    "enqueued_s": "s since the start of the run: when it came into the queue",
    "host": "where it waited",
    "peer": "where it was going",
    "packets": "packets in the queue when it came, itself not among them",
    "dequeued_s": "s: when it left; NaN: it did not",
    "wait_s": "s between the two",
    "dropped": "it was thrown away after it had been let in; what was not let in is in `drops` only",
}
_LONGEST_FILTER = 4000  # of the kernel's one page


def _events(scene: Scene) -> Sequence[Event]:
    if not scene.queued:
        return []
    mine = " || ".join(f"ifindex == {index}" for index in scene.queued)
    if len(mine) > _LONGEST_FILTER:  # then those of the wires as well; the decoder leaves them out
        mine = f"ifindex >= {scene.queued[0]}"
    return [
        Event(ENQUEUE, mine, bytes=64, everywhere=True),
        Event(DEQUEUE, f"skbaddr != 0 && ({mine})", bytes=72, everywhere=True),
        Event(FREE),
    ]


def _table(run: Recorded) -> pd.DataFrame:
    """One row per packet that a queue took. Raises RawFormatError."""
    from labkit.decode.queue_events import queue

    came, left, freed = (run.trace.occurrences(name) for name in (ENQUEUE, DEQUEUE, FREE))
    names = {i["index"]: (i["from"], i["to"]) for i in run.part("interfaces") if i["queue"]}
    return queue(came, left, freed, names)


PROBE = Probe(
    "queue",
    "every packet that enters and leaves a queue",
    events=_events,
    nothing="no queue: no link has a rate",
    tables={
        "queue": ComputedTable(
            "One row per packet that a queue took.", COLUMNS, _table, (ENQUEUE, DEQUEUE, FREE)
        )
    },
)
