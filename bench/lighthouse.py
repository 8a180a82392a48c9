"""What Lighthouse says of a page: a phone four times slower than this machine, on slow 4G, both simulated.

Lighthouse is fetched by npm when it is first asked for; the browser is that of the tests. Files are sent
compressed, as a host sends them.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench import browser, site
from bench.measure import Sample

LIGHTHOUSE = "lighthouse@12.8.2"
FIRST, CHAPTER = "book/intro.html", site.PAGE
_FLAGS = "--headless=new --no-sandbox"
_TEXT = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".webmanifest")


class Compressing(browser.Quiet):
    """Sends texts compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # noqa: N802
        path = Path(self.translate_path(self.path))
        if path.suffix not in _TEXT or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)


@functools.cache
def _report(page: str) -> dict[str, Any]:
    """All that it found. Raises RuntimeError."""
    with tempfile.TemporaryDirectory(prefix="labkit-bench-") as folder:
        site.built(folder)
        found = Path(folder, "lighthouse.json")
        with browser.served(Path(folder, "_build", "html"), handler=Compressing) as address:
            command = ["npx", "--yes", LIGHTHOUSE, address + page, "--quiet", f"--chrome-flags={_FLAGS}"]
            done = subprocess.run(
                [*command, "--output=json", f"--output-path={found}"],
                env={**os.environ, "CHROME_PATH": browser.executable()},
                capture_output=True,
                text=True,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{LIGHTHOUSE}: {(done.stderr or done.stdout).strip()[-2000:]}")
        report: dict[str, Any] = json.loads(found.read_bytes())
    return report


def score(page: str) -> Sample:
    """The lowest of performance, accessibility, best practices and SEO, of 100."""
    return Sample(100 * min(one["score"] for one in _report(page)["categories"].values()))


def shown(page: str) -> Sample:
    """Until its largest text or picture is there, s."""
    return Sample(_report(page)["audits"]["largest-contentful-paint"]["numericValue"] / 1000)


def weight(page: str) -> Sample:
    """All that it loads at once, kB."""
    return Sample(_report(page)["audits"]["total-byte-weight"]["numericValue"] / 1000)


PAGES = (("first", "the first page", FIRST), ("chapter", "chapter 1's page", CHAPTER))
MEASURES = (
    ("score", "lowest score of Lighthouse", score, "of 100", 95, 100, True),
    ("shown", "its largest part is shown", shown, "s", 2.5, 1.5, False),
    ("weight", "all that it loads", weight, "kB", 400, 250, False),
)
"""Name, what, how, unit, asked, aim, whether more is better."""
