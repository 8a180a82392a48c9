"""The agent's C files: who calls whom, by what each of them defines and what it lacks."""

from __future__ import annotations

import graphlib
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from labkit.execute.artifacts.binaries import AGENT, FLAGS


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """File -> the files whose functions or variables it uses, without .c."""
    folder = tmp_path_factory.mktemp("objects")
    sources = sorted(AGENT.glob("*.c"))
    subprocess.run(["cc", *FLAGS, "-O0", "-c", *map(str, sources)], cwd=folder, check=True)
    defined: dict[str, str] = {}
    lacks: defaultdict[str, set[str]] = defaultdict(set)
    for source in sources:
        command = ["nm", "--extern-only", "--format=posix", f"{source.stem}.o"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            symbol, kind = line.split()[:2]
            if kind == "U":
                lacks[source.stem].add(symbol)
            else:
                assert defined.setdefault(symbol, source.stem) == source.stem
    return {s.stem: {defined[name] for name in lacks[s.stem] if name in defined} for s in sources}


def test_no_file_calls_into_one_that_calls_into_it(calls: dict[str, set[str]]) -> None:
    assert list(graphlib.TopologicalSorter(calls).static_order())[-1] == "main"


def test_what_all_need_needs_little(calls: dict[str, set[str]]) -> None:
    assert calls["state"] == {"raw", "clock"}
    assert calls["clock"] == {"loop"}
    assert calls["raw"] | calls["loop"] | calls["init"] | calls["isolate"] | calls["mask"] == set()


def test_a_kind_of_record_is_known_to_the_table_alone(calls: dict[str, set[str]]) -> None:
    users: defaultdict[str, set[str]] = defaultdict(set)
    for user, used in calls.items():
        for name in used:
            users[name].add(user)
    for kind in ("kernel", "inject"):  # they do nothing at the beginning or end of a run
        assert users[kind] == {"steps"}
    assert users["tcp"] == users["udp"] == {"flow"}
    assert users["steps"] == {"run", "main"}


def test_every_file_says_first_what_lives_in_it() -> None:
    sources: list[Path] = sorted(AGENT.iterdir())
    assert [path.name for path in sources if not path.read_text().startswith("/* ")] == []
    assert [path.name for path in sources if len(path.read_text().splitlines()) > 300] == []
