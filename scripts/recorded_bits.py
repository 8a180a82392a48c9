"""What the lab kernel gives for the recorded runs of the chapters' widgets, byte for byte: with it a page
that runs one of them can say that it is the same, to the bit.

`python -m scripts.recorded_bits` makes book/data/recorded_bits.json, `... 07 A` the chapters with these
numbers anew. It runs what pages run, in the kernel in WebAssembly; a test makes some of it again.

    {chapter: {widget: {point: [digest of each of its runs]}}}

A digest is the first 16 digits of SHA-256 of `raw`; a point is "0,2", a prediction's is "".
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from labkit import run
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book/extensions"))

from live import bundles, slices  # noqa: E402
from live.planned import plan, with_needs  # noqa: E402

FILE = ROOT / "book/data/recorded_bits.json"
DIGITS = 16

Bits = dict[str, dict[str, list[str]]]


def experiments(stem: str) -> dict[str, dict[str, list[Experiment]]]:
    """What a chapter's widgets run in a page, by widget and point."""
    found: dict[str, dict[str, list[Experiment]]] = {}
    for name, recorded in slices.recorded(stem).items():
        source = bundles.source(stem, recorded)
        if source.lacks:
            continue
        for key, make in source.experiments.items():
            try:
                wanted = [with_needs(exp, source.needs) for exp in make()]
                own = bundles.own_ccs([plan(exp, BUILT_IN) for exp in wanted])
            except (SpecError, UnsupportedError):
                continue  # a page does not run it either
            if own:
                continue  # its kernel is the page's alone
            found.setdefault(name, {})[key] = wanted
    return found


def digest(exp: Experiment) -> str:
    """Of what the kernel gives."""
    raw = run(exp, place="wasm").folder / "raw"
    return hashlib.sha256(raw.read_bytes()).hexdigest()[:DIGITS]


def bits(stem: str) -> Bits:
    """Of a chapter."""
    with slices.forgetting():
        return {
            name: {key: [digest(exp) for exp in exps] for key, exps in points.items()}
            for name, points in experiments(stem).items()
        }


def text(found: dict[str, Bits]) -> str:
    """A widget a line."""
    chapters = []
    for stem, widgets in sorted(found.items()):
        lines = (f"{json.dumps(name)}: {json.dumps(points)}" for name, points in widgets.items())
        chapters.append(f"{json.dumps(stem)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(chapters) + "\n}\n"


def main(numbers: list[str]) -> None:
    """Make them of these chapters, or of all."""
    found = json.loads(FILE.read_text()) if FILE.exists() and numbers else {}
    for stem in slices.stems():
        if not numbers or stem.partition("-")[0] in numbers:
            found[stem] = bits(stem)
            FILE.write_text(text(found), encoding="utf-8")
            print(stem, sum(map(len, found[stem].values())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
