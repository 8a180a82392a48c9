"""A small book with one of each: charts of every shape, charts that are broken, a quiz, an exercise.

It is built with the configuration of the real one. Its charts are plain Vega-Lite, made without labkit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

ROOT = Path(__file__).parents[2]
MIME = "application/vnd.vegalite.v5+json"
SAID = "said.txt"
SAW = [{"time_s": i / 10, "cwnd": 10 + i % 20, "flow": "ab"[i % 2]} for i in range(200)]
ENCODING = {
    "x": {"field": "time_s", "type": "quantitative", "title": "Time (s)"},
    "y": {"field": "cwnd", "type": "quantitative", "title": "cwnd (packets)"},
}
LONG = "A title of so many words that a small screen has no room for it in one line"
BARS = [{"name": f"row {i} of three, with a long name", "value": 1000 * i} for i in (1, 2, 3)]
TABLE = {"columns": [["Time (s)", "time_s"], ["cwnd (packets)", "cwnd"]], "rows": [[0.5, 10], [19.5, 29]]}
TOC = """format: jb-book
root: index
chapters: [{file: figures}, {file: broken}, {file: blocks}, {file: faults}, {file: practice}]
"""
BLOCKS = """# Blocks

:::{quiz} What is **lost**?
- [ ] The queue.

  A queue *drops*.
- [x] The packet.

  It left and did not arrive.
:::

:::{quiz}
What stands here is a question that takes more than one line, or so it is meant to be, and asks
nothing.

- [x] True.

  Indeed.
- [ ] False.

  Look again.
:::

:::{exercise} Lose it
:label: ex-lose

Lose one.
:::

:::{solution} ex-lose
:class: dropdown

```python
DropPackets([1])
```
:::

## A puzzle

Two paths.

:::{guess} Which path carries more?
- The short one
- Both about the same
:::

The short one carries more.

### Why

It is shorter.
"""

FAULTS = """# Faults

:::{quiz} Which one is right?
- [ ] Not this one.

  No.
- [ ] Nor this.
:::

:::{guess} Or this?
- Yes
:::
"""


EXERCISE = """:::{exercise} Count them
:label: ex-count

Count.
:::

```{solution-start} ex-count
:class: dropdown
```

They are:"""
ASKED = """:::{quiz} Is it **5** ms?
- [x] Yes.

  It is 5 ms.
- [ ] No.

  See [the exercises](#exercises).
:::"""


def chart(name: str = "", **parts: Any) -> dict[str, Any]:
    """A Vega-Lite chart of the saw; with a name it has all that a figure of labkit has."""
    spec: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"name": "saw"},
        "datasets": {"saw": SAW},
        "width": 600,
        "height": 150,
        "mark": "line",
        "encoding": ENCODING,
    }
    if name:
        about = {"name": name, "caption": f"The caption of {name}.", "table": TABLE}
        spec |= {"description": f"What {name} shows.", "usermeta": {"labkit": about}}
    return {key: part for key, part in (spec | parts).items() if part is not None}


def charts() -> list[dict[str, Any]]:
    """One of each shape."""
    line = {"mark": "line", "encoding": ENCODING}
    rule = {"mark": "rule", "encoding": {"x": {"datum": 5}}}
    flow = {"field": "flow", "type": "nominal"}
    knob = {"name": "opacity", "value": 1, "bind": {"input": "range", "min": 0, "max": 1, "name": "Opacity "}}
    view = {"width": 600, "height": 80, **line}
    x = {"field": "value", "type": "quantitative", "axis": {"title": LONG, "titleFontWeight": "normal"}}
    y = {"field": "name", "type": "nominal", "title": None, "axis": {"labelLimit": 260}}
    bar = {"mark": "bar", "encoding": {"x": x, "y": y, "color": {"field": "name"}}}
    note = {
        "mark": {"type": "text", "align": "left", "dx": 4},
        "encoding": {"x": x, "y": y, "text": {"field": "value"}},
    }
    return [
        chart("window"),
        chart("layers", mark=None, encoding=None, layer=[line, rule]),
        chart("facets", width=300, encoding={**ENCODING, "column": flow}),
        chart("stack", mark=None, encoding=None, width=None, height=None, vconcat=[view, view]),
        chart(
            "words",
            title={"text": LONG, "anchor": "start"},
            data={"values": BARS},
            mark=None,
            encoding=None,
            layer=[bar, note],
        ),
        chart("knob", params=[knob], mark={"type": "line", "opacity": {"expr": "opacity"}}),
        chart("wide", usermeta={"labkit": {"name": "wide", "least": 500}}),
        chart(title="A reader's own"),
    ]


def broken() -> list[dict[str, Any]]:
    """Three that are not right between two that are: no Vega-Lite, a crooked table, data from elsewhere."""
    crooked = {"labkit": {"name": "crooked", "table": {"columns": ["a", "b"], "rows": [[1]]}}}
    elsewhere = {"data": {"url": "https://example.org/saw.json"}, "datasets": None}
    return [
        chart("before"),
        chart("nonsense", mark="nonsense"),
        chart("crooked", usermeta=crooked),
        chart("elsewhere", **elsewhere),
        chart("after"),
    ]


def notebook(title: str, specs: list[dict[str, Any]]) -> nbformat.NotebookNode:
    """A recording with one cell per chart."""
    cells = [v4.new_markdown_cell(f"# {title}", id="title")]
    for number, spec in enumerate(specs):
        output = v4.new_output("execute_result", {MIME: spec, "text/plain": "A chart"}, execution_count=1)
        cells.append(v4.new_code_cell("chart", outputs=[output], execution_count=1, id=f"cell-{number}"))
    for id, tags in (("told", ["in-this-run"]), ("folded", ["in-this-run", "hide-input"])):
        cells.append(v4.new_code_cell("assert True", execution_count=1, id=id, metadata={"tags": tags}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def practice() -> nbformat.NotebookNode:
    """A chapter in small: code that is hidden and code that is not, a summary, and Practice with a figure."""
    hidden = {"tags": ["hide-input"]}
    figure = v4.new_output(
        "execute_result", {MIME: chart("within"), "text/plain": "A chart"}, execution_count=1
    )
    cells = [
        v4.new_markdown_cell("# A chapter\n\n## A thread\n\nA delay of 5\nms, $q = 5$ % lost, and `5 ms`."),
        v4.new_code_cell("%load_ext labkit", metadata=hidden),
        v4.new_code_cell("seen = 1"),
        v4.new_code_cell("first = 1", metadata=hidden, outputs=[v4.new_output("stream", text="put out\n")]),
        v4.new_markdown_cell("Between.\n\n### Within it\n\nMore."),
        v4.new_code_cell("second = 2", metadata=hidden),
        v4.new_markdown_cell(
            "See [exercises](#exercises).\n\n## Summary\n\nThat is all.\n\n## Practice\n\n"
            f"### On your own machine\n\nTwo.\n\n### Exercises\n\n{EXERCISE}"
        ),
        v4.new_code_cell("solved = 3", metadata=hidden),
        v4.new_markdown_cell(
            f"```{{solution-end}}\n```\n\n### Quiz\n\n{ASKED}\n\n### Going deeper: why\n\nBecause."
        ),
        v4.new_code_cell("chart", metadata=hidden, outputs=[figure]),
        v4.new_markdown_cell("### Reproduce this chapter\n\nAs it was."),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def write(folder: Path) -> None:
    """The book's sources."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text(TOC)
    (folder / "index.md").write_text("# A small book\n\nWith {cite:p}`rfc5681`.\n\n```{bibliography}\n```\n")
    (folder / "blocks.md").write_text(BLOCKS)
    (folder / "faults.md").write_text(FAULTS)
    nbformat.write(notebook("Figures", charts()), folder / "figures.ipynb")
    nbformat.write(notebook("Broken", broken()), folder / "broken.ipynb")
    nbformat.write(practice(), folder / "practice.ipynb")


def made(folder: Path) -> None:
    """The book, and what was said while it was built."""
    write(folder)
    done = build(folder)
    assert done.returncode == 0, done.stderr[-4000:]
    (folder / SAID).write_text(done.stderr)


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build what lies there. Faults of single figures and quizzes are warnings."""
    jupyter_book = str(Path(sys.executable).with_name("jupyter-book"))
    command = [jupyter_book, "build", str(folder), "--quiet", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)
