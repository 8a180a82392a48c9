"""HTTP/3 by aioquic: asks a host for /FIRST, then for all other paths at once, over one connection.

Prints JSON: seconds from the start to the end of the handshake, and of each object its bytes, and seconds
from the start to when it was asked for, to its first byte and to its last. Arguments: host, paths.
"""

import asyncio
import json
import ssl
import sys
import time

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent


class Client(QuicConnectionProtocol):
    def __init__(self, *arguments, **more) -> None:
        super().__init__(*arguments, **more)
        self.http = H3Connection(self._quic)
        self.objects: dict[int, dict] = {}
        self.whole: dict[int, asyncio.Event] = {}

    def ask(self, host: str, path: str) -> int:
        number = self._quic.get_next_available_stream_id()
        head = {":method": "GET", ":scheme": "https", ":authority": host, ":path": path}
        pairs = [(name.encode(), value.encode()) for name, value in head.items()]
        self.http.send_headers(number, pairs, end_stream=True)
        self.objects[number] = {"path": path, "bytes": 0, "asked_s": now(), "steps": []}
        self.whole[number] = asyncio.Event()
        return number

    def quic_event_received(self, event: QuicEvent) -> None:
        for got in self.http.handle_event(event):
            if isinstance(got, HeadersReceived | DataReceived):
                row = self.objects[got.stream_id]
                row.setdefault("first_s", now())
                if isinstance(got, DataReceived) and got.data:
                    row["bytes"] += len(got.data)
                    row["steps"].append((now(), row["bytes"]))
                if got.stream_ended:
                    row["done_s"] = now()
                    self.whole[got.stream_id].set()


began = time.monotonic()


def now() -> float:
    return round(time.monotonic() - began, 6)


async def main(host: str, first: str, *others: str) -> None:
    settings = QuicConfiguration(alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE)
    async with connect(host, 4433, configuration=settings, create_protocol=Client) as client:
        connected = now()
        for paths in ([first], others):
            numbers = [client.ask(host, path) for path in paths]
            client.transmit()
            for number in numbers:
                await client.whole[number].wait()
    print(json.dumps({"connected_s": connected, "objects": list(client.objects.values())}), flush=True)


asyncio.run(main(*sys.argv[1:]))
