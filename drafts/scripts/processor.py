"""How busy the processors are over throughput: UCL's tenth series, in real time on this machine's own kernel.

`processor.py` writes book/data/ucl/processor.csv. Run it with nothing else to do on the machine: what it
reads, /proc/stat, is of all programs. As root, or where user namespaces are allowed.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator
from pathlib import Path

from labkit import Experiment, Flow, pair, run

OUT = Path(__file__).parents[1] / "book/data/ucl/processor.csv"
RATES_MBIT = (0, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
STACKS = ("reno", "cubic")  # of the published ones, this kernel has the first
LASTS_S = 6
ROUNDS = 5
PACKET = 1448  # bytes of payload


def busy_s() -> float:
    """Processor time (s) that all programs and the kernel have taken so far, all processors added up."""
    fields = [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def measured() -> Iterator[dict[str, float | str]]:
    """A row for each stack, rate and round: processor time over the time that the whole run took."""
    for number in range(ROUNDS):
        for cc in STACKS:
            for rate in RATES_MBIT:
                started, before = time.monotonic(), busy_s()
                goodput = transfer(cc, rate) if rate else rest()
                taken, busy = time.monotonic() - started, busy_s() - before
                packets = goodput * 1e6 / 8 / PACKET * LASTS_S
                yield {
                    "cc": cc,
                    "round": number + 1,
                    "rate_mbit_s": rate,
                    "goodput_mbit_s": round(goodput, 2),
                    "packets": round(packets),
                    "busy_s": round(busy, 3),
                    "taken_s": round(taken, 3),
                }


def transfer(cc: str, rate: int) -> float:
    """Mbit/s of payload over a link of this rate, between two namespaces of this machine."""
    net = pair(rate=rate * 1_000_000, queue="1000p")
    flow = Flow("left", "right", cc=cc, duration=LASTS_S)
    return float(run(Experiment(net, flows=[flow], probes=[]), cache=False, place="host").goodput().iloc[0])


def rest() -> float:
    """As long with nothing sent: what the machine does anyway."""
    time.sleep(LASTS_S)
    return 0.0


def main() -> None:
    rows = list(measured())
    with OUT.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
