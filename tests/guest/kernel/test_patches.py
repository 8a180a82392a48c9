"""The patches of the lab kernel fit the source that this machine has. Nothing is compiled."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from labkit.execute.guest.kernel import config, source, tree
from labkit.execute.wasm.kernel import wasm_kernel


def patched(patches: Sequence[Path], tree_at: Path) -> None:
    """What they change of this machine's source, patched; twice: a tree that has them stays as it is."""
    found, _ = source.find({})
    if found is None:
        pytest.skip("no kernel source on this machine")
    patches = [path for path in patches if config.is_for(path, found.version)]
    changed = re.findall(r"^--- a/(\S+)", "".join(path.read_text() for path in patches), re.M)
    wanted = tuple(dict.fromkeys(changed))
    with tarfile.open(found.path) as archive:
        for member in archive:
            if member.name.partition("/")[2] in wanted:
                target = tree_at / member.name.partition("/")[2]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())  # no filter= in Debian 12's Python
                if all((tree_at / name).exists() for name in wanted):
                    break
    for _ in range(2):
        tree.apply_patches(tree_at, patches, log=tree_at / "log")


def test_patches_fit_the_distributions_kernel(tmp_path: Path) -> None:
    patched(config.patches(), tmp_path)
    assert "default 1000" in (tmp_path / "arch/um/Kconfig").read_text()
    assert (tmp_path / "arch/um/kernel/time.c").read_text().count("notrace sched_clock(void)") == 1
    assert (tmp_path / "fs/hostfs/hostfs_kern.c").read_text().count("hostfs_kept_dir_iops") == 3


def test_those_of_the_kernel_in_webassembly_fit_what_those_of_the_guest_have_left(tmp_path: Path) -> None:
    found, _ = source.find({})
    if found is not None and found.version[:2] != wasm_kernel.VERSION:
        pytest.skip("the kernel in WebAssembly is made of Linux 6.12")
    patched(wasm_kernel.patches(), tmp_path)
    assert (tmp_path / "include/linux/skbuff.h").read_text().count("as_on_64_bits") == 2
    assert "max_t(s64, -toks, -ptoks)" in (tmp_path / "net/sched/sch_tbf.c").read_text()
