"""How often each piece of the module is executed. By these counts a compiler makes the program: what runs all
the time is compiled for speed and lies together, the rest for size.

Counted once a module, by a program that counts, in experiments that in virtual time are the same every time.
Later compilers, and those for other machines, read the counts, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from labkit.compile.compiler import compile_experiment
from labkit.execute.artifacts.whole import is_whole, making
from labkit.execute.guest.kernel.tools import run
from labkit.execute.wasm.clang import tools
from labkit.spec import Capture, Experiment, Flow
from labkit.spec.experiment import ALL_PROBES
from labkit.spec.topologies import dumbbell

COUNTING = (
    *("-O1", "-fprofile-instr-generate"),
    # Into a file that is mapped from the start: the program may open none later (native/walls.c)
    *("-mllvm", "-runtime-counter-relocation"),
)

_NAME = "counts.profdata"
_PROGRAM = "lab"
_COUNT = f"LLVM_PROFILE_FILE={{}}%c.profraw ./{_PROGRAM} 64 0 1 </dev/null >/dev/null"


def experiments() -> list[Experiment]:
    """What most chapters do: one flow on a lossy link, looked at closely; many that share a queue."""
    lossy = dumbbell(rate="10mbit", delay="5ms", queue="100p", loss="2%")
    crowd = dumbbell(8, rate="100mbit", delay="10ms", queue="167p")
    algorithms = ("reno", "cubic", "bbr", "cubic")
    return [
        Experiment(
            lossy,
            flows=[Flow("left", "right", cc="reno", size="5MB")],
            probes=ALL_PROBES,
            capture=[Capture(host) for host in ("left", "right")],
        ),
        Experiment(
            crowd,
            flows=[
                Flow(f"left{i}", f"right{i}", cc=algorithms[i % len(algorithms)], duration="10s")
                for i in range(1, 9)
            ],
        ),
    ]


def counted(folder: Path, make: Callable[[Path], object], programs: Sequence[bytes] | None = None) -> Path:
    """The counts that are in this folder, or made now: make() puts a program that counts at a path. programs:
    what it carries out; else the experiments. Raises SetupError, KernelBuildError."""
    if not is_whole(folder):
        if programs is None:
            programs = [compile_experiment(experiment).program for experiment in experiments()]
        with making(folder, (_NAME,)) as room:
            log = room / "counts.log"
            make(room / _PROGRAM)
            for number, content in enumerate(programs):
                (room / "program").write_bytes(content)
                # Its owner is gone at once: it waits for no further one
                run(["sh", "-c", _COUNT.format(number)], room, log=log)
            found = sorted(path.name for path in room.glob("*.profraw"))
            run([tools().counts, "merge", "-o", _NAME, *found], room, log=log)
    return folder / _NAME
