"""The `columns` directive: every table that labkit hands out, with its columns and their units.

Made from the dictionaries that the tables themselves carry in `attrs["units"]`.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Table(NamedTuple):
    """had_by: what a reader types; what: a sentence; units: column -> unit or meaning."""

    had_by: str
    what: str
    units: dict[str, str]


def tables() -> list[Table]:
    """Every table, in the order of the page."""
    from labkit.decode.foreign_table import UNITS as FOREIGN
    from labkit.doctor import calibrate
    from labkit.measures import settled, vocabulary
    from labkit.results.ledger.drops import UNITS as DROPS
    from labkit.results.ledger.entries import UNITS as LEDGER
    from labkit.results.packets import read_capture
    from labkit.results.result import Result
    from labkit.results.tables import table_units
    from labkit.sweeps import Sweep, swept

    found = [_of(Result, name, units) for name, units in table_units().items()]
    found += [_of(Result, "drops", DROPS), _of(Result, "ledger", LEDGER)]
    found.append(Table("read_capture(path)", _first(read_capture), FOREIGN))
    found.append(Table("settled(result, quantity)", _first(settled.settled), settled.UNITS))
    sweep = "One row per point, seed and flow: a column per axis, then of these what was measured."
    found.append(Table(f"{Sweep.__name__.lower()}(...).table", sweep, vocabulary.ALL_UNITS | swept._UNITS))
    checked = "What labkit measures of itself, against what was asked for."
    return [*found, Table("labkit doctor --calibrate", checked, calibrate.UNITS)]


def _of(result: type, name: str, units: dict[str, str]) -> Table:
    """A table that a Result has as an attribute, as a method, or from the probe that declares it."""
    part = inspect.getattr_static(result, name, None)
    arguments = ""
    if part is None:
        probes = importlib.import_module("labkit.probes")
        return Table(f"result.{name}", probes.of_table(name).tables[name].what, units)
    if inspect.isfunction(part):
        needed = [p for p in inspect.signature(part).parameters.values() if p.default is p.empty]
        arguments = f"({', '.join(p.name for p in needed[1:])})"
    return Table(f"result.{name}{arguments}", _first(part), units)


def _first(part: object) -> str:
    """The first lines of its docstring."""
    return (inspect.getdoc(part) or "").split("\n\n")[0]


class Columns(SphinxDirective):
    """`{columns}`: a section per table."""

    def run(self) -> list[nodes.Node]:
        return [self.section(table) for table in tables()]

    def section(self, table: Table) -> nodes.section:
        title = nodes.title("", "", nodes.literal("", table.had_by))
        section = nodes.section("", title, names=[nodes.fully_normalize_name(table.had_by)])
        self.state.document.note_implicit_target(section, section)
        self.set_source_info(section)
        section += [nodes.paragraph("", table.what.replace("`", "").replace("\n", " ")), grid(table.units)]
        return section


def grid(units: dict[str, str]) -> nodes.table:
    """Two columns: the name of one, and its unit or meaning."""
    body = nodes.tbody()
    for name, unit in units.items():
        body += _row(nodes.literal("", name), nodes.Text(unit))
    head = nodes.thead("", _row(nodes.Text("column"), nodes.Text("unit or meaning")))
    widths = [nodes.colspec(colwidth=width) for width in (1, 3)]
    return nodes.table("", nodes.tgroup("", *widths, head, body, cols=2), classes=["lp-columns"])


def _row(*cells: nodes.Node) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("columns", Columns)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
