"""Many users, one kernel: a folder of root's that all read and none may write."""

from __future__ import annotations

import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench import classroom
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.spec.topologies import pair

CODE = """
import sys
from labkit import Experiment, run
from labkit.spec.topologies import pair
result = run(Experiment(pair(), duration="1ms", probes=[]), place=sys.argv[1], cache=False)
print(result.place, result.digest())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
def test_users_of_one_kernel_that_none_may_write_get_the_same_bytes_at_the_same_time(
    each_kernel: str,
) -> None:
    students = 6
    try:
        with classroom.users(students) as users, ThreadPoolExecutor(students) as pool:
            said = list(pool.map(lambda user: user.run("-c", CODE, each_kernel), users))
            kept = [user.home for user in users]
            shared = users[0].shared
            found = {(path.stat().st_uid, path.stat().st_mode & 0o222) for path in shared.rglob("*")}
            left = [path for home in kept for path in home.rglob("runs/*")]
    except RuntimeError as error:
        pytest.skip(str(error))
    mine = run(Experiment(pair(), duration="1ms", probes=[]), cache=False)
    assert said == [f"{each_kernel} {mine.digest()}"] * students
    assert found == {(0, 0)}
    assert left == []


def test_what_is_compiled_into_a_shared_place_can_be_read_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.KERNEL, str(tmp_path))
    if subprocess.run(["cc", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("no compiler here")
    binaries.cache_clear()
    try:
        made = binaries().keeper.parent
    finally:
        binaries.cache_clear()
    assert made.is_relative_to(tmp_path)
    for path in (made, *made.rglob("*")):
        wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
        assert path.stat().st_mode & wanted == wanted, path
