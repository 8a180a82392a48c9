"""A widget's own code, taken out of its chapter: it makes the widget that was recorded, and runs nothing."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from live import slices
from live.names import names

from labkit.spec import custom_cc
from labkit.widgets import Explorer, Prediction

CELLS = """import math
TABLE = {}
for i in range(3):
    TABLE[i] = i * factor if i else 0
"""


def notebook(folder: Path, *cells: str) -> Path:
    """A chapter whose last cell is a recorded prediction of the name "it"."""
    made: list[dict[str, Any]] = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    made[-1]["outputs"] = [{"data": {slices.prediction.MIME: {"name": "it"}}}]
    (folder / "99.ipynb").write_text(json.dumps({"cells": made}))
    return folder


def written(name: str, text: str) -> None:
    """What compile_cc does, without the compiler."""
    custom_cc.know(custom_cc.CustomCC(name, text, 1, ""))


@pytest.mark.parametrize("stem", slices.stems())
def test_a_chapters_slices_make_its_recorded_widgets(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a slice runs the laboratory")

    monkeypatch.setattr("labkit.results.run.run", never)
    monkeypatch.setattr("labkit.run", never, raising=False)
    monkeypatch.setattr("labkit.compile_cc", written, raising=False)
    found = slices.recorded(stem)
    assert found
    for name, recorded in found.items():
        widget = slices.widget(stem, name)
        if recorded.kind == "explore":
            assert isinstance(widget, Explorer)
            assert widget.knobs() == recorded.stored["knobs"]
        else:
            assert isinstance(widget, Prediction)
            assert widget.question == recorded.stored["question"]
            assert [widget.kind, widget.unit, widget.x_texts] == [
                recorded.stored[key] for key in ("kind", "unit", "x")
            ]


def test_what_a_widget_does_not_need_is_left_out(tmp_path: Path) -> None:
    folder = notebook(tmp_path, "a = 1\nb = 2\na = 3\nprint(b)", "predict('?', a, None)")
    assert slices.needed("99", "it", folder) == "a = 3\nWIDGET = predict('?', a, None)\n"


def test_what_fills_or_changes_an_object_is_taken_along(tmp_path: Path) -> None:
    changes = "factor = 2\ndel TABLE[1]\nLIST = []\nLIST.append(TABLE)\nLIST[0][5] = 1"
    folder = notebook(tmp_path, "from labkit import *", CELLS, changes, "predict('?', LIST, None)")
    text = slices.making("99", "it", folder)
    assert "math" not in text
    for line in ("TABLE = {}", "for i in", "del TABLE[1]", "LIST.append(TABLE)", "LIST[0][5] = 1"):
        assert line in text
    assert text.endswith("WIDGET = predict(LIST)\n")


def test_a_function_finds_what_was_bound_after_it(tmp_path: Path) -> None:
    cells = ("x = 1\ndef f():\n    return x\ny = f()\nx = 2", "predict('?', [f, y], None)")
    text = slices.needed("99", "it", notebook(tmp_path, *cells))
    assert [line for line in text.splitlines() if line.startswith("x")] == ["x = 1", "x = 2"]


def test_an_import_is_taken_name_by_name(tmp_path: Path) -> None:
    cells = (
        "%load_ext labkit\nfrom math import pi, e\nimport os, re",
        "%%on left\nip route",
        "predict('?', pi, None)",
    )
    assert slices.needed("99", "it", notebook(tmp_path, *cells)).startswith("from math import pi\nWIDGET")


def test_a_name_within_a_function_is_late_and_in_a_comprehension_is_not() -> None:
    found = names(ast.parse("f = [lambda: a for b in c if d]").body[0])
    assert (found.binds, found.now, found.late) == ({"f"}, {"c", "d"}, {"a"})


def test_an_unknown_widget_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="no widget 'windy': there are guess-A"):
        slices.needed(slices.stems()[0], "windy")
