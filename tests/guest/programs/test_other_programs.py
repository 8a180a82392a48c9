"""The lab's own traffic against programs that know nothing of it: nuttcp's bulk transfer, curl's download.

Both report their own times, by their own look at the clock: nuttcp in hundredths of a second (0.4 % of the
shortest transfer here), curl in microseconds. nuttcp's connection is there when its time begins, curl's
server writes the head of its answer and the body with two calls, the lab's with one, so that its first
segments are others. 1 % is allowed.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Any

import pytest

from labkit import Command, Experiment, Flow, Requests, dumbbell, run
from labkit.results.result import Result

pytestmark = pytest.mark.truth

BLOCK, BODY = 65_536, 3_000_000
_SERVER = """
import http.server, os, socketserver
os.chdir("/tmp")
http.server.SimpleHTTPRequestHandler.log_message = lambda *words: None
socketserver.TCPServer(("", 8080), http.server.SimpleHTTPRequestHandler).handle_request()
"""


@dataclass(frozen=True)
class Net:
    """A dumbbell: rate and delay of its narrow link."""

    rate: str
    delay: str
    queue: str
    blocks: int  # that nuttcp sends

    def run(self, **fields: Any) -> Result:
        made = dumbbell(rate=self.rate, delay=self.delay, queue=self.queue)
        return run(Experiment(made, probes=[], time_limit="10min", **fields))


NETS = [
    Net("10mbit", "10ms", "100p", 48),
    Net("100mbit", "5ms", "1000p", 480),
    Net("1mbit", "1ms", "20p", 16),
]


def needs(program: str) -> pytest.MarkDecorator:
    """Skipped by name where it is not installed."""
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"no {program}: sudo apt install {program}"
    )


@needs("nuttcp")
@pytest.mark.parametrize("net", NETS, ids=lambda net: f"{net.rate}-{net.delay}")
def test_a_bulk_transfer_takes_as_long_as_nuttcp_says(net: Net) -> None:
    client = f"nuttcp -fparse -n {net.blocks} -l {BLOCK} right"
    theirs = net.run(commands=[Command("right", "nuttcp -1"), Command("left", client, at="1s")])
    said = dict(word.split("=") for word in theirs.output(1).split())
    assert float(said["megabytes"]) * 2**20 == net.blocks * BLOCK
    flow = net.run(flows=[Flow("left", "right", size=net.blocks * BLOCK)]).flows.iloc[0]
    ours_s = flow["last_byte_s"] - flow["established_s"]
    assert ours_s == pytest.approx(float(said["real_seconds"]), rel=0.01)


@needs("curl")
@pytest.mark.parametrize("net", NETS, ids=lambda net: f"{net.rate}-{net.delay}")
def test_a_download_takes_as_long_as_curl_says(net: Net) -> None:
    times = "%{time_pretransfer} %{time_total} %{size_download} %{size_header} %{size_request}"
    server = f"head -c {BODY} /dev/zero > /tmp/data; exec python3 - <<'END'\n{_SERVER}END"
    client = f"curl -s -o /dev/null -w '{times}' http://right:8080/data"
    theirs = net.run(commands=[Command("right", server), Command("left", client, at="1s")])
    sent_s, done_s, body, head, request = map(float, theirs.output(1).split())
    assert body == BODY
    asked = Requests("left", "right", request=int(request), response=int(head + body), count=1)
    ours = net.run(flows=[asked]).requests.iloc[0]
    assert ours["latency_s"] == pytest.approx(done_s - sent_s, rel=0.01)
