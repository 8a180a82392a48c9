"""How much of two submissions' code is the same, names, numbers and comments aside: for a human to read, no
verdict.

Winnowing: S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
SIGMOD 2003. What the starter notebook has, or half the class, counts for nobody.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

from labkit.course.course_folder import Course
from labkit.course.grading import LARGEST
from labkit.schema import foreign_files

_GRAM = 12  # tokens: shorter ones are in any two programs
_WINDOW = 8
_COMMON = 0.5
_LEAST = 10  # fingerprints: less is too little to say anything about


def report(course: Course) -> Path:
    """similarity.csv: a row for each pair, the most alike first: the share of the smaller one's
    fingerprints that the other one has, and their number."""
    starter = _starter(course)
    prints = {}
    for path in sorted(course.part("submissions").glob("*.ipynb")):
        with contextlib.suppress(FileNotFoundError, foreign_files.ForeignFileError):  # `grade` says so
            said = foreign_files.text(path, LARGEST, errors="replace")
            prints[path.stem] = fingerprints(code_of(said)) - starter
    seen = Counter(itertools.chain.from_iterable(prints.values()))
    common = {one for one, times in seen.items() if times > max(2, _COMMON * len(prints))}
    rows = sorted(
        _pairs({name: found - common for name, found in prints.items()}), key=lambda row: (-row[2], row)
    )
    target = course.folder / "similarity.csv"
    with target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["student", "other", "share", "fingerprints"])
        writer.writerows([a, b, f"{share:.2f}", count] for a, b, share, count in rows)
    return target


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
    tokens = _tokens(code)
    grams = [_hash(tuple(tokens[i : i + _GRAM])) for i in range(len(tokens) - _GRAM + 1)]
    if len(grams) < _WINDOW:
        return set(grams)
    return {min(grams[i : i + _WINDOW]) for i in range(len(grams) - _WINDOW + 1)}


def _tokens(code: str) -> list[str]:
    """What the code does, without what it calls things: by Pygments, whose Python lexer takes C as well
    enough."""
    from pygments.lexers import PythonLexer
    from pygments.token import Comment, Literal, Name, Text

    found = []
    for kind, value in PythonLexer().get_tokens(code):
        if kind in Comment or kind in Text or not value.strip():
            continue
        found.append("name" if kind in Name else "value" if kind in Literal else value)
    return found


def _hash(gram: tuple[str, ...]) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(gram).encode(), digest_size=8).digest(), "big")
