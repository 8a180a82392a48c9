"""What a page asks of Python: an experiment, or a widget's experiments at some values, as lab programs.

Questions and answers are JSON, since nothing else of Python is of use there. An error of labkit is an answer,
too: what it says of an experiment is for the reader.
"""

from __future__ import annotations

import json
from decimal import Decimal
from functools import lru_cache
from typing import Any

from labkit.errors import LabkitError
from labkit.spec import Experiment, custom_cc
from labkit.widgets.space import Space
from live.maker import made
from live.planned import Plan, plan, reseeded, with_needs

_made = lru_cache(maxsize=8)(made)


def answer(question: str) -> str:
    """{"experiments": [...]} or {"source", "values", "needs"}, with "built_in" (modules of the page's kernel)
    and perhaps "own" (congestion controls of the chapter's, which it has as well) and "seed". The answer is
    {"plans": [{program, manifest, memory_mb, until_s}, ...]}, with programs in hexadecimal digits, or
    {"error": text}."""
    asked = json.loads(question)
    for name in asked.get("own", ()):
        custom_cc.know(custom_cc.CustomCC(name, "", 1, ""))
    try:
        plans = [plan(exp, asked["built_in"]) for exp in _experiments(asked)]
    except LabkitError as error:
        return json.dumps({"error": str(error)})
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # of a chapter's own function
        said = f"no experiment can be made of these values ({type(error).__name__}: {error})"
        return json.dumps({"error": said})
    return json.dumps({"plans": [_written(one) for one in plans]})


def _experiments(asked: dict[str, Any]) -> list[Experiment]:
    if "experiments" in asked:
        exps = [Experiment.from_json(json.dumps(one)) for one in asked["experiments"]]
    else:
        widget = _made(asked["source"])
        exps = [widget.between(_values(asked["values"]))] if isinstance(widget, Space) else list(widget)
    if asked.get("seed") is not None:
        exps = reseeded(exps, asked["seed"])
    return [with_needs(exp, asked.get("needs", {})) for exp in exps]


def _values(given: dict[str, Any]) -> dict[str, int | Decimal]:
    """By knob: an index, or a number as text."""
    return {name: Decimal(one) if isinstance(one, str) else one for name, one in given.items()}


def _written(one: Plan) -> dict[str, Any]:
    return {
        "program": one.program.hex(),
        "manifest": one.manifest,
        "memory_mb": one.memory_mb,
        "until_s": one.until_s,
    }
