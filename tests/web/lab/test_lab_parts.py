"""The parts of a page's laboratory by themselves, in node; what the site has of it, and under which names."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.site import extension

ROOT = Path(__file__).parents[3]
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']|new URL\(\s*["']([^"']+\.mjs)["']""")


def test_its_parts_hold_by_themselves() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    done = subprocess.run(
        ["node", "--test", "tests/web/lab/lab.test.mjs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_piece_lies_where_the_listing_says_with_its_digest_in_its_name(lab_folder: Path) -> None:
    lab = lab_folder / "_static/lab"
    listing = json.loads((lab / "pieces.json").read_text())
    assert listing["format"] == 1
    assert re.fullmatch(r"6\.12\.\d+", listing["kernel"])
    assert {"plain", "lab"} <= listing["files"].keys()
    for piece in listing["files"].values():
        content = (lab / piece["path"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (piece["bytes"], piece["sha256"])
        if piece.get("gzip"):
            assert piece["sha256"][:16] in piece["path"]
            assert not piece["path"].endswith(".gz"), "some servers undo the compression of such names"


def test_about_two_megabytes_are_fetched_before_a_first_run(lab_folder: Path) -> None:
    files = json.loads((lab_folder / "_static/lab/pieces.json").read_text())["files"]
    assert files["plain"]["bytes"] < 1.9e6
    assert files["lab"]["bytes"] < 2.5e6


def test_what_a_script_imports_is_served_beside_it(lab_folder: Path) -> None:
    lab = lab_folder / "_static/lab"
    missing = []
    for script in sorted(lab.rglob("*.mjs")):
        for imported, named in IMPORTED.findall(script.read_text()):
            target = (script.parent / (imported or named)).resolve()
            if not target.is_file() and "python" not in target.parts:
                missing.append(f"{script.relative_to(lab)}: {imported or named}")
    assert not missing
    assert not list(lab.rglob("*node.mjs")), "what needs node is not for pages"


def test_scripts_within_a_page_become_files_and_data_stays() -> None:
    policy = extension("policy")
    page = (
        "<head><script>let a = 1;</script>\n  <script data-x='y'>let b = 2;</script>"
        "<script src='c.js'></script>"
        '<script type="application/json">{"a": 1}</script></head><body><p>words<script>d()</script></body>'
    )
    kept, files = policy.without_inline(page, "../_static")
    assert sorted(files.values()) == ["d()\n", "let a = 1;\nlet b = 2;\n"]
    names = {content: name for name, content in files.items()}
    first, last = names["let a = 1;\nlet b = 2;\n"], names["d()\n"]
    assert kept == (
        f"<head><script src=\"../_static/{first}\"></script>\n<script src='c.js'></script>"
        '<script type="application/json">{"a": 1}</script></head><body><p>words'
        f'<script src="../_static/{last}"></script>\n</body>'
    )
    assert policy.without_inline(kept, "../_static") == (kept, {})


def test_the_policy_runs_nothing_but_files_of_the_site_and_webassembly() -> None:
    parts = dict(part.split(" ", 1) for part in extension("policy").POLICY.split("; "))
    assert parts["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert parts["default-src"] == parts["connect-src"] == parts["worker-src"] == "'self'"
