"""A page with the laboratory and nothing else, and servers that are not what they should be."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from bench.browser import Quiet
from labkit import Experiment
from tests.site import extension

PAGE = """<!doctype html><html lang="en"><title>lab</title><link rel="icon" href="data:,">
<script type="module" src="_static/lab/tests/web/lab/lab_page.mjs"></script></html>
"""
SCRIPT = Path(__file__).parent / "lab_page.mjs"


def lay(folder: Path, experiments: Mapping[str, Experiment]) -> None:
    """index.html, programs/NAME.json, and the laboratory as the book has it."""
    files = extension("lab_files")
    files.write(folder / "_static/lab", files.machine())
    (folder / "programs").mkdir()
    planned = extension("live.planned")
    for name, experiment in experiments.items():
        plan = planned.plan(experiment, ())
        written = {"program": plan.program.hex(), "memory_mb": plan.memory_mb}
        (folder / "programs" / f"{name}.json").write_text(json.dumps(written))
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    beside = folder / "_static/lab/tests/web/lab"  # as in the repository: it imports by relative paths
    beside.mkdir(parents=True)
    shutil.copy(SCRIPT, beside)


class Counting(Quiet):
    """Counts what is asked for, by the path's last part; a form of the kernel by its stem."""

    asked: ClassVar[Counter[str]]

    def do_GET(self) -> None:  # noqa: N802
        name = self.path.partition("?")[0].rpartition("/")[2]
        self.asked[name.partition("-")[0] if "/machine/" in self.path else name] += 1
        super().do_GET()


class Damaging(Counting):
    """Changes a byte of the kernel, the first `times` that it is sent."""

    times: ClassVar[int] = 1

    def copyfile(self, source, outputfile) -> None:  # type: ignore[no-untyped-def]
        content = source.read()
        if "/plain-" in self.path and self.asked["plain"] <= self.times:
            content = content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]
        outputfile.write(content)


class Missing(Counting):
    """Has lost the kernel."""

    def send_head(self):  # type: ignore[no-untyped-def]
        if "/plain-" in self.path:
            self.send_error(404)
            return None
        return super().send_head()


class Breaking(Counting):
    """Hangs up in the middle of the kernel."""

    def copyfile(self, source, outputfile) -> None:  # type: ignore[no-untyped-def]
        content = source.read()
        outputfile.write(content[: len(content) // 2] if "/plain-" in self.path else content)


class WithoutStacks(Counting):
    """For a browser without JavaScript Promise Integration: what looks for it finds none."""

    LOOKED_FOR, ABSENT = b"Suspending", b"Suspended_"  # as many bytes as were announced

    def copyfile(self, source, outputfile) -> None:  # type: ignore[no-untyped-def]
        content = source.read()
        if self.path.endswith(".mjs"):  # the module, and what is bundled of it
            assert self.LOOKED_FOR in content or not self.path.endswith("/jspi.mjs")
            content = content.replace(self.LOOKED_FOR, self.ABSENT)
        outputfile.write(content)


class Below(Counting):
    """Has the site at a path of its own, as a project's pages on GitHub."""

    PLACE = "/courses/tcp"

    def translate_path(self, path: str) -> str:
        return super().translate_path(
            path.removeprefix(self.PLACE) if path.startswith(self.PLACE) else "/none"
        )


class Posted(Counting):
    """Takes what a page posts."""

    bodies: ClassVar[list[bytes]]
    arrived: ClassVar[threading.Event]

    def do_POST(self) -> None:  # noqa: N802
        self.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(204)
        self.end_headers()
        self.arrived.set()


def fresh(handler: type[Counting], **fields: object) -> type[Counting]:
    """The same with counts of its own."""
    return type("Fresh", (handler,), {"asked": Counter(), **fields})
