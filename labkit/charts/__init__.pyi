"""The figures, and where each is: labkit/charts/__init__.py loads one when it is first used."""

import typing

__all__: list[str]

from .comparison import published as published
from .declared import of_probe as of_probe
from .figure import EmptyFigureError as EmptyFigureError
from .figure import FigureError as FigureError
from .losses import ledger as ledger
from .messages import ladder as ladder
from .network import topology as topology
from .notes import noted as noted
from .parameter import swept as swept
from .queue_length import delay as delay
from .queue_length import queue as queue
from .rates import goodput as goodput
from .rates import share as share
from .round_trips import rtt as rtt
from .seeds import distribution as distribution
from .sequence import time_sequence as time_sequence
from .stack import stacked as stacked
from .windows import cwnd as cwnd

def __getattr__(name: str) -> typing.Any: ...
