"""What of a page in MyST is prose, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(`{3,}|:{3,}|~{3,})\s*(\{[\w:-]+\}|\w+)?")
_CODE = {"{code-cell}", "{code-block}", "{eval-rst}", "{math}", "{index}", "{way}"}
_COMMENT = re.compile(r"^\s*(?:%|<!--)\s*(.*?)\s*(?:-->)?\s*$")
_INLINE = re.compile(r"(`+)(?!`).*?\1|\$[^$]+\$|\]\([^)]*\)|<[^>]*>")


def prose(text: str) -> Iterator[tuple[int, str, str]]:
    """(number, text, the comment above it) of each line that a reader reads. Cells are none, and nothing is
    there of what is written as code or as a formula, or quoted. What directives hold is."""

    inside: list[tuple[str, bool]] = []
    above = ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and inside and not fence[2] and line.strip().startswith(inside[-1][0]):
            inside.pop()
        elif fence and not (inside and inside[-1][1]):
            inside.append((fence[1], fence[2] is None or fence[2] in _CODE or fence[2][0] != "{"))
        elif not (inside and inside[-1][1]) and not line.startswith(">"):
            if comment := _COMMENT.match(line):
                above = comment[1]
                continue
            # As many letters, so that a pattern does not reach across what was code.
            yield number, _INLINE.sub(lambda found: "\0" * len(found[0]), line), above
            above = ""
