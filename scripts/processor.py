"""Processor time over throughput: UCL's tenth series, in real time on this machine's own kernel.

`processor.py` writes book/data/ucl/processor.csv. What is counted is the time that the run's own processes
have taken (getrusage), so it may run beside others; the load average stands in each row. Between two
namespaces, as root or where user namespaces are allowed; the reader's rate sets the throughput, as not every
kernel has netem.
"""

from __future__ import annotations

import csv
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from labkit import Command, Experiment, Flow, pair, run

OUT = Path(__file__).parents[1] / "book/data/ucl/processor.csv"
RATES_MBIT = (1, 100, 200, 300, 400, 500, 600, 700, 800, 900)
LASTS_S = 2
ROUNDS = 3
PACKETS_AS_ON_A_WIRE = "ethtool -K eth0 tso off gso off gro off"


def used_s() -> float:
    """Processor time (s) of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured() -> Iterator[dict[str, float | str]]:
    """A row for each round and rate: what was carried, and the processor time that it took."""
    for number in range(ROUNDS):
        for rate in RATES_MBIT:
            before = used_s()
            goodput = transfer(rate)
            yield {
                "cc": "reno",
                "round": number + 1,
                "rate_mbit_s": rate,
                "goodput_mbit_s": round(goodput, 2),
                "lasted_s": LASTS_S,
                "used_s": round(used_s() - before, 3),
                "load_average": round(os.getloadavg()[0], 2),
            }


def transfer(rate: int) -> float:
    """Mbit/s of payload that a reader of this rate takes, between two namespaces of this machine."""
    flow = Flow("left", "right", cc="reno", duration=LASTS_S, read_rate=rate * 1_000_000)
    whole = [Command(host, PACKETS_AS_ON_A_WIRE) for host in ("left", "right")]
    exp = Experiment(pair(), flows=[flow], commands=whole, probes=[])
    return float(run(exp, cache=False, place="host").goodput().iloc[0])


def main() -> None:
    time.sleep(1)  # what began with this program is over
    rows = list(measured())
    with OUT.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
