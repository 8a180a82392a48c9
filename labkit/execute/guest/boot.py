"""The place "guest": how a User-Mode Linux kernel is started, and which modules are compiled for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from labkit.compile.target import Target
from labkit.errors import SetupError
from labkit.execute.binaries import Binaries, binaries
from labkit.execute.guest.kernel.build import KernelBuild, kernel
from labkit.execute.guest.kernel.config import LOADABLE
from labkit.execute.hardened import refuse_privileged
from labkit.execute.place import Identity
from labkit.execute.process import Content, Process
from labkit.execute.system import require_system
from labkit.spec import Experiment

_BASE_MB = 96
_PER_FLOW_MB = 8
_LARGEST_MB = 4096
_SMALLEST_MB = 128
_SOCKETS = 4096  # places in the tables of TCP and UDP sockets, whose number otherwise follows the memory


def memory_mb(*, flows: int, buffers_kb: int, asked: int | None) -> int:
    """Process memory; the host gives only what is touched."""
    if asked is not None:
        return max(asked >> 20, 64)
    return min(max(_BASE_MB + _PER_FLOW_MB * flows + (buffers_kb >> 9), _SMALLEST_MB), _LARGEST_MB)


def command_line(build: KernelBuild, memory: int, *, virtual_time: bool = True) -> list[str]:
    """The same for every user and run folder: whatever the guest can see must not differ."""
    clock = ["time-travel=inf-cpu", "time-travel-start=1000000000"] if virtual_time else []
    console = ["con=null", "con0=null,fd:1"] if virtual_time else ["con=null", "con0=fd:0,fd:1"]
    return [
        str(build.linux),
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/proc/self/fd/9/",
        "ro",
        f"mem={memory}M",
        "init=/agent",
        *clock,
        "norandmaps",
        "ipv6.disable_ipv6=1",
        f"thash_entries={_SOCKETS}",
        f"uhash_entries={_SOCKETS}",
        "panic=-1",
        *console,
        "quiet",
        "uml_dir=u/",
    ]


class GuestPlace:
    """A Linux kernel of its own in virtual time. It takes an ordinary process, and no privilege."""

    name = "guest"
    virtual_time = True
    what = "a Linux kernel of its own, in virtual time"

    def target(self) -> Target:
        """All of the kernel is the experiment's."""
        return Target()

    def check(self, exp: Experiment) -> None:
        """There is nothing that it cannot do, where it can be and unless it is hardened. Raises
        SetupError, UnsupportedError."""
        require_system()
        refuse_privileged(exp.commands)

    def identity(self) -> Identity:
        """The kernel's release, and what it was built from and how."""
        built = kernel()
        return {"kernel": {"release": built.release, "key": built.key}}

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """As `module_file` finds or compiles them."""
        return {f"module{i}.ko": module_file(name).read_bytes() for i, name in enumerate(names)}

    def start(
        self, files: Mapping[str, Content], *, flows: int, buffers_kb: int, memory: int | None
    ) -> Process:
        """Boot it, with memory for so much unless some was asked for."""
        return boot(files, memory_mb(flows=flows, buffers_kb=buffers_kb, asked=memory))


def boot(
    files: Mapping[str, Content], memory: int, *, virtual_time: bool = True, terminal: bool = False
) -> Process:
    """Start a guest with these files ("program", modules) in its run folder. Raises SetupError."""
    require_system()
    built: KernelBuild = kernel()
    programs: Binaries = binaries()
    environment = {"LD_PRELOAD": str(programs.shim)}
    argv = command_line(built, memory, virtual_time=virtual_time)
    return Process(programs, argv, files, environment=environment, terminal=terminal)


def module_file(name: str) -> Path:
    """An experiment's module compiled for this kernel: a .ko as it is, or C source (a file, or a folder with
    a Kbuild) by path or by the name of one that labkit has, or that the kernel's own source has
    (kernel.config.LOADABLE). Raises SetupError, ModuleBuildError."""
    path = Path(name)
    if path.suffix == ".ko" and path.exists():
        return path
    folder = Path(__file__).parent / "modules"
    own = [folder / stem / f"{stem}.c" for stem in (name, f"lp_{name}")]
    if name in LOADABLE:
        own.append(kernel().tree / "net" / "sched" / f"{name}.c")
    folders = [place for place in (path, folder / name) if (place / "Kbuild").is_file()]
    source = next((place for place in (*folders, path, *own) if place.exists()), None)
    if source is None:
        raise SetupError(f"module {name!r}: no such file, and none of labkit's own: write its path")
    from labkit.execute.guest.kernel.modules import build_module

    return build_module(source, kernel())
