"""In a process of its own, so that it can become another user: every attempt to get out, told as JSON.

python -m tests.guest.walls.escapes USER CACHE MODULE
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import warnings
from pathlib import Path

from labkit.doctor.security.escape_attempts import outside, tried, tried_in_guest
from labkit.execute.artifacts.binaries import binaries


def become(user: int, folder: str) -> None:
    """What is imported may be unreadable for that user: so first all is done once."""
    with outside() as target:
        tried_in_guest(target)
    binaries.cache_clear()
    os.environ.update(LABKIT_CACHE=folder, TMPDIR=folder)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def main() -> None:
    """Attempts, what they changed, what labkit warned of."""
    user, folder, module = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    warnings.simplefilter("ignore")
    if user != os.getuid():
        become(user, folder)
    with outside() as target:
        found = [*tried(target), *tried_in_guest(target, module)]
        harmed = target.harmed()
    print(json.dumps({"attempts": [dataclasses.asdict(attempt) for attempt in found], "harmed": harmed}))


if __name__ == "__main__":
    main()
