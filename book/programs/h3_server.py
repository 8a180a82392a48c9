"""HTTP/3 by aioquic, port 4433: GET /N is answered with N bytes. Ends with the first connection that ends.

Arguments: certificate, key, congestion control ("reno" or "cubic").
"""

import asyncio
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent

over = asyncio.Event()


class Server(QuicConnectionProtocol):
    def __init__(self, *arguments, **more) -> None:
        super().__init__(*arguments, **more)
        self.http = H3Connection(self._quic)

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ConnectionTerminated):
            over.set()
        for got in self.http.handle_event(event):
            if isinstance(got, HeadersReceived):
                self.answer(got)

    def answer(self, got: HeadersReceived) -> None:
        size = int(dict(got.headers)[b":path"].removeprefix(b"/"))
        head = [(b":status", b"200"), (b"content-length", b"%d" % size)]
        self.http.send_headers(got.stream_id, head)
        self.http.send_data(got.stream_id, bytes(size), end_stream=True)
        self.transmit()


async def main(certificate: str, key: str, control: str) -> None:
    settings = QuicConfiguration(
        is_client=False, alpn_protocols=H3_ALPN, congestion_control_algorithm=control
    )
    settings.load_cert_chain(certificate, key)
    await serve("0.0.0.0", 4433, configuration=settings, create_protocol=Server)
    await over.wait()


asyncio.run(main(*sys.argv[1:]))
