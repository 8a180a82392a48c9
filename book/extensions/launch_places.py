"""The menu "run this chapter" at the top of a chapter: what the theme does not add to it by itself.

Where the project is published stands in _config.yml (repository.url). The theme makes Binder's entry of it;
here are "In this tab", where the site carries the laboratory, and Codespaces, which is GitHub's. Without an
address there is neither Binder nor Codespaces.
"""

from __future__ import annotations

from typing import Any

import lab_files
import live_programs
from docutils import nodes
from figures import LIVE, LpFigure
from sphinx.application import Sphinx
from sphinx.config import Config

CHAPTERS = "chapters/"
MENU = "launch-buttons"
BENCH = "book/bench"
AFTER_THE_THEME = 510
_GITHUB = "https://github.com/"


def only_if_published(app: Sphinx, config: Config) -> None:
    """The theme would stop at an empty address."""
    options: dict[str, Any] = config.html_theme_options
    if not options.get("repository_url"):
        options.pop("launch_buttons", None)


def codespaces(repository: str) -> str:
    """Where GitHub opens one; "" of a repository elsewhere."""
    if not repository.startswith(_GITHUB):
        return ""
    return f"https://codespaces.new/{repository.removeprefix(_GITHUB).strip('/').removesuffix('.git')}?quickstart=1"


def entries(here: str, repository: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """What stands before the theme's entries, and what behind them. here: "" without a laboratory."""
    before = [_entry("In this tab", "Run it in this page", "fas fa-play", here)] if here else []
    there = codespaces(repository)
    behind = [_entry("Codespaces", "Launch on Codespaces", "fab fa-github", there)] if there else []
    return before, behind


def _entry(text: str, tooltip: str, icon: str, url: str) -> dict[str, str]:
    return {"type": "link", "text": text, "tooltip": tooltip, "icon": icon, "url": url}


def _here(app: Sphinx, page: str, context: dict[str, Any], doctree: nodes.document) -> str:
    """The first widget that runs in the page; the bench, where a chapter has none."""
    if not lab_files.is_carried():
        return ""
    for figure in doctree.findall(LpFigure):
        if figure["kind"] in LIVE and not live_programs.refused(app, page, figure["name"]):
            return f"#{figure['ids'][0]}"
    return str(context["pathto"](BENCH))


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """To the theme's menu, or to one like it."""
    if doctree is None or not page.startswith(CHAPTERS):
        return
    repository = app.config.html_theme_options.get("repository_url", "")
    before, behind = entries(_here(app, page, context, doctree), repository)
    buttons: list[dict[str, Any]] = context["header_buttons"]
    menu = next((button for button in buttons if button.get("label") == MENU), None)
    if menu is None and (before or behind):
        menu = {"type": "group", "icon": "fas fa-rocket", "label": MENU, "buttons": []}
        buttons.insert(0, menu)
    if menu is not None:
        menu["tooltip"] = "Run this chapter"
        menu["buttons"] = [*before, *menu["buttons"], *behind]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", only_if_published, priority=AFTER_THE_THEME)
    app.connect("html-page-context", add, priority=AFTER_THE_THEME)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
