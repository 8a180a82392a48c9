"""A page's scripts, run by node: questions in, answers out."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from labkit.spec import custom_cc
from tests.site import extension

if TYPE_CHECKING:
    from live.planned import Plan

slices = extension("live.slices")

ROOT = Path(__file__).parents[3]
SCRIPTS = ("web/programs", "web/lab", "labkit/execute/wasm/machine")


class Page:
    """node with the scripts of a site's `_static/lab`; use it in a with statement."""

    def __init__(self, lab: Path) -> None:
        self._lab = lab

    def __enter__(self) -> Page:
        command = ["node", str(Path(__file__).with_name("answers.mjs")), str(self._lab)]
        self._node = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.close()
        self._node.wait(60)
        self._node.stdout.close()

    def ask(self, chapter: str, name: str, **more: Any) -> Any:
        """Raises LookupError with what a reader would be told."""
        return self.put({"chapter": chapter, "name": name, **more})

    def compile(self, experiment: Any, own: Sequence[str] = ()) -> Any:
        """An experiment's JSON, compiled in the page for a kernel with these congestion controls. Raises
        LookupError."""
        return self.put({"experiment": experiment, "own": own})

    def put(self, question: dict[str, Any]) -> Any:
        assert self._node.stdin
        assert self._node.stdout
        self._node.stdin.write(f"{json.dumps(question)}\n")
        self._node.stdin.flush()
        answer = json.loads(self._node.stdout.readline())
        if "error" in answer:
            raise LookupError(answer["error"])
        return answer["is"]


@contextmanager
def knowing(own: Iterable[str]) -> Iterator[None]:
    """Experiments may take these congestion controls, as in a page of their chapter."""
    with slices.forgetting():
        for name in own:
            custom_cc.know(custom_cc.CustomCC(name, "", 1, ""))
        yield


def same(planned: Any, plan: Plan) -> None:
    """The page's plan is this one: every byte, and every value as JavaScript reads it, with 53 bits."""
    assert bytes.fromhex(planned["program"]) == plan.program
    text = json.dumps(plan.manifest)
    assert planned["manifest"] == json.loads(text, parse_int=lambda digits: _small(int(digits)))
    assert planned["memory_mb"] == plan.memory_mb
    assert planned["until_s"] == plan.until_s


def _small(number: int) -> float | int:
    return number if abs(number) < 2**53 else float(number)


def lay_scripts(lab: Path) -> None:
    """Where the site has them."""
    for folder in SCRIPTS:
        shutil.copytree(ROOT / folder, lab / folder)
