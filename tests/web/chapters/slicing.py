"""The widgets of a chapter's notebook, made by the statements that they depend on and no others.

The site's own slices (book/extensions/live) take what any function of the chapter might look up, and some run
for minutes. Here a function looks up what a name stood for where the function was used.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from labkit.measures.word import needs
from labkit.results.replay import wider
from labkit.spec import Experiment

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "book/extensions"))
from live import bundles, names, slices  # noqa: E402

sys.path.remove(str(ROOT / "book/extensions"))


def recording(prefix: str, name: str, exp: Experiment) -> Experiment:
    """An experiment of a widget's that records all that is measured and drawn of it."""
    return wider(exp, *needs(bundles.words_of(widget(prefix, name)), exp))


@cache
def stem(prefix: str) -> str:
    """ "03" -> "03-slow-start-and-the-sawtooth"."""
    (found,) = (one for one in slices.stems() if one.split("-")[0] == prefix)
    return found


@cache
def widget(prefix: str, name: str) -> Any:
    """The Explorer or the Question; nothing that it asks about has been run. The chapter's own congestion
    controls stay known."""
    *before, call = slices._statements(stem(prefix), name, slices.CHAPTERS)
    space: dict[str, Any] = {"__name__": "chapter"}
    with contextlib.chdir(slices.CHAPTERS):
        exec(compile(slices._text(needed([*IMPORTS, *before], call)), name, "exec"), space)
    return space[slices.WIDGET]


IMPORTS = ast.parse("from labkit import compile_cc").body  # a cell %%cc has become a call of that


def needed(before: Sequence[ast.stmt], call: ast.stmt) -> list[ast.stmt]:
    """Those that the call depends on, in their order, and the call."""
    trees = [*before, call]
    facts = [names.names(tree) for tree in trees]
    seen: set[tuple[int, int]] = set()

    def want(at: int, user: int) -> None:
        """A statement, which that one uses: what its functions look up late is what stands there by then."""
        if (at, user) in seen:
            return
        seen.add((at, user))
        for name in facts[at].now:
            resolve(name, at)
        for name in facts[at].late:
            resolve(name, user)

    def resolve(name: str, before: int) -> None:
        for at in reversed(range(before)):
            if name in facts[at].binds | facts[at].changes:
                want(at, before)
                if name in facts[at].binds and facts[at].whole:
                    return

    want(len(trees) - 1, len(trees) - 1)
    written = {node.value for at, _ in seen for node in ast.walk(trees[at]) if isinstance(node, ast.Constant)}
    for at, tree in enumerate(trees):
        own_cc = slices._own_cc(tree)
        if own_cc is not None and own_cc in written:  # of the chapter's own, named in an experiment
            want(at, at)
    return [trees[at] for at in sorted({at for at, _ in seen})]
