"""`record.py --words` keeps outputs where words alone have changed, and refuses where code has."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from scripts.record import carry_over, load

SOURCE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
---

# Words

```{code-cell} ipython3
x = 1
```

Between.

```{code-cell} ipython3
x
```
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A chapter with its recording."""
    (path := tmp_path / "01-words.md").write_text(SOURCE)
    nb = load(path)
    nb.cells[3].outputs = [v4.new_output("execute_result", {"text/plain": "1"}, execution_count=2)]
    nb.cells[3].execution_count = 2
    nbformat.write(nb, path.with_suffix(".ipynb"))
    return path


def test_outputs_stay_with_their_cells_where_words_change(source: Path) -> None:
    source.write_text(SOURCE.replace("# Words\n", "# Other words").replace("Between.", "## More\n\nBetween."))
    nb = load(source)
    carry_over(nb, source.with_suffix(".ipynb"))
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    assert [len(cell.outputs) for cell in code] == [0, 1]
    assert code[1].outputs[0].data == {"text/plain": "1"}
    assert code[1].execution_count == 2


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [("x = 1", "x = 2", 1), ("```{code-cell} ipython3\nx\n```\n", "", 2), ("\nx\n", "\nx\nx\n", 2)],
)
def test_other_code_is_refused_with_its_place(source: Path, old: str, new: str, at: int) -> None:
    source.write_text(SOURCE.replace(old, new))
    with pytest.raises(ValueError, match=f"cell of code {at} is another than in the source: record it"):
        carry_over(load(source), source.with_suffix(".ipynb"))
