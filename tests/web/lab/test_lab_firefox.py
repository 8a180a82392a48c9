"""Firefox gives the same bytes, with stacks of its own and without: it opens a page that runs three programs
and posts their digests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from bench.browser import served
from tests.site import policy
from tests.web.lab.lab_site import Counting, Posted, WithoutStacks, fresh

PATIENCE_S = 240
PROGRAMS = ["these", "short", "these"]
PAGE = f"""<!doctype html><html lang="en"><title>lab</title>
<script type="module" src="_static/lab/tests/web/lab/lab_page.mjs"></script>
<script type="module" src="firefox.mjs"></script><p data-programs='{json.dumps(PROGRAMS)}'></p></html>
"""
SCRIPT = """const names = JSON.parse(document.querySelector("[data-programs]").dataset.programs);
const told = (error) => ({ error: `${error}` });
const body = await ask("digests", ...names).then((digests) => ({ digests }), told);
await fetch("found", { method: "POST", body: JSON.stringify(body) });
"""


class PostedWithoutStacks(Posted, WithoutStacks):
    """Both."""


@pytest.mark.parametrize("serving", [Posted, PostedWithoutStacks])
def test_the_same_bytes_in_firefox(
    lab_folder: Path, digests: dict[str, str], tmp_path: Path, serving: type[Counting]
) -> None:
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    (lab_folder / "firefox.html").write_text(PAGE)
    (lab_folder / "firefox.mjs").write_text(SCRIPT)
    handler = fresh(serving, bodies=[], arrived=threading.Event())
    profile = tmp_path / "profile"
    profile.mkdir()
    with served(lab_folder, handler=handler, headers=policy()) as address:
        command = [firefox, "--headless", "--no-remote", "--profile", str(profile), f"{address}firefox.html"]
        environment = os.environ | {"HOME": str(tmp_path), "MOZ_CRASHREPORTER_DISABLE": "1"}
        running = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            came = handler.arrived.wait(PATIENCE_S)
        finally:
            running.terminate()
            running.wait(timeout=30)
    assert came, f"Firefox has posted nothing within {PATIENCE_S} s"
    assert json.loads(handler.bodies[0]) == {"digests": [digests[name] for name in PROGRAMS]}
