"""A client that opens a connection for each request and closes it, at a steady pace, and its server.

`server` serves port 7000 and reads until the client closes; `server first` closes as soon as it has the
request. `client HOST COUNT EVERY [last]` opens COUNT connections, one every EVERY seconds, and closes each
when it has sent 20 bytes, or after the server ("last"). Prints JSON: a row per attempt, in seconds since the
first, with the error ("" is none).
"""

import json
import socket
import sys
import time


def serve(first: bool) -> None:
    with socket.create_server(("", 7000), backlog=1000) as listener:
        while True:
            sock, _ = listener.accept()
            while sock.recv(4096) and not first:
                pass
            sock.close()


def attempt(host: str, last: bool) -> str:
    try:
        with socket.create_connection((host, 7000)) as sock:
            sock.sendall(bytes(20))
            if last:
                sock.recv(1)
        return ""
    except OSError as error:
        return error.strerror


def ask(host: str, count: int, every: float, last: bool) -> list[tuple[float, str]]:
    began = time.monotonic()
    rows = []
    for number in range(count):
        time.sleep(max(0.0, began + number * every - time.monotonic()))
        rows.append((round(time.monotonic() - began, 4), attempt(host, last)))
    return rows


if sys.argv[1] == "server":
    serve("first" in sys.argv[2:])
else:
    host, count, every, *more = sys.argv[2:]
    print(json.dumps(ask(host, int(count), float(every), "last" in more)))
