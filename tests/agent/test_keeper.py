"""The keeper where the machine gives it no process: it says so, and takes down nobody else."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from labkit.execute.binaries import binaries
from tests.agent.harness import NOBODY

AS_OWNER = 'exec "$0" "$1" -1 -- /bin/true 12<&0 13>&1'


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be a user without processes of its own")
def test_without_a_process_it_says_so_and_leaves_no_folder() -> None:
    place = Path(tempfile.mkdtemp(prefix="labkit-keeper-"))
    try:
        place.chmod(0o777)
        keeper = shutil.copy(binaries().keeper, place / "keeper")
        folder = place / "folder"
        folder.mkdir()
        folder.chmod(0o777)
        done = subprocess.run(
            ["bash", "-c", AS_OWNER, keeper, str(folder)],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            stdin=subprocess.DEVNULL,  # the owner has gone already
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
            check=False,
            timeout=20,
        )
        assert (done.returncode, done.stdout) == (0, "exit 125\n")
        assert done.stderr.startswith("keeper: cannot start another process: ")
        assert not folder.exists()
    finally:
        shutil.rmtree(place)
