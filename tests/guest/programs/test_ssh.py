"""OpenSSH and Dropbear in the lab: a keystroke waits for a round trip, or for a lost packet.

The script that types knows its own clock only. Half a millisecond is allowed for its calls and ssh's.
"""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from labkit import Command, Experiment, pair, run
from labkit.results.result import Result
from scripts.programs import needed
from tests.guest.programs import installed

pytestmark = pytest.mark.truth

RTT, CALLS = 0.04, 0.0005
STROKES, EVERY = 100, 0.2


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    installed.or_skip(needed, "ssh", "ssh-keygen", "dropbear", "dropbearkey")
    folder = tmp_path_factory.mktemp("keys")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)
    host = ["dropbearkey", "-t", "ed25519", "-f", str(folder / "host")]
    subprocess.run(host, check=True, capture_output=True)
    (folder / "home").mkdir()
    shutil.copy(folder / "key.pub", folder / "home/authorized_keys")
    return folder


def experiment(keys: Path, loss: str) -> Experiment:
    """The client asks for a terminal: the shell's side of it echoes each letter."""
    options = "-tt -i /tmp/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    shell = f"ssh {options} root@left 'PS1=$ sh -i'"
    client = (
        f"cp /keys/key /tmp/key; chmod 600 /tmp/key; python3 -B -S /programs/keystrokes.py {STROKES} {EVERY}"
    )
    serve = "sh /programs/dropbear.sh /keys/host & sleep 40; kill $!"
    return Experiment(
        pair(rate="10mbit", delay="20ms", queue="200p", loss=loss),
        commands=[Command("left", serve, privileged=True), Command("right", f"{client} {shell}", at="1s")],
        files={
            "/keys": str(keys),
            f"{Path('~root').expanduser()}/.ssh": str(keys / "home"),
            "/programs": str(installed.PROGRAMS),
        },
        capture=["right"],
        probes=[],
        time_limit="2min",
    )


@functools.cache
def typed(keys: Path, loss: str = "0%") -> tuple[Result, np.ndarray]:
    """The run, and what each keystroke waited for its echo, in s."""
    result = run(experiment(keys, loss), cache=False)
    client = result.commands.iloc[1]
    assert client["status"] == 0, client["stderr"]
    times = json.loads(client["stdout"])
    return result, np.subtract(times["echoed_s"], times["typed_s"])


def test_an_echo_takes_a_round_trip(keys: Path) -> None:
    _, waits = typed(keys)
    assert len(waits) == STROKES
    assert (waits >= RTT).all()
    assert (waits < RTT + CALLS).all()


def test_waits_are_those_of_the_packets(keys: Path) -> None:
    """Each letter leaves as a segment, its echo comes as one: in the capture as many pairs, as far apart."""
    result, waits = typed(keys)
    table = result.packet_table("right")
    data = table[(table["payload"] > 0)].reset_index()
    out = data[(data["direction"] == "out")].tail(STROKES)["time_s"].to_numpy()
    back = data[(data["direction"] == "in")].tail(STROKES)["time_s"].to_numpy()
    assert waits == pytest.approx(back - out, abs=CALLS)


def test_loss_makes_a_few_keystrokes_wait_long(keys: Path) -> None:
    """Loss is on the echoes' way. Such a segment is alone on the line: a timeout of 200 ms and more sends it
    again, or the next keystroke's echo, 200 ms later, tells of it."""
    _, calm = typed(keys)
    _, waits = typed(keys, "5%")
    assert np.median(waits) == pytest.approx(np.median(calm), abs=CALLS)
    late = waits > 2 * RTT
    assert 1 <= late.sum() <= 15  # of 100 at 5 %: beyond that one run in ten thousand
    assert waits.max() > 0.2


def test_two_sessions_are_the_same(keys: Path) -> None:
    assert run(experiment(keys, "5%"), cache=False).digest() == typed(keys, "5%")[0].digest()
