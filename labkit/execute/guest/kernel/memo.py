"""What is slow to find out and holds until a file changes: a tarball's hash, a compiler's name."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


class Memo:
    """Answers by question and file, valid while the file's size and time are those they were found with."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, dict[str, str]] = {}
        with contextlib.suppress(OSError, ValueError):
            known = json.loads(path.read_bytes())
            if isinstance(known, dict):  # what is damaged is as if it were not noted
                self._known = {q: noted for q, noted in known.items() if _is_noted(noted)}

    def get(self, question: str) -> str | None:
        """A plain answer, noted with `put`."""
        return self._known.get(question, {}).get("answer")

    def put(self, question: str, answer: str, state: str = "") -> None:
        """Note an answer; a cache that cannot be written only makes the next call slower."""
        self._known[question] = {"answer": answer, "state": state}
        with contextlib.suppress(OSError):
            handle, name = tempfile.mkstemp(prefix=".memo-", dir=self.path.parent)
            with os.fdopen(handle, "w") as file:
                json.dump(self._known, file, indent=1)
            os.chmod(name, 0o644)  # a class may share it
            os.replace(name, self.path)

    def about(self, what: str, file: Path, find_out: Callable[[], str]) -> str:
        """The answer about a file: the noted one if the file has not changed since, else `find_out()`."""
        file = file.resolve()
        stat = file.stat()
        question, state = f"{what} {file}", f"{stat.st_size} {stat.st_mtime_ns}"
        noted = self._known.get(question)
        if noted and noted.get("state") == state:
            return noted["answer"]
        answer = find_out()
        self.put(question, answer, state)
        return answer


def _is_noted(noted: object) -> bool:
    return isinstance(noted, dict) and all(isinstance(noted.get(name), str) for name in ("answer", "state"))
