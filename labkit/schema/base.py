"""The base of every part of a spec: frozen, validated, one readable line per fault.

Knows pydantic; knows nothing of networks.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import operator
import reprlib
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, ClassVar, NoReturn, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, WrapValidator
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from labkit.errors import SpecError

Loc = tuple[str | int, ...]
CANONICAL = "canonical"  # the serialisation context in which units are spelled out
_SHOWN = 10  # lines of one message


class FaultsError(SpecError):
    """All faults of one part: (where, what and the fix), the place relative to that part."""

    def __init__(self, faults: list[tuple[Loc, str]]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        lines = [_line(loc, text) for loc, text in self.faults[:_SHOWN]]
        more = len(self.faults) - len(lines)
        return "\n".join([*lines, f"... and {more} more like these"] if more else lines)

    def under(self, *loc: str | int) -> FaultsError:
        """The same faults, seen from further out."""
        return FaultsError([(loc + inner, text) for inner, text in self.faults])

    def within(self, file: str) -> FaultsError:
        """The same faults, each led by the name of the file they are in."""
        return FaultsError([((), f"{file}: {_line(loc, text)}") for loc, text in self.faults])


class FrozenDict(dict[str, Any]):
    """A dict that refuses to change, so that a spec's digest stays true."""

    def _refuse(self, *args: object, **fields: object) -> NoReturn:
        raise TypeError("a spec does not change: make another one with replace(...)")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = _refuse
    __ior__ = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


Frozen = AfterValidator(FrozenDict)

ADDED: Any = Field(exclude_if=operator.not_)
"""Of a field that came later, among the metadata of its type: while it is empty (None, 0, ()) it is not
written, so that a spec without it is written, and known by its digest, as before there was such a field."""


def added(default: object) -> Any:
    """The same of a field whose default is something: while it has that it is not written."""
    return Field(exclude_if=lambda value: value == default)


def read_by(read: Callable[[Any], object]) -> WrapValidator:
    """A field validated by `read` alone, which knows its shorthands; written as its type says."""
    return WrapValidator(lambda value, _: read(value))


class Spec(BaseModel):
    """A frozen model whose first fields may be given by position and whose faults are SpecErrors.

    Subclasses say `init=False`: type checkers then see this constructor, not one that takes SI types only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    _positional: ClassVar[tuple[str, ...]] = ()
    _shorthands: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, init: bool = True, **config: Any) -> None:
        super().__init_subclass__(**config)

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Show help() and notebooks what may be given by position. Called once every type is known."""
        kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
        shown = [
            Parameter(name, kinds[name not in cls._positional], default=_default_of(field, Parameter.empty))
            for name, field in cls.model_fields.items()
            if name != "kind" or name in cls._positional
        ]
        if cls._shorthands:
            shown.append(Parameter("fields", Parameter.VAR_KEYWORD))
        cls.__signature__ = Signature(sorted(shown, key=lambda parameter: parameter.kind))

    def __init__(self, *args: Any, **fields: Any) -> None:
        cls = type(self)
        names = cls._positional
        if len(args) > len(names):
            listed = ", ".join(names) or "none"
            fix = f"{len(args)} values by position: by position are {listed}; name the others"
            raise FaultsError([((), f"{cls.__name__}: {fix}")])
        given = dict(zip(names, args, strict=False))
        if twice := given.keys() & fields.keys():
            text = ": given twice: by position and by name"
            raise FaultsError([((name,), text) for name in sorted(twice)])
        try:
            super().__init__(**given, **fields)
        except ValidationError as error:
            raise FaultsError(faults_of(cls, error)) from None

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """From a mapping (or an instance, returned as it is). Raises SpecError."""
        if isinstance(obj, cls):
            return obj
        if not isinstance(obj, Mapping) or not all(isinstance(key, str) for key in obj):
            raise FaultsError([((), f"{cls.__name__}: must be a mapping of names to values")])
        return cls(**obj)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """From JSON, read as Python reads it. Raises SpecError."""
        try:
            return cls.model_validate(json.loads(json_data))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise FaultsError([((), f"not JSON: {error}")]) from None

    def replace(self, **fields: Any) -> Self:
        """A copy with some fields changed, validated again. Raises SpecError."""
        return type(self)(**(dict(self) | fields))

    def _default(self, name: str, value: Any) -> None:
        """Set a field that nobody gave, while the spec is validated: a default that depends on other fields.
        Not through fields_set, as nobody asked for it."""
        self.__dict__[name] = value

    def canonical(self) -> str:
        """JSON without choice: sorted keys, no spaces, plain SI numbers."""
        plain = self.model_dump(mode="json", context=CANONICAL)
        return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def digest(self) -> str:
        """SHA-256 of the canonical JSON, in hex; the same for any spelling of the same spec."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.canonical())

    def __repr_args__(self) -> Any:
        fields = type(self).model_fields
        return [(name, value) for name, value in self if value != _default_of(fields[name], Ellipsis)]


def _default_of(field: FieldInfo, required: object) -> Any:
    return required if field.is_required() else field.get_default(call_default_factory=True)


def where(loc: Loc) -> str:
    """`links[0].forward.loss` for ("links", 0, "forward", "loss")."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return text.removeprefix(".")


def _line(loc: Loc, text: str) -> str:
    place = where(loc)
    return place + text if not place or text[0] in "=:[" else f"{place}: {text}"


def did_you_mean(word: str, known: list[str]) -> str:
    """' (did you mean "cubic"?)', or nothing."""
    close = difflib.get_close_matches(word, known, 1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def faults_of(cls: type[Spec], error: ValidationError, loc: Loc = ()) -> list[tuple[Loc, str]]:
    """What pydantic found at `loc` of a `cls`, in our words."""
    found: list[tuple[Loc, str]] = []
    for fault in error.errors(include_url=False):
        cause = fault.get("ctx", {}).get("error")
        place = loc + fault["loc"]
        if isinstance(cause, FaultsError):
            found += cause.under(*place).faults
        else:
            found.append((place, _explain(cls, fault, place)))
    return found


def _explain(cls: type[Spec], fault: ErrorDetails, loc: Loc) -> str:
    kind, value, ctx = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "missing":
        return f": missing: {cls.__name__} needs it"
    if kind == "extra_forbidden":
        return no_field(cls, str(loc[-1]))
    ours = _WORDS.get(kind)
    what = ours.format(**ctx) if ours else fault["msg"].removeprefix("Value error, ")
    if not loc:
        return f"{cls.__name__}: {what}"
    shown = f"={reprlib.repr(value)}" if isinstance(value, str | int | float | None) else ""
    return f"{shown}: {what}"


def no_field(cls: type[Spec], name: str) -> str:
    """What to say about a name that is no field of `cls`."""
    names = [field for field in cls.model_fields if field != "kind"] + list(cls._shorthands)
    hint = did_you_mean(name, names) or f": it has {', '.join(names)}"
    return f": {cls.__name__} has no such field{hint}"


_WORDS = {
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "literal_error": "must be {expected}",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "frozen_set_type": "must be a list",
    "bool_type": "must be true or false",
    "too_long": "must have at most {max_length} items",
    "model_type": "must be a {class_name} or a mapping of its fields",
}
