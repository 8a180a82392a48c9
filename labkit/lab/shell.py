"""A terminal inside the network, in real time: the lab kernel without its virtual clock."""

from __future__ import annotations

import os
import signal
import sys

from labkit import units
from labkit.compile.compiler import compile_experiment
from labkit.errors import LabkitError
from labkit.execute.guest.boot import boot
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.machine.process import Content
from labkit.execute.run import visible_files
from labkit.execute.session.hardened import refuse_privileged
from labkit.spec import Command, Experiment


def shell(exp: Experiment, host: str | None = None) -> int:
    """Open a shell on a host (the first one unless named) until it ends. Flows and commands of the
    experiment run meanwhile, in real time. Raises LabkitError when there is no terminal."""
    import termios  # there is none on Windows

    refuse_privileged(exp.commands)
    name = host or exp.topology.names[0]
    exp.topology.node(name)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise LabkitError("labkit shell needs a terminal: run it from one, without redirection")
    prompt = f"PS1='{name}# ' exec sh -i"
    day = units.seconds("20d")
    timed = exp.replace(
        duration=None, time_limit=day, wall_limit=day, commands=[*exp.commands, Command(name, prompt)]
    )
    compiled = compile_experiment(timed, terminal=len(exp.commands))
    memory = memory_mb(Needs.of(exp, compiled))
    settings = termios.tcgetattr(0)
    try:
        files: dict[str, Content] = {"program": compiled.program}
        files |= visible_files.contents(exp, visible_files.digests(exp))
        with boot(files, memory, virtual_time=False, terminal=True) as guest:
            guest.wait()
    finally:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # the guest had the terminal: take it back
        os.tcsetpgrp(0, os.getpgrp())
        termios.tcsetattr(0, termios.TCSANOW, settings)
    return os.EX_OK
