"""The `labkit` command: its arguments and exit status. What each subcommand does is in the files beside this.

Nothing heavy is imported before the subcommand is known.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.errors import LabkitError
from labkit.errors.strangers_text import escaped

OK, FAILED, USAGE, LIMIT, INTERRUPTED = 0, 1, 2, 3, 130

_EPILOG = """exit status: 0 done, 1 an error (one message on stderr) or a command of the experiment failed,
2 wrong usage, 3 the run met its time_limit or wall_limit (what was measured is printed), 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    arguments = _parser().parse_args(argv)
    module = importlib.import_module(f"labkit.cli.{arguments.module}_command")
    try:
        status: int = module.main(arguments)
        sys.stdout.flush()
        return status
    except LabkitError as error:
        return _fail(str(error))
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        return _fail(f"{error.filename or 'labkit'}: {(error.strerror or str(error)).lower()}")
    except KeyboardInterrupt:
        print("labkit: interrupted; nothing of the run is left", file=sys.stderr)
        return INTERRUPTED


def _fail(message: str) -> int:
    print(f"labkit: {escaped(message, lines=True)}", file=sys.stderr)
    return FAILED


def _parser() -> argparse.ArgumentParser:
    about = "Experiments on a real Linux TCP stack, in virtual time, without root."
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("labkit", description=about, epilog=_EPILOG, formatter_class=raw)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_sweep(commands)
    _add_shell(commands)
    _add_doctor(commands)
    _add_kernel(commands)
    _add_cache(commands)
    _add_chapters(commands)
    _add_course(commands)
    return parser


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def _add(commands: Commands, name: str, about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(module=name)
    return parser


def _add_run(commands: Commands) -> None:
    parser = _add(commands, "run", "Run an experiment and print what its flows achieved.")
    parser.add_argument("file", metavar="FILE", help="the experiment: .json, .yaml or .yml")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--no-cache", action="store_true", help="run even if the result is at hand")
    parser.add_argument(
        "--place",
        choices=("wasm", "guest", "host"),
        help="wasm or guest: virtual time, the same numbers (default: the first that is here and can do it); "
        "host: real time",
    )
    parser.add_argument("--save", metavar="PATH", help="keep the whole result: a .zip file or a folder")


_SWEEP_EPILOG = """FILE, for example:
  experiment:                # as for `labkit run`, or the name of such a file
    topology:
      hosts: [left, right]
      links: [{a: left, b: right, rate: 10mbit, delay: 10ms}]
    flows: [{src: left, dst: right, size: 25MB}]
  grid:                      # path of a field: its values
    links.left-right.forward.loss: [0%, 1%, 5%]
    flows.cc: [reno, cubic]
  seeds: 10                  # so many, or a list of them
  measure: [goodput, retransmits, duration]
  refine: {path: links.left-right.forward.loss, points: 5}    # if wanted: more points where it bends

What has been run is not run again: after an interruption the same command continues."""


def _add_sweep(commands: Commands) -> None:
    parser = _add(commands, "sweep", "Run an experiment over a grid and print means with their intervals.")
    parser.epilog, parser.formatter_class = _SWEEP_EPILOG, argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", metavar="FILE", help="the sweep: .json, .yaml or .yml")
    parser.add_argument("--csv", metavar="PATH", help="also write one row per run and flow there")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument(
        "--interval", choices=("t", "bootstrap"), default="t", help="the confidence interval (default: t)"
    )
    parser.add_argument(
        "--workers", type=_positive, metavar="N", help="runs at a time (default: one a processor)"
    )
    parser.add_argument("--no-cache", action="store_true", help="run even what is at hand")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r}: write 1 or more")
    return int(text)


def _add_shell(commands: Commands) -> None:
    parser = _add(commands, "shell", "A terminal in the experiment's network, in real time.")
    parser.add_argument("file", metavar="FILE", help="the experiment: .json, .yaml or .yml")
    parser.add_argument("host", metavar="HOST", nargs="?", help="where it opens (default: the first host)")


def _add_doctor(commands: Commands) -> None:
    parser = _add(commands, "doctor", "What works on this machine, what does not, and what to do about it.")
    parser.add_argument(
        "--calibrate", action="store_true", help="also measure the lab against what was configured"
    )
    parser.add_argument(
        "--security", action="store_true", help="also try to get out of a guest: which walls stand here"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")


def _add_kernel(commands: Commands) -> None:
    parser = _add(commands, "kernel", "The lab kernel: what is built, and where; or build it.")
    parser.set_defaults(action="status", bare=False, wasm=False, native=False)
    actions = parser.add_subparsers(metavar="ACTION")
    status = actions.add_parser("status", help="what is built, and where (default)")
    status.set_defaults(action="status")
    build = actions.add_parser("build", help="build all that experiments run in here, unless it is there")
    build.add_argument("--force", action="store_true", help="build even if it is there")
    build.add_argument(
        "--beside",
        type=int,
        metavar="PID",
        help="say only what is ready, and end when that process ends",
    )
    for one in (status, build):
        one.add_argument("--native", action="store_true", help="only the one in WebAssembly, as a program")
        one.add_argument("--wasm", action="store_true", help="only that one, as a page and node run it")
        one.add_argument("--bare", action="store_true", help="only the one without our patches, for tests")
    build.set_defaults(action="build")


def _add_cache(commands: Commands) -> None:
    parser = _add(commands, "cache", "What labkit keeps for you on disk: its size; or clear it.")
    parser.set_defaults(action="size")
    actions = parser.add_subparsers(metavar="ACTION")
    actions.add_parser("size", help="how much of what (default)").set_defaults(action="size")
    clear = actions.add_parser("clear", help="remove kept results")
    clear.add_argument(
        "--all", action="store_true", help="everything, also the lab kernel, which takes minutes to build"
    )
    clear.set_defaults(action="clear")


def _add_chapters(commands: Commands) -> None:
    parser = _add(commands, "chapters", "Lay the book's chapters out in a folder, to be read and run there.")
    parser.add_argument(
        "folder", metavar="DIR", help="made if need be; what you have changed in it stays as it is"
    )


_COURSE = {
    "release": "write what each student gets: a folder and a zip, with numbers of their own",
    "grade": "run what was handed in, in a sandbox; write grades for any LMS, Moodle and Canvas",
    "feedback": "write a page per student, with the figures of their own network",
    "league": "drive students' congestion controls over public and hidden networks, a table of them",
    "check": "before the release: grade the solution and typical wrong answers",
}


def _add_course(commands: Commands) -> None:
    parser = _add(commands, "course", "Course work: release, grade and check assignments.")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for name, about in _COURSE.items():
        action = actions.add_parser(name, help=about, description=about)
        action.set_defaults(action=name)
        folder = "its folder, such as assignments/01-sick-network"
        if name == "league":
            folder = "the folder of the entries, AUTHOR.c"
        action.add_argument("assignment", metavar="FOLDER", help=folder)
        action.add_argument(
            "--workers", type=_positive, metavar="N", help="students at a time (default: one a processor)"
        )
        if name in ("grade", "check", "league"):
            action.add_argument(
                "--weak-sandbox",
                action="store_true",
                help="also where a wall of the sandbox is missing: only for work that you would run yourself",
            )
        if name == "check":
            action.add_argument(
                "--students", type=_positive, default=5, metavar="N", help="how many (default: 5)"
            )
            continue
        action.add_argument(
            "--course",
            default=".",
            metavar="DIR",
            help="the course's folder, with roster.csv (default: here)",
        )
        if name == "grade":
            action.add_argument(
                "--again", action="store_true", help="run the notebooks anew, too, not only the marking"
            )
