"""Types letters into a remote shell and waits for nothing; prints when each was typed and when its echo came.

Arguments: how many, seconds between them, the command that opens the shell (whose prompt ends in "$").
"""

import json
import subprocess
import sys
import threading
import time

count, every = int(sys.argv[1]), float(sys.argv[2])
shell = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
while (byte := shell.stdout.read(1)) != b"$":
    if not byte:
        sys.exit("the shell ended")
typed, echoed = [], []


def listen() -> None:
    while len(echoed) < count and (byte := shell.stdout.read(1)):
        if byte.isalpha():
            echoed.append(time.monotonic())


ear = threading.Thread(target=listen)
ear.start()
time.sleep(1)
begin = time.monotonic()
for i in range(count):
    time.sleep(max(0.0, begin + i * every - time.monotonic()))
    typed.append(time.monotonic())
    shell.stdin.write(b"x")
    shell.stdin.flush()
ear.join()
shell.kill()
print(json.dumps({"typed_s": typed, "echoed_s": echoed}))
