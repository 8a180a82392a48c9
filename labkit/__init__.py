"""labkit: experiments on a real Linux TCP stack, in virtual time.

    from labkit import Experiment, Flow, dumbbell, run

The names of the book are here; each is loaded when it is first used.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import lazy_loader

from labkit.results import hooks

if TYPE_CHECKING:
    from labkit.player import Player
    from labkit.results.protocol import Charts, Run
    from labkit.results.result import Result
    from labkit.spec import Experiment

_load, _, __all__ = lazy_loader.attach_stub(__name__, __file__)  # __init__.pyi has the names

_OLD_NAMES: dict[str, tuple[str, str]] = {}
"""Old name -> the new one, and the version that has it first. It goes a release later: book/formats.md."""


def __getattr__(name: str) -> Any:
    if name in _OLD_NAMES:
        new, since = _OLD_NAMES[name]
        text = f"labkit.{name} is labkit.{new} since {since}, and goes with the next release: write that"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return _load(new)
    if name not in __all__:
        raise AttributeError(f"module 'labkit' has no attribute {name!r}")
    return _load(name)


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
