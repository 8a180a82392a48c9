"""Debian's Firefox, as far as tests need one: by WebDriver BiDi, the protocol that it speaks itself
(https://w3c.github.io/webdriver-bidi)."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket

PATIENCE_S = 60
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c"}


class Firefox:
    """One tab, told what to do."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(
            f"{address}/session", timeout=PATIENCE_S, suppress_origin=True
        )
        self._numbers = itertools.count(1)
        self.ask("session.new", capabilities={})
        # In the tab that it starts with, the field for addresses has the focus: a page's buttons take no key.
        self._tab = self.ask("browsingContext.create", type="tab")["context"]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command. Raises AssertionError with Firefox's words."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def goto(self, address: str, *, width: int, height: int = 900) -> None:
        self.ask(
            "browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height}
        )
        self.ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """A value that JSON has, awaited if it is promised."""
        answer = self.ask(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"].get("value", "null"))

    def press(self, key: str) -> None:
        pressed = [{"type": way, "value": KEYS[key]} for way in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": pressed})

    def click(self, x: float, y: float) -> None:
        """Where, in CSS pixels of the viewport."""
        moved = {"type": "pointerMove", "x": round(x), "y": round(y)}
        pressed = [{"type": way, "button": 0} for way in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": [moved, *pressed]})

    def _act(self, source: dict[str, Any]) -> None:
        self.ask("input.performActions", context=self._tab, actions=[source])


@contextlib.contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """A headless Firefox whose profile and home are this folder. Skipped where none is."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    command = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
    environment = os.environ | {"HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"}
    running = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert running.stderr
        said = (re.search(r"WebDriver BiDi listening on (ws://\S+)", line) for line in running.stderr)
        address = next((found[1] for found in said if found), None)
        assert address, "Firefox has ended before it listened"
        yield Firefox(address)
    finally:
        running.terminate()
        running.wait(timeout=30)
