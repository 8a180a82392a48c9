"""The switch of book/kernel.md, a host with a bridge: frames cross it, and its VLANs are kept apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import labkit
from labkit.spec import Command, Experiment, Flow
from tests.guest.helpers import fresh

PAGE = (Path(__file__).parents[3] / "book/kernel.md").read_text(encoding="utf-8")
CODE = re.search(r"^### A switch\n.*?```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def switched() -> Experiment:
    assert CODE is not None
    names: dict[str, Any] = {name: getattr(labkit, name) for name in labkit.__all__}
    exec(CODE[1], names)
    exp = names["exp"]
    assert isinstance(exp, Experiment)
    return exp


def test_a_flow_crosses_it_as_frames_and_the_ledger_adds_up(switched: Experiment) -> None:
    result = fresh(switched.replace(capture=["b"], probes=["drops"]))
    assert result.goodput().iloc[0] > 9
    assert result.packet_table("b").query("direction == 'in'")["payload"].sum() >= 1_000_000
    result.ledger()


def test_no_host_routes_what_passes_it(switched: Experiment) -> None:
    near = Command("a", "ping -c 1 -t 1 b", at="10s")
    far = Command("a", "ping -c 1 -W 1 c", at="10s", check=False)
    result = fresh(switched.replace(commands=[*switched.commands, near, far]))
    assert "1 received" in result.output(4)
    assert "0 received" in result.output(5)


def test_its_vlans_are_kept_apart(switched: Experiment) -> None:
    across = switched.replace(flows=[Flow("a", "c", size="1kB")], duration="5s")
    assert fresh(across).flows["received_bytes"].tolist() == [0]
