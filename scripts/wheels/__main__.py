"""`make wheels`: labkit's sdist and wheel, labkit-kernel for each system, labkit-kernel-tree, and their
source, in dist/.

    python -m scripts.wheels                 all of it
    python -m scripts.wheels --out DIR       elsewhere
    python -m scripts.wheels --no-sources    without that archive, which apt has to fetch a part of
    python -m scripts.wheels --no-others     labkit-kernel for systems with a guest alone
    python -m scripts.wheels --root          in a root of Debian 12, even on Debian 12
    python -m scripts.wheels --of SDIST      only the kernel's, of this sdist instead of what git tracks

On Debian 12 the kernel is the one of this user's cache, built if need be; elsewhere it is built anew, in a
root of Debian 12. Everyone who installs has that one, and recordings are of it; auditwheel refuses it if it
would not start on Ubuntu 22.04.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from labkit.errors import LabkitError
from labkit.execute.artifacts.ready import KERNEL_PACKAGE, TREE_PACKAGE, ready
from labkit.execute.guest.kernel import source
from labkit.execute.guest.kernel.build import KernelBuild, build
from labkit.execute.wasm import linked
from labkit.execute.wasm.linked import Linked
from scripts.wheels import contents, old_root, programs, python_package, sources
from scripts.wheels.packing import ROOT, TooNew, Wheel, pack

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION: str = PROJECT["version"]
PROGRAM = Wheel(
    "labkit-kernel",
    VERSION,
    "The lab kernel of labkit, ready-made: Linux as an ordinary program",
    ("GPL-2.0-only", "MIT"),
)
KERNEL = Wheel(
    "labkit-kernel",
    VERSION,
    "The lab kernel of labkit, ready-made: Linux for User-Mode Linux, with the programs around it",
    ("GPL-2.0-only", "MIT", "LGPL-2.1-or-later"),
    notices=(Path("/usr/share/doc/libc6-dev/copyright"),),  # of glibc, which the agent holds
)
TREE = Wheel(
    "labkit-kernel-tree",
    VERSION,
    "What kernel modules of one's own are compiled against for the lab kernel of labkit",
    ("GPL-2.0-only",),
    (f"labkit-kernel=={VERSION}",),
)


def main() -> None:
    """Make them, and print what each weighs and took."""
    parser = argparse.ArgumentParser("make wheels", description="What pip installs, into dist/.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-sources", action="store_true", help="not the archive of sources")
    parser.add_argument("--no-others", action="store_true", help="not for systems that have no guest")
    parser.add_argument("--root", action="store_true", help="in a root of Debian 12, even on Debian 12")
    parser.add_argument("--of", type=Path, metavar="SDIST", help="only the kernel's, of this sdist")
    asked = parser.parse_args()
    out: Path = asked.out.absolute()
    made = asked.of.absolute() if asked.of else of_checkout(out)
    if asked.root or not old_root.is_here():
        in_root(made, out, [f"--no-{what}" for what in ("sources", "others") if vars(asked)[f"no_{what}"]])
    else:
        of_sdist(made, out, with_sources=not asked.no_sources, with_others=not asked.no_others)


def of_checkout(out: Path) -> Path:
    """labkit's sdist and wheel, in place of all that was made before. Returns the sdist."""
    for old in [*out.glob("labkit*.whl"), *out.glob("labkit*.tar*")]:
        old.unlink()
    made = told(lambda: python_package.sdist(out))
    told(lambda: python_package.wheel(made, out))
    return made


def in_root(sdist: Path, out: Path, options: list[str]) -> None:
    """What of_sdist makes, in a root of Debian 12."""
    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    there = {*out.iterdir()}
    old_root.make(sdist, out, *options)
    for path in sorted({*out.iterdir()} - there):
        tell(path, started)


def of_sdist(made: Path, out: Path, *, with_sources: bool, with_others: bool = True) -> None:
    """The wheels of the kernel, by the compiler of this machine, and the archive of their sources. Raises
    SystemExit with what is lacking, before anything is made."""
    if ready():
        raise SystemExit(
            "labkit-kernel is installed here, and would be packed again: pip uninstall labkit-kernel"
        )
    found, _ = source.find()
    if with_sources and (found is None or found.is_tree):
        raise SystemExit(
            "the archive of sources wants the kernel's tarball: sudo apt install linux-source-6.12"
        )
    try:
        programs.require()
        built, module = build(), linked.make()
        program = programs.made(module, programs.ALSO_IN_GUEST)
        for what, package, fill in kernel_wheels((module, program)):
            told(lambda what=what, package=package, fill=fill: packed(built, what, package, fill, out))  # type: ignore[misc]
        for target in programs.TAGS if with_others else ():
            told(lambda target=target: programs.packed(module, target, PROGRAM, out))  # type: ignore[misc]
    except (TooNew, LabkitError) as error:
        raise SystemExit(str(error)) from None
    if with_sources and found:
        told(lambda: sources.archive(found.path, made, VERSION, out))


Fill = Callable[[KernelBuild, Path], None]


def kernel_wheels(program: tuple[Linked, Path] | None = None) -> list[tuple[Wheel, str, Fill]]:
    """With a guest: each with its package's name and what fills it. program: which the first has, too."""
    what = programs.with_notices(KERNEL, programs.ALSO_IN_GUEST) if program else KERNEL
    kernel_package = partial(contents.kernel_package, program=program)
    return [(what, KERNEL_PACKAGE, kernel_package), (TREE, TREE_PACKAGE, contents.tree_package)]


def packed(built: KernelBuild, what: Wheel, package: str, fill: Fill, out: Path) -> Path:
    """One wheel of the kernel. Raises TooNew."""
    with tempfile.TemporaryDirectory() as staged:
        fill(built, Path(staged) / package)
        return pack(Path(staged), what, out)


def told(make: Callable[[], Path]) -> Path:
    """Makes it and says what it weighs and took."""
    started = time.monotonic()
    path = make()
    tell(path, started)
    return path


def tell(path: Path, started: float) -> None:
    """What it weighs, and the seconds since then."""
    print(f"{path.stat().st_size / 1e6:7.1f} MB {time.monotonic() - started:6.1f} s  {path}", flush=True)


if __name__ == "__main__":
    main()
