"""What is measured, and the figures asked for. How it is measured is in measure.py and memory.py."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from bench import (
    captures,
    chapters,
    classroom,
    custom_cc,
    days,
    experiments,
    films,
    lab_page,
    lighthouse,
    ports,
    python,
    runs,
    site,
    sweeps,
    walls,
    widgets,
)
from bench.measure import Sample
from scripts import twins
from scripts.record import number


@dataclass(frozen=True)
class Case:
    """One row. asked: at least; aim: better; in `unit`. repeat: how often unless told otherwise; warm:
    once more before that, not counted. more: the more the better. when_named: only by --only, as it takes
    minutes."""

    name: str
    what: str
    take: Callable[[], Sample]
    asked: float | None = None
    aim: float | None = None
    unit: str = "s"
    repeat: int = 7
    warm: bool = True
    more: bool = False
    when_named: bool = False


CASES = (
    Case(
        "A",
        "run() of 25 MB, Reno, 10 Mbit/s, RTT 10 ms, 5 % loss, TCP_INFO, tcp_probe",
        functools.partial(runs.a_run, experiments.one_reno),
        asked=0.5,
        aim=0.25,
    ),
    Case("A-process", "A as a whole fresh `labkit run` process", runs.a_process, asked=2, aim=1),
    Case(
        "B",
        "30 CUBIC flows, 100 Mbit/s, RTT 20 ms, queue 1 BDP, 60 s, TCP_INFO",
        functools.partial(runs.a_run, experiments.thirty_cubic),
        asked=8,
        aim=4,
        repeat=3,
        warm=False,
    ),
    Case(
        "C",
        "one CUBIC flow, 1 Gbit/s, RTT 20 ms, queue 1 BDP, 60 s",
        functools.partial(runs.a_run, experiments.one_cubic),
        asked=45,
        aim=25,
        repeat=3,
        warm=False,
    ),
    Case(
        "hosts",
        "62 hosts, compiled and built",
        functools.partial(runs.a_run, experiments.many_hosts, read=False),
        asked=1.0,
        aim=0.4,
    ),
    Case(
        "walls",
        "the walls around a guest: by how much an empty run takes longer",
        walls.cost,
        asked=10,
        aim=3,
        unit="ms",
        repeat=3,
    ),
    Case("memory", "memory of one guest running A", runs.memory, asked=64, aim=24, unit="MB", repeat=3),
    Case(
        "click",
        "click to figure: 30 s at 10 Mbit/s, one flow, tcp_probe, queue and drops",
        widgets.click,
        asked=1.0,
        aim=0.6,
    ),
    Case(
        "player",
        "the packet player with 500 packets in flight: 95 % of all frames are drawn within",
        films.frame_time,
        asked=17,  # 60 a second, and what a browser's clock rounds
        aim=16.8,
        unit="ms",
        repeat=3,
    ),
    Case("cc", "a cell of %%cc, compiled, loaded and tried", custom_cc.new, asked=3, aim=2),
    Case("cc-again", "the same cell once more", custom_cc.again, asked=1, aim=0.1),
    Case(
        "capture",
        "25 MB, Reno, 10 Mbit/s, captured at both ends: times as long as without",
        captures.ratio,
        asked=2.5,
        aim=1.5,
        unit="×",
    ),
    Case(
        "table", "packet table of a 1,000,000-packet capture", captures.table_time, asked=3, aim=2, repeat=3
    ),
    Case(
        "table-memory",
        "memory of a process that makes it",
        captures.table_memory,
        asked=1000,
        aim=800,
        unit="MB",
        repeat=3,
    ),
    Case("ledger", "ledger of a run of 100,000 packets", captures.ledger_time, asked=3, aim=1, repeat=3),
    Case(
        "nic",
        "200,000 full-size frames through the teaching NIC",
        ports.frames_time,
        asked=1,
        aim=0.8,
        repeat=5,
    ),
    Case(
        "nic-veth",
        "the same: times as long as over veth",
        ports.against_veth,
        asked=1.5,
        aim=1.25,
        unit="×",
        repeat=5,
    ),
    Case(
        "nic-ring",
        "10 s of TCP at 1 Gbit/s, a ring of 64 overrun",
        ports.overrun_time,
        asked=10,
        aim=5,
        repeat=3,
        warm=False,
    ),
    Case(
        "figure-26",
        "a thesis's figure: 3 algorithms x 11 loss rates x 3 seeds, 99 runs of 25 MB at 10 Mbit/s",
        sweeps.figure_26,
        asked=60,
        aim=30,
        repeat=1,
        warm=False,
    ),
    Case(
        "scaling",
        "18 of these: times as fast with two workers as with one",
        sweeps.scaling,
        asked=1.7,
        aim=1.9,
        unit="×",
        repeat=3,
        more=True,
    ),
    Case(
        "288-hours",
        "chapter 28's twelve days: pings, transfers and cross traffic in each of 288 hours",
        days.twelve,
        asked=60,
        aim=30,
        repeat=1,
        warm=False,
    ),
    Case(
        "background",
        "9,600 transfers of a packet within 40 s",
        functools.partial(runs.a_run, experiments.crowd),
        repeat=3,
        warm=False,
    ),
    Case("book", "`make book` from the recordings", site.build, asked=60, aim=20, repeat=3, warm=False),
    *(
        Case(
            f"{short}-{name}",
            f"{what}, a phone on slow 4G: {measure}",
            functools.partial(take, page),
            asked=asked,
            aim=aim,
            unit=unit,
            repeat=1,
            warm=False,
            more=more,
        )
        for short, what, page in lighthouse.PAGES
        for name, measure, take, unit, asked, aim, more in lighthouse.MEASURES
    ),
    Case(
        "page",
        "chapter 1 on the site, compressed, without its figures' data",
        site.weight,
        asked=1.5,
        aim=0.75,
        unit="MB",
        repeat=1,
        warm=False,
    ),
    Case(
        "twins",
        "lines of JavaScript that say what Python says",
        lambda: Sample(twins.javascript()),
        asked=8000,
        aim=6000,
        unit="lines",
        repeat=1,
        warm=False,
    ),
    *(
        Case(f"tab-{name}", what, take, asked=asked, aim=aim, unit=unit, repeat=3, warm=False)
        for name, what, take, asked, aim, unit in (
            ("fetch", "fetched before the first run, compressed", lab_page.fetched, 2, 1.6, "MB"),
            ("ready", "ready to run, from a warm cache", lab_page.ready, 0.5, 0.3, "s"),
            ("memory", "memory of the page's process after two runs", lab_page.memory, 200, 150, "MB"),
            ("cancel", "from Cancel until the run is over", lab_page.cancelled, 0.1, 0.05, "s"),
            (
                "first",
                "10 s at 10 Mbit/s, one flow, three probes: first run",
                lab_page.ten_first,
                1,
                0.5,
                "s",
            ),
            ("10s", "the same, a later run", lab_page.ten_later, 0.2, 0.15, "s"),
            ("60s", "60 s of it, a later run", lab_page.sixty_later, 0.6, 0.4, "s"),
            ("A", "A, a later run", lab_page.a_later, 1, 0.5, "s"),
            ("30", "30 flows, 10 Mbit/s, 10 s, a later run", lab_page.thirty_later, 0.3, 0.25, "s"),
            (
                "python",
                "Python loaded and one experiment compiled, warm cache",
                python.first_compile,
                4,
                2,
                "s",
            ),
        )
    ),
    Case(
        "A-all",
        "A with every probe, each table made",
        functools.partial(runs.a_run, experiments.one_reno_all_probes),
    ),
    Case("A-bare", "A without probes", functools.partial(runs.a_run, experiments.one_reno_no_probes)),
    Case("A-again", "A again, from the result cache", runs.again),
    Case("A-decode", "tcp_probe of A, decoded", runs.decode),
    Case("compile", "62 hosts and 30 flows, compiled", runs.compile_many),
    Case(
        "tab-python-fetch", "labkit for a page, compressed", python.fetched, unit="MB", repeat=1, warm=False
    ),
    *(
        Case(
            f"chapter-{number(source)}",
            f"chapter {number(source).lstrip('0')} executed, with no cached results",
            functools.partial(chapters.executed, source),
            asked=within,
            aim=40,
            repeat=1,
            warm=False,
            when_named=True,
        )
        for numbers, within in ((range(1, 16), 60), (range(16, 34), 90))
        for source in chapters.numbered(numbers)
    ),
    *(
        Case(name, what, take, repeat=1, warm=False, when_named=True)
        for name, what, take in (
            (
                "class-once",
                "30 students on one machine click at once: median",
                classroom.once_median,
            ),
            ("class-once-worst", "the same: the last of them", classroom.once_worst),
            ("class", "30 students click, each 20 s after the last figure: median", classroom.lesson_median),
            ("class-worst", "the same: the longest of 120 clicks", classroom.lesson_worst),
        )
    ),
    Case("lab-open", "an open laboratory of two hosts, until it takes commands", runs.open_lab),
    Case("lab-step", 'lab.advance("1s") with one flow at 10 Mbit/s', runs.step),
)
