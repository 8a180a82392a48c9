"""How much of two submissions' code is the same, names, numbers and comments aside: for a human to read, no
verdict.

Winnowing: S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
SIGMOD 2003. What the starter notebook has, or half the class, counts for nobody.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labkit.course import csv_file
from labkit.course.course_folder import Course
from labkit.course.grading import LARGEST
from labkit.schema import foreign_files

MOST_CODE = 64 << 10
"""Characters of a submission's code that are compared, the first ones."""
MOST_VALUES = 1 << 20
"""Of a notebook that is read at all: what may be a list, an object, or a value in one. Each takes memory."""
_GRAM = 12  # tokens: shorter ones are in any two programs
_WINDOW = 8
_COMMON = 0.5
_LEAST = 10  # fingerprints: less is too little to say anything about
_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<value>\d[\w.]*|\"{3}[\s\S]*?(?:\"{3}|\Z)|'{3}[\s\S]*?(?:'{3}|\Z)"
    r"|\"(?:\\[\s\S]|[^\"\\\n])*(?:\"|$|\\?\Z)|'(?:\\[\s\S]|[^'\\\n])*(?:'|$|\\?\Z))"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign>\S)",
    re.MULTILINE,
)
"""Of Python, and of C well enough. Whatever begins a token ends it: the time is that of the code's length."""


def report(course: Course) -> Path:
    """similarity.csv: a row for each pair, the most alike first: the share of the smaller one's
    fingerprints that the other one has, and their number. At the end a row for each submission of which
    not all was compared. Raises OSError."""
    starter = _starter(course)
    prints, told = {}, []
    for path in sorted(course.part("submissions").glob("*.ipynb")):
        code, left_out = "", f"no file of at most {LARGEST >> 20} MiB"
        with contextlib.suppress(FileNotFoundError, foreign_files.ForeignFileError):  # `grade` says so
            code, left_out = _bounded(foreign_files.text(path, LARGEST, errors="replace"))
        prints[path.stem] = fingerprints(code) - starter
        told += [[path.stem, "", "", f"not compared: {left_out}"]] if left_out else []
    seen = Counter(itertools.chain.from_iterable(prints.values()))
    common = {one for one, times in seen.items() if times > max(2, _COMMON * len(prints))}
    pairs = _pairs({name: found - common for name, found in prints.items()})
    rows = [[a, b, f"{s:.2f}", str(n)] for a, b, s, n in sorted(pairs, key=lambda row: (-row[2], row))]
    head = ["student", "other", "share", "fingerprints"]
    return csv_file.write(course.folder / "similarity.csv", head, [*rows, *told])


def _bounded(text: str) -> tuple[str, str]:
    """The code that is compared, and what is left out, in words."""
    if sum(map(text.count, "[{,")) > MOST_VALUES:
        return "", f"a notebook of more than {MOST_VALUES:,} values"
    code = code_of(text)
    return code[:MOST_CODE], f"what comes after {MOST_CODE:,} characters" if len(code) > MOST_CODE else ""


def _pairs(prints: dict[str, set[int]]) -> list[tuple[str, str, float, int]]:
    found = []
    for (a, one), (b, other) in itertools.combinations(sorted(prints.items()), 2):
        smaller = min(len(one), len(other))
        if smaller >= _LEAST and (shared := len(one & other)):
            found.append((a, b, shared / smaller, shared))
    return found


def _starter(course: Course) -> set[int]:
    from labkit.course.releasing import notebook

    return fingerprints(code_of(notebook(course.assignment.folder / "starter.md")))


def code_of(text: str) -> str:
    """The code of a notebook's cells; nothing of what is no notebook."""
    try:
        cells: Any = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return "\n".join("".join(source) if isinstance(source, list) else str(source) for source in sources)
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


def fingerprints(code: str) -> set[int]:
    """Hashes that two programs have in common where they have fifteen or so tokens in a row in common."""
    tokens = list(_tokens(code[:MOST_CODE]))
    grams = [_hash(tuple(tokens[i : i + _GRAM])) for i in range(len(tokens) - _GRAM + 1)]
    if len(grams) < _WINDOW:
        return set(grams)
    return {min(grams[i : i + _WINDOW]) for i in range(len(grams) - _WINDOW + 1)}


def _tokens(code: str) -> Iterator[str]:
    """What the code does, without what it calls things."""
    for found in _TOKEN.finditer(code):
        kind = found.lastgroup
        if kind == "word":
            yield found[0] if keyword.iskeyword(found[0]) else "name"
        elif kind != "comment":
            yield found[0] if kind == "sign" else "value"


def _hash(gram: tuple[str, ...]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(gram).encode(), digest_size=8).digest(), "big")
