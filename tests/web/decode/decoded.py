"""The same bytes, decoded twice: by labkit's Python and by its JavaScript, as columns to be compared."""

from __future__ import annotations

import base64
import json
import math
import re
import shutil
import subprocess
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from labkit.errors import LabkitError
from labkit.results.result import Result

DUMP = Path(__file__).with_name("dump.mjs")
KINDS = {"float": "float", "int": "int", "flag": "flag", "name": "text", "text": "text"}
Asked = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """kind: float, int, flag or text. names: of a text that is one of few, in their order."""

    name: str
    kind: str
    values: list[Any]
    names: list[str] | None


@dataclass(frozen=True)
class Question:
    """A raw file, its manifest, and what is asked of them: ("table", name), ("trace", event),
    ("packets", host), ("pcapng",)."""

    raw: Path
    manifest: Path
    asked: Sequence[Asked]


@dataclass(frozen=True)
class Refusal:
    """An error, by the name of its class."""

    name: str
    message: str


Answer = list[Column] | bytes | Refusal


def needs_node() -> None:
    """Skips the test where there is none."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")


def by_javascript(questions: Sequence[Question]) -> list[list[Answer]]:
    """What this decoder says to each question, by one process for all of them."""
    asked = [{"raw": str(q.raw), "manifest": str(q.manifest), "ask": q.asked} for q in questions]
    done = subprocess.run(
        ["node", DUMP], input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return [_answers(one, len(q.asked)) for one, q in zip(told, questions, strict=True)]


def _answers(told: dict[str, Any], count: int) -> list[Answer]:
    return [_answer(one) for one in told.get("answers", [told] * count)]


def _answer(told: dict[str, Any]) -> Answer:
    if "error" in told:
        return Refusal(**told["error"])
    if "base64" in told:
        return base64.b64decode(told["base64"])
    return read_columns(told["columns"])


def read_columns(told: Sequence[dict[str, Any]]) -> list[Column]:
    """Of a table of JavaScript's, as a dump writes it."""
    return [
        Column(found["name"], KINDS[found["kind"]], [_whole(v) for v in found["values"]], found["names"])
        for found in told
    ]


def _whole(value: Any) -> Any:
    return int(value["big"]) if isinstance(value, dict) else value


def by_python(result: Result, asked: Asked) -> Answer:
    """The same from labkit's tables. What they raise is an answer, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return columns_of(_table(result, *asked))
        except LabkitError as error:
            return Refusal(type(error).__name__, str(error))


def _table(result: Result, what: str, name: str) -> pd.DataFrame:
    if what == "trace":
        return result.trace(name)
    if what == "packets":
        return result.packet_table(name)
    if name == "goodput":
        return result.goodput().to_frame()
    return result.drops if name == "drops" else result.table(name)


def columns_of(table: pd.DataFrame) -> list[Column]:
    """Of a table of labkit's."""
    if table.index.name is not None:
        table = table.reset_index()
    return [_column(name, table[name]) for name in table.columns]


def _column(name: str, series: pd.Series[Any]) -> Column:
    if isinstance(series.dtype, pd.CategoricalDtype):
        names = [str(text) for text in series.cat.categories]
        return Column(name, "text", [None if v is pd.NA or v != v else v for v in series.tolist()], names)
    if pd.api.types.is_bool_dtype(series.dtype):
        return Column(name, "flag", series.tolist(), None)
    if pd.api.types.is_integer_dtype(series.dtype):
        return Column(name, "int", [None if v is pd.NA else int(v) for v in series.tolist()], None)
    if pd.api.types.is_float_dtype(series.dtype):
        return Column(name, "float", [None if math.isnan(v) else v for v in series.tolist()], None)
    return Column(name, "text", [v.hex() if isinstance(v, bytes) else v for v in series.tolist()], None)


def differences(python: Answer, javascript: Answer) -> list[str]:
    """What is not the same, in words: columns in order, their kinds, every cell; or the errors."""
    if not isinstance(python, list) or not isinstance(javascript, list):
        same = _told(python) == _told(javascript)
        return [] if same else [f"{_told(python)}, in JavaScript {_told(javascript)}"]
    ours, theirs = [column.name for column in python], [column.name for column in javascript]
    if ours != theirs:
        return [f"columns {ours}, in JavaScript {theirs}"]
    return [text for a, b in zip(python, javascript, strict=True) for text in _differences(a, b)]


def _told(answer: Answer) -> object:
    """Without what stands in parentheses: there an error quotes the language that met it."""
    if isinstance(answer, Refusal):
        return answer.name, re.sub(r" \(.*\):", ":", answer.message)
    return "a table" if isinstance(answer, list) else answer


def _differences(a: Column, b: Column) -> list[str]:
    if len(a.values) != len(b.values):
        return [f"{a.name}: {len(a.values)} rows, in JavaScript {len(b.values)}"]
    found = []
    if a.kind != b.kind and a.values:
        found.append(f"{a.name}: {a.kind}, in JavaScript {b.kind}")
    if a.names is not None and b.names is not None and (used := _used(a)) != _used(b):
        found.append(f"{a.name}: names {used}, in JavaScript {_used(b)}")
    cells = [i for i, (x, y) in enumerate(zip(a.values, b.values, strict=True)) if not _same(x, y)]
    if cells:
        i = cells[0]
        found.append(
            f"{a.name}[{i}]: {a.values[i]!r}, in JavaScript {b.values[i]!r}; so are {len(cells)} cells"
        )
    return found


def _used(column: Column) -> list[str]:
    """The names that a column has, in their order: pandas keeps those of rows that were left out."""
    there = set(column.values)
    return [name for name in column.names or () if name in there]


def _same(ours: Any, theirs: Any) -> bool:
    """To the last bit. Whole numbers beyond 2^53 may be those of doubles: no network counts so far."""
    if ours is None or theirs is None or isinstance(ours, str | bool) or isinstance(theirs, str | bool):
        return bool(ours == theirs and type(ours) is type(theirs))
    far = isinstance(ours, int) and abs(ours) > 2**53
    return bool(ours == theirs or (far and abs(ours - theirs) <= abs(ours) * 2**-52))
