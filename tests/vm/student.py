"""A student before JupyterLab: pages by HTTP, cells by the kernel's channels."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import websocket

PATIENCE_S = 1200


class Student:
    """port: of JupyterLab on 127.0.0.1; token: None for somebody who has none."""

    def __init__(self, port: int, token: str | None) -> None:
        self.host = f"127.0.0.1:{port}"
        self.token = token

    def get(self, address: str, /, **json_body: Any) -> tuple[int, str, str]:
        """Status, address in the end, text. With a body it is a POST."""
        data = json.dumps(json_body).encode() if json_body else None
        headers = {"Authorization": f"token {self.token}"} if self.token else {}
        request = urllib.request.Request(f"http://{self.host}{address}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.url, refusal.read().decode()

    def cells(self, chapter: str) -> list[str]:
        """The code cells of a chapter's notebook."""
        status, _, text = self.get(f"/api/contents/chapters/{chapter}.ipynb?content=1")
        assert status == 200, text
        cells = json.loads(text)["content"]["cells"]
        return [cell["source"] for cell in cells if cell["cell_type"] == "code"]

    @contextmanager
    def kernel(self, folder: str) -> Iterator[Kernel]:
        """A Python kernel that was started beside the notebooks of a folder."""
        status, _, text = self.get("/api/kernels", name="python3", path=f"{folder}/any.ipynb")
        assert status == 201, text
        address = f"ws://{self.host}/api/kernels/{json.loads(text)['id']}/channels?token={self.token}"
        channels = websocket.create_connection(address, timeout=PATIENCE_S)
        try:
            yield Kernel(channels)
        finally:
            channels.close()


class Kernel:
    """What runs cells."""

    def __init__(self, channels: websocket.WebSocket) -> None:
        self._channels = channels

    def run(self, code: str) -> str:
        """What the cell printed. Raises AssertionError with the traceback of one that failed."""
        header = {"msg_id": uuid.uuid4().hex, "session": "test", "username": "", "version": "5.3"}
        header["msg_type"] = "execute_request"
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self._channels.send(json.dumps(message | {"channel": "shell"}))
        printed = ""
        while True:
            answer = json.loads(self._channels.recv())
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            kind, said = answer["header"]["msg_type"], answer["content"]
            if kind == "stream" and said["name"] == "stdout":
                printed += said["text"]
            assert kind != "error", re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(said["traceback"]))[-3000:]
            if kind == "status" and said["execution_state"] == "idle":
                return printed
