"""Kernel modules of one's own (a congestion control, a device), compiled for the lab kernel."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from labkit.errors import LabkitError, SetupError
from labkit.execute.artifacts import cache, working
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.artifacts.ready import install, ready
from labkit.execute.artifacts.whole import require_as_made
from labkit.execute.guest.kernel.build import KernelBuild
from labkit.execute.guest.kernel.tools import KernelBuildError, lacking_of, run
from labkit.execute.guest.machine_files import SYSTEM
from labkit.execute.guest.walls import NO_LANDLOCK, landlock, warn_of_gaps
from labkit.execute.session.hardened import hardened
from labkit.schema import foreign_files

_TOOLS = ("gcc", "ld", "make")
_PACKAGES = "sudo apt install gcc libc6-dev make"
_PATIENCE_S = 600.0
_MOST = 16 << 20  # bytes of a source file
_NAME = re.compile(r"[A-Za-z0-9_]+")
_NOISE = re.compile(r"make(\[\d+\])?: |  [A-Z]+ +")


class ModuleBuildError(LabkitError):
    """A module does not compile; the message is the compiler's."""


def build_module(source: Path, build: KernelBuild) -> Path:
    """The .ko of a module: one .c file (with the headers beside it), or a folder with a Kbuild file.

    About a second, or nothing when this very content was compiled for this kernel before, or came with it.
    Raises ModuleBuildError with what the compiler said, SetupError.
    """
    source = source.absolute()
    return build_files(contents(source), build, source)


def build_files(files: dict[str, bytes], build: KernelBuild, source: Path) -> Path:
    """The same of files by their names, a Kbuild file among them. source: what messages call them."""
    key = module_key(files, build)
    if found := list((cache.place("modules") / key).glob("*.ko")):
        return found[0]
    if (made := ready()) and (brought := made.module(key)):
        return brought
    _require_what_compiles(source, build)
    folder = cache.folder("modules") / key
    try:
        with working.making(folder.parent) as making:
            return _keep(_compile(source, files, making, build), making, folder)
    except OSError as error:
        raise cache.unusable(error, folder) from None


def _require_what_compiles(source: Path, build: KernelBuild) -> None:
    """Raises SetupError, once for all that is lacking."""
    lacking = lacking_of(_TOOLS)
    packages = [_PACKAGES] if lacking else []
    if not build.tree.is_dir():
        lacking.append(f"the source tree of this ready-made lab kernel (Linux {build.release})")
        packages.append(install("modules"))
    if lacking:
        raise SetupError(
            f"module {source.stem} cannot be compiled without {', '.join(lacking)}: {' and '.join(packages)}"
        )


def contents(source: Path) -> dict[str, bytes]:
    """What the compiler gets, by name."""
    if source.suffix == ".c" and source.is_file():
        if not _NAME.fullmatch(source.stem):
            raise ModuleBuildError(f"{source.name}: a module's name is letters, digits and _")
        paths = [source, *source.parent.glob("*.h")]
        made = {"Kbuild": f"obj-m := {source.stem}.o\n".encode()}
    elif (source / "Kbuild").is_file():
        suffixes = (".c", ".h", ".S")
        paths = [path for path in source.iterdir() if path.suffix in suffixes or path.name == "Kbuild"]
        made = {}
    else:
        raise ModuleBuildError(f"{source}: neither a .c file nor a folder with a Kbuild file")
    return made | {
        path.name: foreign_files.content(path, _MOST, follow=True, refused=ModuleBuildError)
        for path in sorted(paths)
    }


def module_key(files: dict[str, bytes], build: KernelBuild) -> str:
    """A name for what decides a module: its files and the kernel."""
    digest = hashlib.sha256(f"{build.key}\n".encode())
    for name, content in sorted(files.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _compile(source: Path, files: dict[str, bytes], making: Path, build: KernelBuild) -> Path:
    place = making / "source"
    place.mkdir()
    for name, content in files.items():
        (place / name).write_bytes(content)
    log = making / "make.log"
    # What a WARN says of its file is the file's name, wherever it was compiled: the same bytes everywhere.
    flags = f"KCFLAGS=-fmacro-prefix-map={place}/="
    command = ["make", "-C", str(build.tree), "ARCH=um", f"M={place}", flags, "modules"]
    try:
        run([*_walls(source, place, build), *command], place, log=log, patience_s=_PATIENCE_S)
    except TimeoutError:
        raise ModuleBuildError(f"{source}: not compiled within {_PATIENCE_S:g} s") from None
    except KernelBuildError:
        lines = log.read_text().splitlines()
        said = [line for line in lines if not _NOISE.match(line)] or lines
        home = source if source.is_dir() else source.parent
        text = "\n".join(said).replace(f"{place}/", f"{home}/")
        raise ModuleBuildError(f"{source.name} does not compile for Linux {build.release}:\n{text}") from None
    modules = [path for path in place.glob("*.ko") if path.is_file() and not path.is_symlink()]
    if len(modules) != 1:
        raise ModuleBuildError(f"{source}: its Kbuild makes {len(modules)} modules, not one")
    return modules[0]


def _walls(source: Path, place: Path, build: KernelBuild) -> list[str]:
    """The beginning of a command that may read the machine's programs and the kernel's tree, and write in the
    one place. A source is a stranger's: it takes in any file that it names, and make carries out what a
    Kbuild file says. Raises SetupError in the hardened mode where such walls cannot stand."""
    if landlock():
        require_as_made(binaries().confine)
        shown = [*SYSTEM, *_tool_trees(), str(build.tree)]
        return [
            str(binaries().confine),
            str(place),
            *shown,
            "--",
            "env",
            f"TMPDIR={place}",
            "CCACHE_DISABLE=1",
        ]
    if hardened():
        raise SetupError(f"{source}: not compiled in the hardened mode (LABKIT_HARDENED=1): {NO_LANDLOCK}")
    warn_of_gaps()
    return []


def _tool_trees() -> list[str]:
    """Where a compiler of one's own lies (bin/gcc of an environment), unless that is a home."""
    found = {Path(path).resolve().parent.parent for tool in _TOOLS if (path := shutil.which(tool))}
    return [str(tree) for tree in sorted(found) if not Path.home().is_relative_to(tree)]


def _keep(module: Path, making: Path, folder: Path) -> Path:
    """Into its folder by renaming, so that two at once do not collide and half is never whole."""
    whole = making / "whole"
    whole.mkdir()
    shutil.copyfile(module, whole / module.name)
    try:
        os.rename(whole, folder)
    except OSError as error:
        if not (folder / module.name).exists():
            raise SetupError(f"cannot keep {module.name} in {folder}: {error.strerror}") from None
    return folder / module.name
