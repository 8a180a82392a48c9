"""Mystery networks: one hidden cause, an engineer's tools, a decision tree that reads them."""

from __future__ import annotations

from labkit.mysteries.causes import CAUSES
from labkit.mysteries.decisions import NOTHING, TREE, Finding, Question, solve
from labkit.mysteries.diagnosis import Diagnosis
from labkit.mysteries.examination import Examination
from labkit.mysteries.game import Game, play
from labkit.mysteries.scenario import Mystery, healthy, mystery

__all__ = [
    "CAUSES",
    "NOTHING",
    "TREE",
    "Diagnosis",
    "Examination",
    "Finding",
    "Game",
    "Mystery",
    "Question",
    "diagnose",
    "healthy",
    "mystery",
    "play",
    "solve",
]


def diagnose(network: Mystery, cause: str, place: str = "") -> Diagnosis:
    """Name what is wrong with a mystery, and where: see Mystery.diagnose."""
    return network.diagnose(cause, place)
