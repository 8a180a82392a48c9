"""The place "guest": how a User-Mode Linux kernel is started, and which modules are compiled for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from labkit.compile.target import Target
from labkit.errors import SetupError
from labkit.execute.artifacts.binaries import Binaries, binaries
from labkit.execute.artifacts.ready import ready
from labkit.execute.artifacts.whole import require_as_made
from labkit.execute.guest.computing import end_computing
from labkit.execute.guest.kernel.build import BARE, GUEST, KernelBuild, kernel, tree_of
from labkit.execute.guest.kernel.config import LOADABLE
from labkit.execute.guest.machine_files import SYSTEM, listed
from labkit.execute.guest.walls import warn_of_gaps
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.machine.process import Content, Process
from labkit.execute.machine.system import require_system
from labkit.execute.machine.turns import Processor
from labkit.execute.place import Identity
from labkit.execute.session.hardened import refuse_privileged
from labkit.schema import foreign_files
from labkit.spec import Experiment
from labkit.spec.custom_cc import find as written

MODULES = Path(__file__).parent / "modules"
"""labkit's own, in C."""

_MOST = 1 << 30  # bytes of a module: the largest that the compiler may write
_SOCKETS = 4096  # places in the tables of TCP and UDP sockets, whose number otherwise follows the memory


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
    """A Linux kernel of its own in virtual time. It takes an ordinary process, and no privilege.

    bare: the kernel as its makers have it, to see what our patches change. Then its clock moves when it is
    looked at, it ticks 100 times a second, and no two runs are the same to the nanosecond.
    """

    name = "guest"
    virtual_time = True
    what = "a Linux kernel of its own, in virtual time"

    def __init__(self, *, bare: bool = False) -> None:
        self.bare = bare

    def target(self) -> Target:
        """All of the kernel is the experiment's."""
        return Target()

    def check(self, exp: Experiment) -> None:
        """There is nothing that it cannot do, where it can be and unless it is hardened. Raises
        SetupError, UnsupportedError."""
        require_system()
        refuse_privileged(exp.commands)

    def ready(self, beat: Callable[[], object] | None = None) -> None:
        """For the kernel: JupyterLab starts beside its build."""
        kernel(BARE if self.bare else GUEST, beat)

    def identity(self) -> Identity:
        """The kernel's release, and what it was built from and how."""
        built = kernel(BARE if self.bare else GUEST)
        return {"kernel": {"release": built.release, "key": built.key}}

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """As `module_file` finds or compiles them."""
        files = (module_file(name, bare=self.bare) for name in names)
        return {
            f"module{i}.ko": foreign_files.content(file, _MOST, follow=True) for i, file in enumerate(files)
        }

    def start(
        self, files: Mapping[str, Content], needs: Needs, processor: Processor | None = None
    ) -> Process:
        """Boot it, with memory for so much unless some was asked for."""
        return boot(files, memory_mb(needs), bare=self.bare, processor=processor)

    def end_computing(self, running: Process) -> bool:
        """One that makes no system call: the guest's clock stands for all others. Takes 0.2 s."""
        return end_computing(running.pid)


def boot(
    files: Mapping[str, Content],
    memory: int,
    *,
    virtual_time: bool = True,
    terminal: bool = False,
    shown: Sequence[str] = (),
    bare: bool = False,
    processor: Processor | None = None,
) -> Process:
    """Start a guest with these files ("program", modules) in its run folder. shown: folders and files of this
    machine that it can read besides its system's own. processor: as of a Process. Raises SetupError."""
    require_system()
    built: KernelBuild = kernel(BARE if bare else GUEST)
    programs: Binaries = binaries()
    require_as_made(built.linux, programs.keeper, programs.shim, programs.agent)
    environment = {"LD_PRELOAD": str(programs.shim)}
    argv = command_line(built, memory, virtual_time=virtual_time)
    files = {**files, "machine": listed()}
    guest = Process(
        programs,
        argv,
        files,
        environment=environment,
        terminal=terminal,
        shown=[*SYSTEM, *shown],
        processor=processor,
    )
    warn_of_gaps()  # while it boots
    return guest


def module_file(name: str, *, bare: bool = False) -> Path:
    """An experiment's module compiled for this kernel: one written with %%cc, by its name; a .ko as it is; or
    C source (a file, or a folder with a Kbuild) by path or by the name of one that labkit has, or that the
    kernel's own source has (kernel.config.LOADABLE). Raises SetupError, ModuleBuildError."""
    if mine := written(name):
        from labkit.execute.guest.custom_cc.compiling import module_of

        return module_of(mine, kernel(BARE if bare else GUEST))
    path = Path(name)
    if path.suffix == ".ko" and path.exists():
        return path
    folder, kind = MODULES, BARE if bare else GUEST
    own = [folder / stem / f"{stem}.c" for stem in (name, f"lp_{name}")]
    if name in LOADABLE:
        built = kernel(kind)
        if (made := ready()) and made.key == built.key and (brought := made.module(name)):
            return brought
        own.append(tree_of(built) / "net" / "sched" / f"{name}.c")
    folders = [place for place in (path, folder / name) if (place / "Kbuild").is_file()]
    source = next((place for place in (*folders, path, *own) if place.exists()), None)
    if source is None:
        known = "no such file, and none of labkit's own"
        raise SetupError(f"module {name!r}: {known}: write its path, or run the cell that begins %%cc {name}")
    from labkit.execute.guest.kernel.modules import build_module

    return build_module(source, kernel(kind))
