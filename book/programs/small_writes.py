"""A client that writes each request in two pieces, header and body, to a server that waits for both.

`server [quickack]` serves one connection at port 7000. `client HOST HOW COUNT EVERY` prints JSON: seconds
from each request to its answer. HOW: "two" (two writes), "nodelay" (two, with TCP_NODELAY), "more" (two, the
first with MSG_MORE), "one" (both pieces in one write).
"""

import json
import socket
import sys
import time

HEADER, BODY, ANSWER = bytes(20), bytes(180), bytes(200)


def read(sock: socket.socket, size: int, quickack: bool = False) -> bool:
    """Whether so many bytes came before the other end closed."""
    while size:
        if quickack:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        got = len(sock.recv(size))
        if not got:
            return False
        size -= got
    return True


def serve(quickack: bool) -> None:
    with socket.create_server(("", 7000)) as listener:
        sock, _ = listener.accept()
        while read(sock, len(HEADER), quickack) and read(sock, len(BODY), quickack):
            sock.sendall(ANSWER)


def ask(host: str, how: str, count: int, every: float) -> list[float]:
    sock = socket.create_connection((host, 7000))
    if how == "nodelay":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    waits = []
    for _ in range(count):
        began = time.monotonic()
        if how == "one":
            sock.sendall(HEADER + BODY)
        else:
            sock.send(HEADER, socket.MSG_MORE if how == "more" else 0)
            sock.sendall(BODY)
        read(sock, len(ANSWER))
        waits.append(round(time.monotonic() - began, 6))
        time.sleep(every)
    return waits


if sys.argv[1] == "server":
    serve("quickack" in sys.argv[2:])
else:
    host, how, count, every = sys.argv[2:]
    print(json.dumps(ask(host, how, int(count), float(every))))
