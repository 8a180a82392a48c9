"""What came out of a sandbox, read as what it is: bytes of a stranger. Out comes plain data, or a
sentence."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

MOST = 256 * 1024
_DEEP = 20


class Answers(BaseModel):
    """Base of what an assignment has handed in: each question may be missing, nothing else may be there."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Unreadable(ValueError):
    """The answers are no data of the kind that was asked for; says why, in words for the student."""


def plain(text: str) -> dict[str, Any]:
    """The object of a JSON text. Raises Unreadable: too long, too deep, not JSON, NaN, two of one name."""
    if len(text) > MOST:
        raise Unreadable(f"answers.json is longer than {MOST:,} characters")
    if _depth(text) > _DEEP:
        raise Unreadable(f"answers.json is nested deeper than {_DEEP}")
    try:
        found = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
        json.dumps(found, ensure_ascii=False).encode()  # a number of ten thousand digits, half a character
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"answers.json: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise Unreadable("answers.json holds no object: end the notebook with hand_in(...)")
    return found


def checked(kind: type[BaseModel], found: dict[str, Any]) -> tuple[BaseModel, dict[str, str]]:
    """The answers as the assignment declares them, and what is wrong with those that it cannot take: these
    are left out, each for itself, so that one slip does not cost the rest."""
    faults: dict[str, str] = {}
    left = dict(found)
    while True:
        try:
            return kind.model_validate(left), faults
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=False, include_input=False):
                name = str(fault["loc"][0]) if fault["loc"] else ""
                if name not in left:
                    raise Unreadable(f"answers.json: {fault['msg']}") from None
                faults.setdefault(name, f"not an answer of the kind asked for: {fault['msg']}")
            for name in faults:
                left.pop(name, None)


def _depth(text: str) -> int:
    """The deepest nesting, brackets in strings counted too: more than there is, never less."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            deepest = max(deepest, depth := depth + 1)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number that can be handed in")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found
