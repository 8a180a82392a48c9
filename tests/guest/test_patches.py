"""The patches of the lab kernel fit the source that this machine has. Nothing is compiled."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

from labkit.execute.guest.kernel import config, source, tree


def test_patches_fit_the_distributions_kernel(tmp_path: Path) -> None:
    found, _ = source.find({})
    if found is None:
        pytest.skip("no kernel source on this machine")
    changed = re.findall(r"^\+\+\+ b/(\S+)", "".join(path.read_text() for path in config.patches()), re.M)
    wanted = tuple(dict.fromkeys(changed))
    with tarfile.open(found.path) as archive:
        for member in archive:
            if member.name.endswith(wanted):
                target = tmp_path / member.name.partition("/")[2]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())  # no filter= in Debian 12's Python
                if all((tmp_path / name).exists() for name in wanted):
                    break
    log = tmp_path / "log"
    tree.apply_patches(tmp_path, config.patches(), log=log)
    tree.apply_patches(tmp_path, config.patches(), log=log)  # a tree that has them stays as it is
    assert "default 1000" in (tmp_path / "arch/um/Kconfig").read_text()
    assert (tmp_path / "arch/um/kernel/time.c").read_text().count("notrace sched_clock(void)") == 1
    assert (tmp_path / "fs/hostfs/hostfs_kern.c").read_text().count("hostfs_kept_dir_iops") == 3
