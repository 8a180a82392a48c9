"""A figure's HTML from its payload: the frame that lostpackets.js fills, the caption, the data.

A chart's payload is its Vega-Lite; what the book adds stands in its `usermeta.labkit`: name, caption, table.
The payload of an explorer or a prediction is its own; there name, caption, table and description are
properties of the payload itself. The chart beside it in the output is what is shown without scripts.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

import figure_table
from vega_files import Picture

Payload = dict[str, Any]


def _meta(payload: Payload) -> dict[str, Any]:
    meta = payload.get("usermeta", {}).get("labkit")
    return meta if isinstance(meta, dict) else payload


def name_of(payload: Payload) -> str:
    """The figure's own name; empty if it has none."""
    meta = _meta(payload)
    own = meta is not payload or "$schema" not in payload  # a chart's `name` is Vega-Lite's business
    return str(meta.get("name", "")) if own else ""


def _title(payload: Payload) -> str:
    title = payload.get("title", "")
    text = title.get("text", "") if isinstance(title, dict) else title
    return " ".join(text) if isinstance(text, list) else str(text)


def description_of(payload: Payload) -> str:
    """What a sighted reader would take from it; else what it is called."""
    said = payload.get("description") or _meta(payload).get("caption") or _title(payload)
    return " ".join(str(said).split()) if said else "A chart without a description"


def _own(kind: str, payload: Payload) -> dict[str, Any]:
    """Where caption and table stand; a chart without `usermeta.labkit` has neither."""
    meta = _meta(payload)
    return {} if kind == "vegalite" and meta is payload else meta


def figure(
    kind: str, ident: str, name: str, payload: Payload, view: str, table: str, refused: str = ""
) -> str:
    """The <figure>. ident: its id; view, table: HTML from the functions of those names, or an error. refused:
    why its experiments cannot be run in the page, for the script (web/widgets/site.mjs).

    A figure without a view has no data either: there is nothing to draw.
    """
    caption = str(_own(kind, payload).get("caption", ""))
    drawable = "lp-view" in view
    state = "" if drawable else ' data-state="failed"'
    live = f' data-refused="{escape(refused)}"' if refused else ""
    data = f'<script type="application/json" class="lp-data">{_json(payload)}</script>' if drawable else ""
    parts = (
        f'<figure class="lp-figure" data-lp="{kind}" data-name="{escape(name)}" id="{ident}"{state}{live}>',
        view,
        data,
        f"<figcaption>{escape(caption)}</figcaption>" if caption else "",
        table,
        "</figure>\n",
    )
    return "\n".join(part for part in parts if part)


def table(kind: str, name: str, payload: Payload, shown: Payload | None) -> str:
    """The data behind its fold, else that of the chart. Raises ValueError if its own table is no table."""
    own = _own(kind, payload)
    tables = figure_table.tables_of(shown or {}, own.get("table"))
    return figure_table.html(tables, str(own.get("caption", "")) or _title(payload) or name)


def view(payload: Payload, picture: Picture | None, link: str) -> str:
    """The frame; without scripts it shows the picture. It is as high as the picture from the start."""
    said = escape(description_of(payload))
    if picture is None:
        return f'<div class="lp-view" role="img" aria-label="{said}"></div>'
    width, height = round(picture.width), round(picture.height)
    image = f'<noscript><img src="{escape(link)}" alt="" width="{width}" height="{height}"></noscript>'
    return f'<div class="lp-view" role="img" aria-label="{said}" style="min-height:{height}px">{image}</div>'


def error(name: str, fault: str) -> str:
    """What stands in the place of a view or a table that cannot be made: of which figure, and why."""
    return f'<p class="lp-error">{escape(f"Figure “{name}” is not complete: {fault}")}</p>'


def _json(payload: Payload) -> str:
    """JSON that no `</script>` or `<!--` in it can end early."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
