"""`labkit shell`: a terminal in an experiment's network."""

from __future__ import annotations

import argparse

from labkit.spec import Experiment


def main(arguments: argparse.Namespace) -> int:
    """Open it, and return when it is closed. Raises LabkitError, OSError."""
    from labkit.lab.shell import shell

    return shell(Experiment.load(arguments.file), arguments.host)
