"""Files of the agent that read what only a lab kernel says, with the address sanitizer.

Each is behind a driver that feeds it what a lab kernel has said, whole and damaged.
"""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.decode.raw import Raw
from labkit.program.structs import Kind
from labkit.results.run import run
from labkit.spec import ALL_PROBES, Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests import fuzz
from tests.agent.harness import OPTIONS, build

PAGE = 65536
DAMAGED = fuzz.examples(40)
ANY_NUMBER = 0xFFFFFFFF  # the driver puts the request's in its place
CONTROL, FAMILY, ALERT, STATS = 0x10, 0x1D, 1, 7  # types of messages and commands of NET_DM
PC, PAYLOAD, ALL_STATS, DROPPED, FAMILY_ID, GROUPS, GROUP_ID = 2, 7, 12, 0, 1, 7, 2
LOST = 5


@pytest.fixture(scope="module")
def recorded() -> Raw:
    """Traces and drops of a run in a lab kernel, whose addresses are masked already."""
    exp = Experiment(
        dumbbell(rate="5mbit", delay="5ms", queue="20p", loss="1%"),
        flows=[Flow("left", "right", size="300kB")],
        probes=ALL_PROBES,
    )
    return Raw.open(run(exp).folder / "raw")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="labkit-parts-"))
    yield made
    shutil.rmtree(made)


def fed(command: list[str], words: bytes, folder: Path) -> bytes:
    """What a driver makes of it; whatever the sanitizers have to say fails the test."""
    done = subprocess.run(command, cwd=folder, env=OPTIONS, input=words, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, ""), fuzz.header()
    return done.stdout


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Some bits of it, more at the beginning."""
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 3, 30))):
        at = rng.randrange(rng.choice((min(32, len(data)), len(data))))
        damaged[at] ^= 1 << rng.randrange(8)
    return bytes(damaged)


# ---- mask.c: pages of the ring buffer ----


@pytest.fixture(scope="module")
def mask(folder: Path, recorded: Raw) -> list[str]:
    """Its driver, with the formats of the events that were recorded."""
    formats = [
        bytes(body).split(b"\0", 1)[1]
        for body in recorded.behind(recorded.records(Kind.FILE))
        if bytes(body).startswith(b"events/")
    ]
    assert len(formats) > 2
    (folder / "formats").write_bytes(b"".join(text.replace(b"\n", b"\1") + b"\n" for text in formats))
    return [str(build(folder, name="mask", driver="mask.c", own_main=True)), "formats"]


def pages(recorded: Raw) -> list[bytes]:
    return [bytes(body) for body in recorded.bodies(recorded.records(Kind.TRACE))]


def masked(mask: list[str], size: int, given: list[bytes], folder: Path) -> list[bytes]:
    out, kept, at = fed([*mask, str(size)], b"".join(given), folder), [], 0
    while at < len(out):
        (length,) = struct.unpack_from("<I", out, at)
        kept.append(out[at + 4 : at + 4 + length])
        at += 4 + length
    return kept


def test_masked_pages_stay_as_they_are_and_lose_what_follows(
    mask: list[str], recorded: Raw, folder: Path
) -> None:
    """Numbers are given in the order of first sight: numbers in that order are given again."""
    whole = pages(recorded)
    padded = [page.ljust(PAGE, b"\xa5") for page in whole]
    assert len(whole) > 1
    assert masked(mask, PAGE, padded, folder) == whole


def test_damaged_pages_are_read_within_their_bounds(mask: list[str], recorded: Raw, folder: Path) -> None:
    rng = random.Random(fuzz.seed())
    whole = pages(recorded)
    for size in (PAGE, 4096, 1000, 24, 16, 15, 1):
        given = [flipped(rng.choice(whole).ljust(PAGE, b"\0")[:size], rng) for _ in range(DAMAGED)]
        kept = masked(mask, size, given, folder)
        assert len(kept) == len(given)
        assert all(len(page) <= size for page in kept)


# ---- drops.c: the drop monitor ----


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def message(kind: int, body: bytes, number: int = ANY_NUMBER) -> bytes:
    return struct.pack("<IHHII", 16 + len(body), kind, 0, number, 0) + body


def general(command: int, attributes: bytes) -> bytes:
    return struct.pack("<BBH", command, 1, 0) + attributes


def number(value: int) -> bytes:
    return struct.pack("<I", value)


ACK = message(2, bytes(20))
FOUND = message(
    CONTROL,
    general(
        1,
        attribute(FAMILY_ID, struct.pack("<H", FAMILY))
        + attribute(GROUPS, attribute(1, attribute(GROUP_ID, number(3)))),
    ),
)
TOLD = message(FAMILY, general(STATS, attribute(ALL_STATS, attribute(DROPPED, struct.pack("<Q", LOST)))))


def script(*answers: list[bytes]) -> bytes:
    """What is said at each request, and before the last."""
    return b"".join(b"".join(number(len(m)) + m for m in said) + number(0) for said in answers)


@pytest.fixture(scope="module")
def drops(folder: Path) -> list[str]:
    wrapped = ["socket", "connect", "setsockopt", "send"]
    return [str(build(folder, name="drops", driver="drops.c", own_main=True, wrap=wrapped))]


def heard(drops: list[str], words: bytes, folder: Path) -> Raw:
    (folder / "raw").unlink(missing_ok=True)
    fed(drops, words, folder)
    return Raw.open(folder / "raw")


def alerts(recorded: Raw) -> list[bytes]:
    """What the monitor of a lab kernel had said, renumbered to the family of these tests."""
    said = [bytes(body) for body in recorded.bodies(recorded.records(Kind.DROP))]
    return [body[:4] + struct.pack("<H", FAMILY) + body[6:] for body in said]


def test_alerts_are_kept_also_while_an_answer_is_awaited(
    drops: list[str], recorded: Raw, folder: Path
) -> None:
    early, *later = alerts(recorded)[:6]
    assert later
    words = script([FOUND], [ACK], [ACK], later, [message(3, b"", number=LOST), early, TOLD])
    raw = heard(drops, words, folder)
    assert [bytes(b) for b in raw.bodies(raw.records(Kind.DROP))] == [*later, early]
    captured = next(iter(raw.bodies(raw.records(Kind.CAPTURED))))
    assert struct.unpack("<IIQQ", captured) == (0, 0, 0, LOST)


def test_addresses_in_alerts_become_zero(drops: list[str], folder: Path) -> None:
    said = message(FAMILY, general(ALERT, attribute(PC, b"\xff" * 8) + attribute(PAYLOAD, b"frame")), 0)
    raw = heard(drops, script([FOUND], [ACK], [ACK], [said], [TOLD]), folder)
    (kept,) = (bytes(body) for body in raw.bodies(raw.records(Kind.DROP)))
    assert kept == said.replace(b"\xff" * 8, bytes(8))


def test_a_kernel_without_the_monitor_is_an_error_record(drops: list[str], folder: Path) -> None:
    refused = message(2, struct.pack("<i", -2) + bytes(16))
    raw = heard(drops, script([refused]), folder)
    (error,) = (bytes(body) for body in raw.bodies(raw.records(Kind.ERROR)))
    assert struct.unpack_from("<IIi", error)[2] == 2
    assert b"no drop monitor" in error


def test_damaged_words_of_the_monitor_are_read_within_their_bounds(
    drops: list[str], recorded: Raw, folder: Path
) -> None:
    rng = random.Random(fuzz.seed())
    said = alerts(recorded)
    for _ in range(DAMAGED // 4):
        some = [flipped(rng.choice(said), rng) for _ in range(20)]
        answers = [
            [flipped(answer, rng)] if rng.random() < 0.2 else [answer] for answer in (FOUND, ACK, ACK, TOLD)
        ]
        raw = heard(drops, script(*answers[:3], some, answers[3]), folder)
        ended = len(raw.records(Kind.CAPTURED)) + len(raw.records(Kind.ERROR))
        assert ended == 1, "neither refused nor carried on to its end"


# ---- perf.c: the rings of a machine's own kernel ----

RING, TIME, SAMPLE, EVENTS, HAPPENED = 1 << 20, 10**12, 9, 300, 1000


@pytest.fixture(scope="module")
def perf(folder: Path) -> list[str]:
    (folder / "id").write_text("77\n")
    wrapped = ["syscall", "ioctl", "access", "open64"]
    return [str(build(folder, name="perf", driver="perf.c", own_main=True, wrap=wrapped))]


def sampled(number: int) -> bytes:
    """A sample of an event: when, its size, its bytes."""
    event = struct.pack("<HHI", 77, 0, number).ljust(4 + 8 * (number % 40 + 1), b"e")
    body = struct.pack("<QI", TIME + number, len(event)) + event
    return struct.pack("<IHH", SAMPLE, 0, 8 + len(body)) + body


def events(raw: Raw) -> list[tuple[int, int]]:
    """When and which, of all that were kept."""
    found = []
    for body in raw.bodies(raw.records(Kind.EVENTS)):
        at = 0
        while at < len(body):
            at_ns, size, _ = struct.unpack_from("<qII", body, at)
            found.append((at_ns, struct.unpack_from("<I", body, at + 20)[0]))
            at += 16 + (size + 7) // 8 * 8
    return found


@pytest.mark.parametrize("start", [0, RING - 4096, RING - 3])
def test_samples_are_kept_across_the_end_of_a_ring(perf: list[str], folder: Path, start: int) -> None:
    lost = struct.pack("<IHHQQ", 2, 0, 24, 1, 5)
    given = b"".join(sampled(i) for i in range(EVENTS // 2)) + lost
    given += b"".join(sampled(i) for i in range(EVENTS // 2, EVENTS))
    raw = heard([*perf, str(start)], given, folder)
    assert events(raw) == [(TIME + i, i) for i in range(EVENTS)]
    assert raw.heads(raw.records(Kind.END))["lost_trace_events"].tolist() == [HAPPENED - EVENTS]


def test_damaged_samples_are_read_within_their_bounds(perf: list[str], folder: Path) -> None:
    rng = random.Random(fuzz.seed())
    for _ in range(DAMAGED // 4):
        given = b"".join(flipped(sampled(rng.randrange(1000)), rng) for _ in range(50))
        assert not heard([*perf, str(rng.randrange(RING))], given, folder).truncated
