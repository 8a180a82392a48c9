"""A client that keeps sending to a server, or waits for it in silence, until TCP reports an error.

`server [SECONDS]` accepts a connection at port 7000 and reads; after SECONDS it forgets the connection
without a word to its peer, as after a crash (TCP_REPAIR, which takes root). `client HOST EVERY [OPTION=VALUE
...]` sends 20 bytes every EVERY seconds; with EVERY 0 once, and then waits. Prints JSON: which error came, in
seconds since it connected. Options are those of the socket: user_timeout (ms), keepidle, keepintvl (s),
keepcnt.
"""

import json
import select
import socket
import sys
import time

TCP_REPAIR = 19


def serve(forget_s: float) -> None:
    with socket.create_server(("", 7000)) as listener:
        sock, _ = listener.accept()
        if forget_s:
            time.sleep(forget_s)
            sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
            sock.close()
            time.sleep(1e6)
        while sock.recv(4096):
            pass


def connect(host: str, options: list[str]) -> socket.socket:
    sock = socket.create_connection((host, 7000))
    for name, _, value in (option.partition("=") for option in options):
        if name.startswith("keep"):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_{name.upper()}"), int(value))
    return sock


def talk(sock: socket.socket, every: float) -> None:
    """Raises OSError."""
    while True:
        sock.sendall(bytes(20))
        if select.select([sock], [], [], every or None)[0]:
            sock.recv(1)


if sys.argv[1] == "server":
    serve(float(sys.argv[2]) if sys.argv[2:] else 0)
else:
    connection = connect(sys.argv[2], sys.argv[4:])
    began = time.monotonic()
    try:
        talk(connection, float(sys.argv[3]))
    except OSError as error:
        print(json.dumps({"error_s": time.monotonic() - began, "error": error.strerror}))
