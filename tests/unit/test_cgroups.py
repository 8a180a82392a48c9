"""Limits of control groups, read from files of both versions. Real groups: tests/host/test_quotas.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.doctor import checkup
from labkit.execute.machine import cgroups, processors


def proc(tmp_path: Path, groups: str, *mounts: str) -> Path:
    """A /proc/self. mounts: "ROOT KIND OPTIONS FOLDER", mounted at that folder of tmp_path."""
    folder = tmp_path / "proc"
    folder.mkdir()
    (folder / "cgroup").write_text(groups)
    lines = ["22 1 0:20 / /proc rw,nosuid - proc proc rw"]
    for mount in mounts:
        root, kind, options, name = mount.split()
        point = str(tmp_path / name).replace(" ", "\\040")
        lines.append(f"30 22 0:26 {root} {point} rw shared:9 - {kind} {kind} {options}")
    (folder / "mountinfo").write_text("\n".join(lines) + "\n")
    return folder


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content + "\n")


def test_the_least_quota_of_our_group_and_those_above_it_holds(tmp_path: Path) -> None:
    self = proc(tmp_path, "0::/user/ada/kernel\n", "/ cgroup2 rw cg")
    write(tmp_path / "cg/user/ada/kernel", cpu__max="max 100000", memory__max="max")
    write(tmp_path / "cg/user/ada", cpu__max="150000 100000", memory__max="1073741824")
    write(tmp_path / "cg/user", cpu__max="400000 100000", memory__max="8589934592")
    assert cgroups.cpu_quota(self) == 1.5
    assert cgroups.memory_limit(self) == 1 << 30


def test_a_limit_of_the_group_that_we_are_in_is_seen_in_a_container_where_it_is_the_root(
    tmp_path: Path,
) -> None:
    self = proc(tmp_path, "0::/\n", "/ cgroup2 rw cg")
    write(tmp_path / "cg", cpu__max="50000 100000", memory__max="536870912")
    assert (cgroups.cpu_quota(self), cgroups.memory_limit(self)) == (0.5, 512 << 20)


def test_version_1_in_a_container_is_mounted_from_its_own_group_on(tmp_path: Path) -> None:
    groups = "5:memory:/docker/c0ffee\n4:cpu,cpuacct:/docker/c0ffee\n0::/docker/c0ffee\n"
    mounts = ["/docker/c0ffee cgroup rw,cpu,cpuacct cpu", "/docker/c0ffee cgroup rw,memory memory"]
    self = proc(tmp_path, groups, *mounts)
    write(tmp_path / "cpu", cpu__cfs_quota_us="250000", cpu__cfs_period_us="100000")
    write(tmp_path / "memory", memory__limit_in_bytes="268435456")
    assert (cgroups.cpu_quota(self), cgroups.memory_limit(self)) == (2.5, 256 << 20)


def test_version_1_says_no_limit_by_minus_one_and_by_a_huge_number(tmp_path: Path) -> None:
    mounts = ["/ cgroup rw,cpu cpu", "/ cgroup rw,memory memory"]
    self = proc(tmp_path, "5:memory:/a\n4:cpu:/a\n", *mounts)
    for folder in ("", "a"):
        write(tmp_path / "cpu" / folder, cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
        write(tmp_path / "memory" / folder, memory__limit_in_bytes="9223372036854771712")
    assert (cgroups.cpu_quota(self), cgroups.memory_limit(self)) == (None, None)


def test_a_mount_point_with_a_blank_is_found(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    self = proc(tmp_path / "a b", "0::/x\n", "/ cgroup2 rw cg")
    write(tmp_path / "a b/cg/x", cpu__max="100000 100000")
    assert cgroups.cpu_quota(self) == 1.0


@pytest.mark.parametrize("groups", ["", "0::/\n", "4:cpu:/a\n"])
def test_without_groups_or_their_mounts_there_is_no_limit(tmp_path: Path, groups: str) -> None:
    self = proc(tmp_path, groups)
    assert (cgroups.cpu_quota(self), cgroups.memory_limit(self)) == (None, None)
    assert cgroups.cpu_quota(tmp_path / "nowhere") is None


@pytest.mark.parametrize(("quota", "number"), [("50000", 1), ("150000", 2), ("200000", 2), ("900000", 3)])
def test_a_part_of_a_processor_counts_as_one_and_more_than_there_are_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str, number: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    self = proc(tmp_path, "0::/\n", "/ cgroup2 rw cg")
    write(tmp_path / "cg", cpu__max=f"{quota} 100000")
    assert processors.number(self) == number


def test_a_thread_knows_on_which_processor_it_is() -> None:
    allowed = os.sched_getaffinity(0)
    try:
        for cpu in allowed:
            os.sched_setaffinity(0, {cpu})
            assert processors.here() == cpu
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize(
    ("limit", "state", "said"),
    [(None, "ok", "no limit"), (256 << 20, "note", "256 MiB"), (1 << 30, "ok", "1024 MiB, by a cgroup's")],
)
def test_doctor_names_the_limit_of_memory_and_whether_it_will_do(
    monkeypatch: pytest.MonkeyPatch, limit: int | None, state: str, said: str
) -> None:
    monkeypatch.setattr(cgroups, "memory_limit", lambda: limit)
    check = checkup._memory()
    assert (check.state, said in check.found, bool(check.todo)) == (state, True, state == "note")


def test_doctor_names_a_quota_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "cpu_quota", lambda: 0.5)
    monkeypatch.setattr(processors, "cpu_quota", lambda _: 0.5)
    assert checkup._processors().found.startswith("1, by a cgroup's quota of 0.5")
