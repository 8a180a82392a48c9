"""What commands see of files=: the same bytes from whoever runs them, when, where, under whatever umask."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit.results.run import run
from labkit.spec import Command, Experiment
from labkit.spec.topologies import pair
from tests.guest.furnish import furnish, python
from tests.guest.kernel.test_determinism import DIGEST, allowed, digest_of, load

SEEN = """cd /data; stat . * sub/* run; ls -laiR --time-style=full-iso; ls -U . sub; find . -ls
find . -printf '%p %D %i %b\\n'; stat -c '%W %X %Y %Z %u %g %U %h %a %s %b %o' . *; cat sub/z run
df . | tail -1; find . -newer run; stat /one; cat /one; id"""
UNDER_UMASK = "import os, sys; os.umask(int(sys.argv[2], 8))\n" + DIGEST


def made(folder: Path) -> Path:
    """Two hundred names, so that a disk's own order is no order; a program; links; folders in folders."""
    (folder / "sub" / "deep").mkdir(parents=True)
    for i in range(200):
        (folder / f"{i * 7919 % 1000:03}").write_text("x" * (i % 5) * 3000)
    (folder / "sub" / "z").write_text("content\n")
    (folder / "run").write_text("#!/bin/sh\necho it runs\n")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("sub/z")
    (folder / "astray").symlink_to("/etc/shadow")
    return folder


def looked(source: Path) -> Experiment:
    commands = [
        Command("left", SEEN),
        Command("right", "/data/run; cat /data/link; touch /data/x", at="0.1s"),
    ]
    return Experiment(
        pair(), files={"/data": source, "/one": source / "run"}, commands=commands, duration="0.2s"
    )


@pytest.fixture(scope="module")
def source() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="labkit-shown-"))
    folder.chmod(0o755)
    looked(made(folder / "data")).save(folder / "experiment.json")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def expected(source: Path) -> str:
    result = run(looked(source / "data"), cache=False)
    assert result.output("right") == "it runs\ncontent\n"
    assert "Read-only file system" in str(result.commands["stderr"].iloc[1])
    said = result.output("left")
    assert set(re.findall(r"Uid: \( *(\d+)/", said)) == {"0"} and str(time.gmtime().tm_year) not in said
    assert set(re.findall(r"(?:Modify|Change|Access): (\d{4})", said)) == {"1970"}
    names = [line for line in said.partition("\n.:\n")[2].splitlines() if re.fullmatch(r"\d{3}", line)]
    assert len(names) == 200 and names == sorted(names)
    return result.digest()


@pytest.mark.parametrize("umask", ["000", "077", "137", "777"])
def test_the_umask_makes_no_difference(expected: str, source: Path, umask: str) -> None:
    assert digest_of(python(UNDER_UMASK, str(source / "experiment.json"), umask)) == expected


def test_language_zone_and_places_make_no_difference(expected: str, source: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "TMPDIR": str(tmp_path),
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "C",
        "TZ": "Pacific/Chatham",
        "USER": "x",
    }
    assert (
        digest_of(python(DIGEST, str(source / "experiment.json"), LABKIT_RUNS=str(tmp_path), **settings))
        == expected
    )


def test_load_makes_no_difference(expected: str, source: Path) -> None:
    with load():
        assert run(looked(source / "data"), cache=False).digest() == expected


def test_the_same_files_elsewhere_make_no_difference(expected: str, source: Path) -> None:
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if os.access(shm, os.W_OK) else None) as other:
        before = os.umask(0o077)
        try:
            copy = made(Path(other) / "another")
        finally:
            os.umask(before)
        assert run(looked(copy), cache=False).digest() == expected


def test_another_user_sees_the_same(expected: str, source: Path) -> None:
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
    if os.geteuid() != 0 or not allowed(*prefix):
        pytest.skip("needs root and setpriv to be somebody else")
    if not allowed(*prefix, sys.executable, "-c", "import labkit.results.run"):
        pytest.skip("the interpreter is in a folder that nobody else may read")
    cache = Path(tempfile.mkdtemp(prefix="labkit-cache-"))
    try:
        furnish(cache)
        for folder in (cache, *((cache / name) for name in ("runs", "results", "modules"))):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o777)
        home: dict[str, Any] = {"HOME": "/nonexistent", "LABKIT_CACHE": str(cache), "USER": "nobody"}
        assert digest_of(python(DIGEST, str(source / "experiment.json"), prefix=prefix, **home)) == expected
    finally:
        shutil.rmtree(cache)
