"""Which commands a reader may type on a sick network: an engineer's tools, which look and change nothing."""

from __future__ import annotations

import re
import shlex

from labkit.errors import SpecError

TOOLS = ("ping", "tracepath", "ip", "ethtool", "tc", "nstat", "ss", "tcpdump")
FILTERS = ("grep", "head", "tail", "wc", "sort", "cut", "uniq")
_SHELL = re.compile(r"[;&<>`$\\]|\n")
_CHANGES = {
    "ip": {"set", "add", "del", "delete", "replace", "change", "append", "flush", "netns", "exec", "batch"},
    "tc": {"add", "del", "delete", "replace", "change", "exec", "batch"},
    "tcpdump": {"-w", "-r", "-z", "-F", "-V"},
    "ss": {"-K", "--kill", "-D", "-F"},
}
_ETHTOOL_LOOKS = {"-S", "-m", "-c", "-a", "-g", "-k", "-i", "--statistics", "--module-info", "-I"}


def allowed(command: str) -> str:
    """The command, if it only looks: one of TOOLS, perhaps with FILTERS behind it. Raises SpecError."""
    text = command.strip()
    if _SHELL.search(_without_quotes(text)):
        raise SpecError(f"command={command!r}: one tool at a time, with a pipe to grep, head or tail at most")
    first, *rest = _pipeline(text)
    if not first or first[0] not in TOOLS:
        raise SpecError(f"command={command!r}: the tools are {', '.join(TOOLS)}")
    for part in rest:
        if not part or part[0] not in FILTERS:
            raise SpecError(f"command={command!r}: behind a pipe there may be {', '.join(FILTERS)}")
    if _acts(first):
        raise SpecError(f"command={command!r}: look only: nobody has allowed you to change this network")
    return text


def _without_quotes(text: str) -> str:
    return re.sub(r"'[^']*'", "", text)


def _pipeline(text: str) -> list[list[str]]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError as error:
        raise SpecError(f"command={text!r}: {error}: close the quotes") from None
    parts: list[list[str]] = [[]]
    for word in words:
        if set(word) == {"|"}:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _acts(words: list[str]) -> bool:
    tool, *rest = words
    if tool == "ethtool":
        return any(word.startswith("-") and word not in _ETHTOOL_LOOKS for word in rest)
    return bool(_CHANGES.get(tool, set()) & set(rest))
