"""The agent's errors in words: which step of the experiment it was, and what the kernel said."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from labkit.decode.raw import Raw
from labkit.errors import AgentError
from labkit.errors.strangers_text import escaped
from labkit.program.structs import Kind

_HINTS = {
    errno.ENOMEM: "the guest has no memory left: write memory='1GiB' in the Experiment",
    errno.EPERM: "this needs a privilege that the place has not",
}


def raise_agent_error(raw: Raw, why: Sequence[str]) -> None:
    """AgentError for the first error in a raw file, if there is one. why: of each program record."""
    records = raw.records(Kind.ERROR)
    if not len(records):
        return
    head, said = raw.heads(records)[0], raw.texts(records)[0]
    step = why[head["record"]] if head["record"] < len(why) else f"step {head['record']}"
    code = int(head["error"])
    name = errno.errorcode.get(code, str(code))
    text = f"{step}: {escaped(said) or 'the kernel refuses it'} ({name}: {os.strerror(code)})"
    if hint := _HINTS.get(code):
        text += f": {hint}"
    raise AgentError(text)
