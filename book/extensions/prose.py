"""Docstrings for autodoc: they are prose, not reStructuredText, and a spec's fields are pydantic's.

Signatures are shown as they are written, a docstring as it reads in help(), beneath it a spec's fields.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Collection
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature

_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"labkit(\.\w+)+")
_MARKUP = re.compile(r"([\\*_|<>:])")
_LINES = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*?</em>,</dd>\n)+)</dl>')
_LONGEST = 60  # characters of a default


def as_rest(docstring: list[str], names: Collection[str] = ()) -> list[str]:
    """The same as reStructuredText: paragraphs without markup but `code`, and blocks of code.

    A block in which a line is indented is code. names: of arguments; "size: ..." then has its name as code.
    """
    written: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(docstring).strip("\n")):
        lines = block.split("\n")
        if any(line.startswith("  ") for line in lines):
            written += ["::", "", *(f"    {line}" for line in lines), ""]
        elif block.strip():
            written += [_paragraph(_arguments(" ".join(lines), names)), ""]
    return written


def _arguments(text: str, names: Collection[str]) -> str:
    """`a`, `b`: where "a, b:" explains arguments."""
    name = "|".join(map(re.escape, names))
    explained = rf"(?<![\w`.])((?:{name})(?:, (?:{name}))*):(?= )"
    return re.sub(explained, lambda m: re.sub(r"\w+", r"`\g<0>`", m[1]) + ":", text) if names else text


def _paragraph(text: str) -> str:
    parts = _CODE.split(text.strip())
    pieces = [_link(part) if i % 2 else _MARKUP.sub(r"\\\1", part) for i, part in enumerate(parts)]
    joined = "\\ ".join(piece for piece in pieces if piece)
    return joined if joined[0] in "\\`:" else f"\\{joined}"  # an initial letter opens no list


def _link(code: str) -> str:
    """A name of labkit leads to where it is described, if it is."""
    return f":py:obj:`{code}`" if _NAME.fullmatch(code) else f"``{code}``"


def field_table(spec: Any) -> list[str]:
    """The fields of a spec: name, type as written, default."""
    types = {name: of for base in reversed(spec.__mro__) for name, of in _annotations(base).items()}
    table = [".. list-table::", "   :header-rows: 1", "   :class: lp-fields", ""]
    table += ["   * - field", "     - type", "     - default"]
    for name, field in spec.model_fields.items():
        default = "needed" if field.is_required() else f"``{_default(field)}``"
        table += [f"   * - ``{name}``", f"     - ``{plain(types[name])}``", f"     - {default}"]
    return [*table, ""]


def _annotations(cls: Any) -> dict[str, str]:
    return {name: of for name, of in vars(cls).get("__annotations__", {}).items() if isinstance(of, str)}


def _default(field: Any) -> str:
    text = repr(field.get_default(call_default_factory=True))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class _Bare(ast.NodeTransformer):
    """Annotated[X, how it is checked] -> X."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "Annotated":
            assert isinstance(node.slice, ast.Tuple)
            return node.slice.elts[0]
        return node


def plain(annotation: str) -> str:
    """A type as a reader needs it, without what validates it."""
    return ast.unparse(_Bare().visit(ast.parse(annotation, mode="eval"))).replace("StrictStr", "str")


def docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """autodoc's hook: replaces the lines in place."""
    fields = getattr(obj, "model_fields", {}) if what == "class" else {}
    takes = what in ("class", "function", "method")
    names = list(fields) or (list(inspect.signature(obj).parameters) if takes else [])
    lines[:] = as_rest(lines, names)
    if fields:
        lines += field_table(obj)


def signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, given: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """autodoc's hook: a function's signature as it is written; autodoc would unfold every alias in it."""
    if what not in ("function", "method") or given is None:
        return given, returned
    found = inspect.signature(obj)
    own = [p for i, p in enumerate(found.parameters.values()) if i or p.name not in ("self", "cls")]
    returns = found.return_annotation
    shown = stringify_signature(found.replace(parameters=own), show_return_annotation=False)
    return shown, None if returns is found.empty else str(returns)


def parameters(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Sphinx's hook: a signature of several lines is written as a list of definitions without terms, which
    screen readers stumble over."""
    if "body" in context:
        context["body"] = _LINES.sub(
            lambda m: f'<span class="lp-parameters">{m[1].replace("dd>", "span>")}</span>', context["body"]
        )


def undescribed(app: Sphinx, env: Any, node: Any, shown: Any) -> Any:
    """Sphinx's hook: a docstring may name what is on no page, as text, but nothing that is not there."""
    if node.get("reftype") == "obj" and exists(node["reftarget"]):
        return shown
    return None


def exists(name: str) -> bool:
    """Is this dotted name a module, or something in one?"""
    try:
        return bool(pkgutil.resolve_name(name))
    except (ImportError, AttributeError):
        return False


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
    app.connect("missing-reference", undescribed)
    app.connect("html-page-context", parameters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
