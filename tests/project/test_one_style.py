"""Pages wait for one style sheet: what it is joined from, and where the scripts go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.site import extension

one_style = extension("one_style")
PAGE = """<html><head>
<script src="../_static/theme-mode.js"></script>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/own.css" />
<script src="../_static/a.js"></script>
<script defer="defer" src="../_static/late.js"></script>
<script data-x="1" src="../_static/b.js?v=2"></script>
<script type="module" src="../_static/m.js"></script>
<link rel="icon" href="../_static/logo.svg"/>
</head><body><p>Words.</p>
<script src="../_static/in-body.js"></script>
</body></html>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    files = {
        "styles/theme.css": '@charset "utf-8";\n@import "../basic.css";\nb { background: url(../f/f.woff2) }',
        "basic.css": "a { background: url('pictures/x.png') }",
        "own.css": 'c { background: url("data:image/svg+xml,%3Csvg/%3E") url(#id) }',
    }
    for name, text in files.items():
        path = tmp_path / "_static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_sheets_are_joined_in_their_order_and_find_what_they_name(site: Path) -> None:
    paths = one_style.sheets(PAGE, "book/page.html")
    assert paths == ["_static/styles/theme.css", "_static/own.css"]
    assert [line for line in one_style.joined(site, paths).splitlines() if line] == [
        "a { background: url('pictures/x.png') }",
        "b { background: url(f/f.woff2) }",
        'c { background: url("data:image/svg+xml,%3Csvg/%3E") url(#id) }',
    ]


def test_a_sheet_that_is_missing_is_an_error(site: Path) -> None:
    (site / "_static/own.css").unlink()
    with pytest.raises(FileNotFoundError, match=r"own\.css"):
        one_style.joined(site, one_style.sheets(PAGE, "book/page.html"))


def test_scripts_go_to_the_end_in_their_order_and_what_waits_already_stays() -> None:
    page = one_style.with_one(PAGE, "book/page.html", "_static/styles-1.css")
    head, body = page.split("</head>")
    assert head.count("stylesheet") == 1
    assert 'href="../_static/styles-1.css"' in head
    assert head.index("theme-mode.js") < head.index("stylesheet")
    assert [name for name in ("a.js", "b.js", "in-body.js") if name in head] == []
    assert "late.js" in head
    assert "m.js" in head
    assert body.index("in-body.js") < body.index("a.js") < body.index("b.js") < body.index("</body>")


def test_a_page_without_sheets_stays_as_it_is() -> None:
    assert one_style.with_one("<html></html>", "p.html", "_static/styles-1.css") == "<html></html>"
