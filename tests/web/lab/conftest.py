"""A site that has the laboratory and no book, three lab programs, and what the place "wasm" makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit import DropPackets, Experiment, Flow, dumbbell, run
from labkit.execute.wasm.linked import Linked
from tests.wasm.experiments import EXPERIMENTS
from tests.web.lab.lab_site import lay

SHORT = Experiment(
    dumbbell(rate="10mbit", delay="10ms", queue="100p", loss=DropPackets((5,))),
    flows=[Flow("left", "right", size="100kB", cc="reno")],
)
PROGRAMS = {
    "short": SHORT,
    "these": EXPERIMENTS["these packets"],
    "long": EXPERIMENTS["CUBIC, 1 % loss, all probes"],
    "hours": Experiment(dumbbell(rate="10mbit"), flows=[Flow("left", "right", duration="20000s")], probes=[]),
}
"""Of 0.3, 3 and 5 s of virtual time; and one that goes on for minutes of any clock."""


@pytest.fixture(scope="session")
def lab_folder(kernel: Linked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site's folder."""
    folder = tmp_path_factory.mktemp("lab")
    lay(folder, PROGRAMS)
    return folder


@pytest.fixture(scope="session")
def digests(kernel: Linked) -> dict[str, str]:
    """SHA-256 of `raw` by program, as the place "wasm" has it: the same kernel outside of a browser."""
    ended = {name: exp for name, exp in PROGRAMS.items() if name != "hours"}
    return {name: run(exp, place="wasm", cache=False).digest() for name, exp in ended.items()}
