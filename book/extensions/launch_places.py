"""The menu "run this chapter" at the top of a chapter: what the theme does not add to it by itself.

Each entry opens this chapter somewhere, and says what will run there. Where the project is published stands
in _config.yml (repository.url). The theme makes Binder's entry of it; here are "In this tab", where the site
carries the laboratory, Codespaces, which is GitHub's, and the way to a Jupyter of one's own. Without an
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
INSTALLING = "book/install"
WHOLE = "all cells"
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


def entries(here: str, repository: str, installing: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """What stands before the theme's entries, and what behind them. here: the first figure that runs in the
    page, "" if none does; installing: the page that says how to have a Jupyter with labkit."""
    before, behind = [], []
    if here:
        tooltip = "In your browser; nothing to install"
        before.append(_entry("In this tab: the live figures", tooltip, "fas fa-play", here))
    if there := codespaces(repository):
        tooltip = "JupyterLab on a machine of GitHub's, with your account"
        behind.append(_entry(f"Codespaces: {WHOLE}", tooltip, "fab fa-github", there))
    tooltip = "Install labkit, then open the notebook from the download menu"
    behind.append(_entry(f"Own Jupyter: {WHOLE}", tooltip, "fas fa-laptop", installing))
    return before, behind


def _entry(text: str, tooltip: str, icon: str, url: str) -> dict[str, str]:
    return {"type": "link", "text": text, "tooltip": tooltip, "icon": icon, "url": url}


def _here(app: Sphinx, page: str, doctree: nodes.document) -> str:
    """The first widget that runs in the page."""
    if lab_files.is_carried():
        for figure in doctree.findall(LpFigure):
            if figure["kind"] in LIVE and not live_programs.refused(app, page, figure["name"]):
                return f"#{figure['ids'][0]}"
    return ""


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """To the theme's menu, or to one like it."""
    if doctree is None or not page.startswith(CHAPTERS):
        return
    repository = app.config.html_theme_options.get("repository_url", "")
    before, behind = entries(_here(app, page, doctree), repository, str(context["pathto"](INSTALLING)))
    buttons: list[dict[str, Any]] = context["header_buttons"]
    menu = next((button for button in buttons if button.get("label") == MENU), None)
    if menu is None:
        menu = {"type": "group", "icon": "fas fa-rocket", "label": MENU, "buttons": []}
        buttons.insert(0, menu)
    for binder in menu["buttons"]:
        binder["text"] = f"Binder: {WHOLE}"
        binder["tooltip"] = "JupyterLab on mybinder.org, without an account; it takes a few minutes to start"
    menu["tooltip"] = "Run this chapter"
    menu["buttons"] = [*before, *menu["buttons"], *behind]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", only_if_published, priority=AFTER_THE_THEME)
    app.connect("html-page-context", add, priority=AFTER_THE_THEME)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
