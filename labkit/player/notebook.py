"""The face in a running notebook: script, style and film in one piece of HTML, which loads nothing.

The player needs no kernel: what it shows is in the film. So this is no ipywidget: it goes on when the kernel
has stopped, and is there again when the notebook is opened anew and trusted.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any

SCRIPTS = (
    *("senders.js", "film.js", "canvas_layout.js", "glyphs.js", "stage.js", "strip.js", "plots.js"),
    *("story.js", "legend.js", "clock.js", "player_controls.js", "panel.js", "below.js", "player.js"),
)
"""In the order in which they are loaded; the site loads the same ones."""
STYLE = "player.css"


@cache
def source(name: str) -> str:
    """One of the player's static files."""
    return resources.files("labkit.player").joinpath("static", name).read_text(encoding="utf-8")


def page(film: dict[str, Any]) -> str:
    """The whole of it. The same film gives the same text."""
    held = _script_safe(json.dumps(film, ensure_ascii=False, separators=(",", ":")))
    ident = f"labkit-player-{hashlib.sha256(held.encode()).hexdigest()[:12]}"
    script = "\n".join(source(name) for name in SCRIPTS)
    mount = (
        f"for (const root of document.querySelectorAll('.{ident}')) "
        f"if (!root.dataset.mounted) {{ root.dataset.mounted = 1; "
        f"root.player = window.LabkitPlayer.mount(root, {held}); }}"
    )
    return (
        f"<style>{source(STYLE)}</style>"
        f'<figure style="margin:0"><div class="{ident}"></div>'
        f"<figcaption>{escape(str(film['caption']))}</figcaption>{_table(film['table'])}</figure>"
        f"<script>{{\n{script}\n{mount}\n}}</script>"
    )


def _script_safe(text: str) -> str:
    """JSON that no `</script>` or `<!--` in it can end early."""
    return text.replace("<", "\\u003c")


def _table(table: dict[str, Any]) -> str:
    heads = "".join(f'<th scope="col">{escape(str(title))}</th>' for title, _ in table["columns"])
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(str(value))}</td>' for value in row)}</tr>" for row in table["rows"]
    )
    body = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<details class="lpp-table"><summary>Data as a table</summary><div>{body}</div></details>'
