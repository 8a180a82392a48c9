"""A page over HTTP/3, by aioquic in the lab, under loss: book/data/http3, which chapter 30 reads.

`scripts/http3.py` runs all of it, six minutes on one processor. pages.csv has a row per page, one-loss.csv
what had arrived and what could be used, over time, in a run that lost one datagram. A page is an object, then
the others at once. Each has a stream of its own ("streams"), or all others are one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from labkit import Command, DropPackets, Experiment, pair, run
from labkit.results.result import Result
from scripts import programs

ROOT = Path(__file__).parents[1]
DATA = ROOT / "book/data/http3"
FIRST, OTHERS, SIZE = 30_000, 24, 20_000
LOSSES = (0.0, 0.005, 0.01, 0.02, 0.04)
SEEDS = range(1, 31)
ONE_LOSS = 120
"""The number of the datagram that one-loss.csv loses, counted at the link."""


def paths(kind: str) -> list[int]:
    return [FIRST, *([SIZE] * OTHERS if kind == "streams" else [SIZE * OTHERS])]


class Pages:
    """What an experiment shows its commands, in a folder that is there while this is used."""

    def __init__(self, folder: Path) -> None:
        (folder / "site").mkdir()
        programs.certificate(folder / "site", "left")
        (folder / "python").mkdir()
        shown = {"/python": programs.quic(folder / "python"), "/site": folder / "site"}
        self.files = {place: str(path) for place, path in (shown | {"/programs": programs.PROGRAMS}).items()}

    def experiment(self, kind: str, loss: Any, seed: int = 1, **more: Any) -> Experiment:
        """A 10 Mbit/s line of 40 ms there and back, with room for 200 packets. loss: towards the client."""
        serve = f"{programs.PYTHON} /programs/h3_server.py /site/cert.pem /site/key.pem reno"
        sizes = " ".join(f"/{size}" for size in paths(kind))
        ask = f"{programs.PYTHON} /programs/h3_client.py left {sizes}"
        return Experiment(
            pair(rate="10mbit", delay="20ms", queue="200p", loss=loss),
            commands=[Command("left", serve), Command("right", ask, at="2s")],
            files=self.files,
            probes=[],
            seed=seed,
            time_limit="2min",
            **more,
        )


def said(result: Result) -> dict[str, Any]:
    """By the client."""
    client = result.commands.iloc[1]
    if client["status"] != 0:
        raise RuntimeError(client["stderr"])
    page: dict[str, Any] = json.loads(client["stdout"])
    return page


def row(kind: str, loss: float, seed: int, result: Result) -> dict[str, Any]:
    page = said(result)
    done = sorted(one["done_s"] for one in page["objects"])
    asked = page["objects"][1]["asked_s"]
    own = {"connected_s": page["connected_s"], "first_object_s": done[0], "load_s": done[-1]}
    middle = pd.Series([one["done_s"] for one in page["objects"][1:]]).median() - asked
    return {"kind": kind, "loss": loss, "seed": seed} | own | {"median_object_s": middle}


def one_loss(pages: Pages) -> Iterator[dict[str, Any]]:
    """Bytes over time, from the first packet on: payload that has arrived, and what the client could use."""
    for kind in ("streams", "one stream"):
        result = run(pages.experiment(kind, DropPackets([ONE_LOSS]), capture=["right"]), cache=False)
        table = result.packet_table("right").query("protocol == 'udp'")
        start = float(table["time_s"].iloc[0])
        coming = table.query("direction == 'in'")
        for at, size in zip(coming["time_s"] - start, coming["payload"].cumsum(), strict=True):
            yield {"kind": kind, "what": "arrived", "time_s": round(at, 6), "bytes": size}
        steps = [
            (at, after - before)
            for one in said(result)["objects"]
            for (at, after), (_, before) in zip(one["steps"], [(0, 0), *one["steps"]], strict=False)
        ]
        total = 0
        for at, size in sorted(steps):
            total += size
            yield {"kind": kind, "what": "usable", "time_s": at, "bytes": total}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pages = Pages(Path(folder))
        DATA.mkdir(exist_ok=True)
        pd.DataFrame(one_loss(pages)).to_csv(DATA / "one-loss.csv", index=False)
        cases = [
            (kind, loss, seed) for kind in ("streams", "one stream") for loss in LOSSES for seed in SEEDS
        ]
        jobs = 1 if len(sys.argv) < 2 else int(sys.argv[1])
        with ThreadPoolExecutor(jobs) as pool:
            results = pool.map(lambda case: run(pages.experiment(*case), cache=False), cases)
            rows = [row(*case, result) for case, result in zip(cases, results, strict=True)]
            pd.DataFrame(rows).round(6).to_csv(DATA / "pages.csv", index=False)


if __name__ == "__main__":
    main()
