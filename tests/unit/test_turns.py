"""The line in front of the processors. Its names are others here: real runs have the real ones."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from labkit.execute.machine import turns

ALL = len(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def name(monkeypatch: pytest.MonkeyPatch) -> str:
    """Of this test's processors; and none of the machine's idles."""
    name = f"labkit-test-{os.getpid()}-{{}}"
    monkeypatch.setattr(turns, "_NAME", name)
    monkeypatch.setattr(turns, "_idle_s", lambda: dict[int, float]())
    return name


@contextlib.contextmanager
def all_taken() -> Iterator[list[turns.Processor]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(turns.turn()) for _ in range(ALL)]


def test_each_of_two_that_run_at_once_has_a_processor_of_its_own() -> None:
    with all_taken() as taken:
        assert {one.cpu for one in taken} == os.sched_getaffinity(0)


def test_a_processor_is_free_again_when_its_turn_is_over() -> None:
    for _ in range(3):
        with all_taken() as taken:
            assert -1 not in {one.cpu for one in taken}


def test_who_waits_is_told_and_gets_the_processor_that_becomes_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_STILL_S", 60.0)
    monkeypatch.setattr(turns, "_PATIENCE_S", 60.0)
    told = []
    with contextlib.ExitStack() as held:
        first = held.enter_context(turns.turn())
        others = [held.enter_context(turns.turn()) for _ in range(ALL - 1)]

        def waiting() -> None:
            told.append(first)
            held.close()

        with turns.turn(waiting) as mine:
            assert told
            assert mine.cpu in {first.cpu, *(one.cpu for one in others)}


def test_what_the_waiting_raises_ends_the_wait_and_leaves_no_descriptor() -> None:
    class Enough(Exception):
        pass

    def waiting() -> None:
        raise Enough

    with all_taken():
        before = os.listdir("/proc/self/fd")
        with pytest.raises(Enough), turns.turn(waiting):
            pass
        assert os.listdir("/proc/self/fd") == before


def test_whoever_holds_all_processors_for_good_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """And who goes then is on any of them."""
    monkeypatch.setattr(turns, "_STILL_S", 0.3)
    monkeypatch.setattr(turns, "_PATIENCE_S", 3600.0)
    told: list[None] = []

    def waiting() -> None:
        told.append(None)
        assert len(told) < 100, "ten seconds of a line that stands"

    with all_taken(), turns.turn(waiting) as mine:
        assert mine.cpu == -1


def test_names_that_change_hands_for_ever_stop_nobody_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_PATIENCE_S", 1.5)
    monkeypatch.setattr(turns, "_taken", lambda: None)
    monkeypatch.setattr(turns, "_holders", lambda: {("a", str(time.monotonic_ns()))})
    with turns.turn() as mine:
        assert mine.cpu == -1


def test_a_line_that_moves_is_waited_for_longer_than_one_that_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_STILL_S", 1.5)
    looks = 0

    def holders() -> set[tuple[str, str]]:
        nonlocal looks
        looks += 1
        return {("a", str(looks // 2))} if looks < 12 else {("a", "the last")}

    monkeypatch.setattr(turns, "_taken", lambda: None)
    monkeypatch.setattr(turns, "_holders", holders)
    with turns.turn():
        assert looks >= 12


def test_nobody_waits_while_a_processor_idles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_STILL_S", 3600.0)
    monkeypatch.setattr(turns, "_PATIENCE_S", 3600.0)
    monkeypatch.setattr(turns, "_idle_s", lambda: {0: time.monotonic()})
    with all_taken(), turns.turn() as mine:
        assert mine.cpu == -1


def test_a_holder_that_is_killed_holds_nothing(name: str) -> None:
    cpu = min(os.sched_getaffinity(0))
    bind = f"socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind({chr(0) + name.format(cpu)!r})"
    code = f"import socket; s = {bind}; print(flush=True); input()"
    pipe = subprocess.PIPE
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe)
    assert holder.stdout
    holder.stdout.readline()
    found = {shown.rpartition("-")[2] for shown, _ in turns._holders()}
    with contextlib.ExitStack() as stack:
        rest = [stack.enter_context(turns.turn()) for _ in range(ALL - 1)]
        holder.kill()
        holder.communicate()
        with turns.turn() as mine:
            assert {mine.cpu, *(one.cpu for one in rest)} == os.sched_getaffinity(0)
    assert found == {str(cpu)}


@pytest.mark.parametrize("call", ["__init__", "bind"])
def test_a_place_without_such_names_has_no_line(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(turns, "_wait", lambda _: pytest.fail("there is no line to wait in"))
    monkeypatch.setattr(socket.socket, call, refuse)
    with turns.turn() as mine:
        assert mine.cpu == -1


def test_thirty_at_once_all_come_to_their_turn_and_no_two_on_one_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_STILL_S", 60.0)
    monkeypatch.setattr(turns, "_PATIENCE_S", 60.0)
    lock, now, most, turns_had = threading.Lock(), set[int](), [0], [0]

    def student() -> None:
        with turns.turn() as mine:
            with lock:
                assert mine.cpu not in now
                now.add(mine.cpu)
                most[0] = max(most[0], len(now))
            time.sleep(0.02)
            with lock:
                now.discard(mine.cpu)
                turns_had[0] += 1

    threads = [threading.Thread(target=student) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert turns_had == [30]
    assert most[0] <= ALL
