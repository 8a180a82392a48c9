"""What a reader of the chapters sees of them in JupyterLab: the chapters themselves, folded as on the site.

`make lab` and Binder take this folder. Recordings and lists of claims lie beside the chapters. The browser of
files does not list them; they open by their addresses.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupytext.async_contentsmanager import build_async_jupytext_contents_manager_class

from labkit.cli.chapters_command import fold, unfold

NOT_LISTED = ["__pycache__", "*.pyc", "*~", "[0-9][0-9]-*.ipynb", "[A-Z]-*.ipynb", "*.claims.json", ".*"]


class Chapters(build_async_jupytext_contents_manager_class(AsyncLargeFileManager)):  # type: ignore[misc]
    """Folds cells as they are opened. A text that is saved has no word of it: its tags say it."""

    async def get(self, path: str, *args: Any, **options: Any) -> dict[str, Any]:
        model: dict[str, Any] = await super().get(path, *args, **options)
        if model["type"] == "notebook" and model["content"]:
            fold(model["content"]["cells"])
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        if model["type"] == "notebook" and path.endswith(".md"):
            unfold(model["content"]["cells"])
        saved: dict[str, Any] = await super().save(model, path)
        return saved


c = get_config()  # type: ignore[name-defined] # noqa: F821 - Jupyter gives it
c.ServerApp.contents_manager_class = Chapters
c.ContentsManager.hide_globs = NOT_LISTED
