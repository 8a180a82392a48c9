"""labkit: experiments on a real Linux TCP stack, in virtual time.

    from labkit import Experiment, Flow, dumbbell, run

The names of the book are here; each is loaded when it is first used.
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

from labkit.results import hooks

if TYPE_CHECKING:
    from labkit.errors import AgentError as AgentError
    from labkit.errors import CellError as CellError
    from labkit.errors import LabKernelError as LabKernelError
    from labkit.errors import LabkitError as LabkitError
    from labkit.errors import LimitReached as LimitReached
    from labkit.errors import SetupError as SetupError
    from labkit.errors import SpecError as SpecError
    from labkit.errors import UnsupportedError as UnsupportedError
    from labkit.execute.guest.kernel.reading import kernel_source as kernel_source
    from labkit.lab.callbacks import callbacks as callbacks
    from labkit.lab.compile_cc import compile_cc as compile_cc
    from labkit.lab.laboratory import Lab as Lab
    from labkit.mysteries import diagnose as diagnose
    from labkit.mysteries import healthy as healthy
    from labkit.mysteries import mystery as mystery
    from labkit.mysteries import play as play
    from labkit.player import Player as Player
    from labkit.results.packets import read_capture as read_capture
    from labkit.results.protocol import Charts, Run
    from labkit.results.result import Result as Result
    from labkit.results.run import run as run
    from labkit.spec import Background as Background
    from labkit.spec import Call as Call
    from labkit.spec import Capture as Capture
    from labkit.spec import Change as Change
    from labkit.spec import Command as Command
    from labkit.spec import ContinuousGilbertElliott as ContinuousGilbertElliott
    from labkit.spec import Direction as Direction
    from labkit.spec import DropPackets as DropPackets
    from labkit.spec import EveryNth as EveryNth
    from labkit.spec import Experiment as Experiment
    from labkit.spec import Exponential as Exponential
    from labkit.spec import Flow as Flow
    from labkit.spec import GilbertElliott as GilbertElliott
    from labkit.spec import Host as Host
    from labkit.spec import Interactive as Interactive
    from labkit.spec import Link as Link
    from labkit.spec import Nic as Nic
    from labkit.spec import NicChange as NicChange
    from labkit.spec import OnOff as OnOff
    from labkit.spec import Pareto as Pareto
    from labkit.spec import Parity as Parity
    from labkit.spec import Pings as Pings
    from labkit.spec import Poisson as Poisson
    from labkit.spec import Queue as Queue
    from labkit.spec import QueueClass as QueueClass
    from labkit.spec import RandomLoss as RandomLoss
    from labkit.spec import ReedSolomon as ReedSolomon
    from labkit.spec import Repetition as Repetition
    from labkit.spec import Requests as Requests
    from labkit.spec import Server as Server
    from labkit.spec import Stream as Stream
    from labkit.spec import SysctlChange as SysctlChange
    from labkit.spec import Topology as Topology
    from labkit.spec import Trace as Trace
    from labkit.spec import Trains as Trains
    from labkit.spec import Tunnel as Tunnel
    from labkit.spec import WebObject as WebObject
    from labkit.spec import WebPage as WebPage
    from labkit.spec.topologies import dumbbell as dumbbell
    from labkit.spec.topologies import pair as pair
    from labkit.spec.topologies import parking_lot as parking_lot
    from labkit.spec.topologies import star as star
    from labkit.spec.topologies import tree as tree
    from labkit.sweeps import Refine as Refine
    from labkit.sweeps import Sweep as Sweep
    from labkit.sweeps import SweepFile as SweepFile
    from labkit.sweeps import sweep as sweep
    from labkit.sweeps.trial import trial as trial
    from labkit.widgets import Choice as Choice
    from labkit.widgets import Slider as Slider
    from labkit.widgets import Toggle as Toggle
    from labkit.widgets import explore as explore
    from labkit.widgets import predict as predict

_ERRORS = "AgentError CellError LabKernelError LabkitError LimitReached SetupError SpecError UnsupportedError"
_SPEC = (
    "Background Call Capture Change Command ContinuousGilbertElliott Direction DropPackets "
    "EveryNth Experiment Exponential Flow GilbertElliott Host Interactive Link Nic NicChange "
    "OnOff Pareto Parity Pings Poisson Queue QueueClass RandomLoss ReedSolomon Repetition "
    "Requests Server Stream SysctlChange Topology Trace Trains Tunnel WebObject WebPage"
)
_SWEEP = "Refine Sweep SweepFile sweep"
_MYSTERIES = "diagnose healthy mystery play"
_WIDGETS = "Choice Slider Toggle explore predict"
_HOME = {
    **dict.fromkeys(_ERRORS.split(), "labkit.errors"),
    **dict.fromkeys(_SPEC.split(), "labkit.spec"),
    **dict.fromkeys(("dumbbell", "pair", "parking_lot", "star", "tree"), "labkit.spec.topologies"),
    **dict.fromkeys(_SWEEP.split(), "labkit.sweeps"),
    **dict.fromkeys(_MYSTERIES.split(), "labkit.mysteries"),
    **dict.fromkeys(_WIDGETS.split(), "labkit.widgets"),
    "run": "labkit.results.run",
    "Lab": "labkit.lab.laboratory",
    "callbacks": "labkit.lab.callbacks",
    "compile_cc": "labkit.lab.compile_cc",
    "kernel_source": "labkit.execute.guest.kernel.reading",
    "Result": "labkit.results.result",
    "read_capture": "labkit.results.packets",
    "trial": "labkit.sweeps.trial",
}
__all__ = sorted([*_HOME, "charts"])

_OLD_NAMES: dict[str, tuple[str, str]] = {}
"""Old name -> the new one, and the version that has it first. It goes a release later: book/formats.md."""


def __getattr__(name: str) -> Any:
    if name in _OLD_NAMES:
        new, since = _OLD_NAMES[name]
        text = f"labkit.{name} is labkit.{new} since {since}, and goes with the next release: write that"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    if name not in _HOME:
        raise AttributeError(f"module 'labkit' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def _charts(result: Run) -> Charts:
    """`result.charts`, which stands to the right of results."""
    from labkit.charts.accessor import RunCharts  # with altair, when the first figure is asked for

    return RunCharts(result)


def _rerun(exp: Experiment) -> Result:
    """What runs an experiment again, which a Result does not know how to."""
    from labkit.results.run import run as run_again

    return run_again(exp)


def _player(result: Result, **options: Any) -> Player:
    """`result.player`, which stands to the right of results, too."""
    from labkit.player import player

    return player(result, **options)


hooks.charts = _charts
hooks.player = _player
hooks.rerun = _rerun


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext labkit`: the cell magics %%on and %%cc, and charts that need no other host."""
    from labkit.charts import theme, vega
    from labkit.lab.cc_magic import CcMagic
    from labkit.lab.magics import OnMagic

    vega.enable()
    theme.enable()
    shell.register_magics(OnMagic)
    shell.register_magics(CcMagic)
