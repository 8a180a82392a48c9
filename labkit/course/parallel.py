"""A class, several students at a time, each worker with a number of its own, and a bar that says how far it
is."""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from tqdm import tqdm

from labkit.execute.machine import processors

Item = TypeVar("Item")
Made = TypeVar("Made")


def each(
    items: Sequence[Item], do: Callable[[Item, int], Made], workers: int | None, said: str, progress: bool
) -> list[Made]:
    """do(item, slot) for every item, in their order. slot: 0 to workers - 1, no two at once the same; no more
    than there are processors, since a sandbox has one to itself. The first error ends it when what is under
    way is done."""
    most = len(os.sched_getaffinity(0))
    number = min(workers or processors.number(), most, max(len(items), 1))
    slots: queue.SimpleQueue[int] = queue.SimpleQueue()
    for slot in range(number):
        slots.put(slot)

    def with_slot(item: Item) -> Made:
        slot = slots.get()
        try:
            return do(item, slot)
        finally:
            slots.put(slot)

    with (
        ThreadPoolExecutor(number) as pool,
        tqdm(total=len(items), desc=said, disable=None if progress else True) as bar,
    ):
        waiting = [pool.submit(with_slot, item) for item in items]
        try:
            for done in as_completed(waiting):
                done.result()
                bar.update()
        except BaseException:
            for one in waiting:
                one.cancel()
            raise
    return [one.result() for one in waiting]
