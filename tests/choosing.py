"""Which tests `make test` runs: those whose outcome may have changed, and a quarter of the others.

A test of the folders below is left out if it has passed on this machine before with the same closure
(tests/closure.py), lab kernel, Python and packages. The passes are kept in the user's cache, so a fresh clone
knows them. Pages of the site are chosen once they are built (tests/browser/conftest.py). A quarter of what
would be left out runs all the same; which quarter, the commit says. All other tests always run: what could be
different each time (kills, walls, races, course work of strangers), and the many small ones.

pytest-testmon would choose by coverage. Here most of a test runs in other processes and in another kernel,
which it cannot see, and its memory lies in the clone.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import subprocess
from pathlib import Path

import pytest

from tests import closure, kept
from tests.times import group_of

PAGE = (
    "_config.yml",
    "book/bench.md",
    "book/data/**/*",
    "book/extensions/**/*",
    "web/**/*",
    "book/static/**/*",
    "labkit/**/*[!y]",  # all but Python, which closures have
    "tests/**/*.mjs",
)
"""What a page is made of that Python does not import: scripts, styles, what builds the site."""
CHAPTERS = "chapters/*.ipynb"
PACKAGE = (
    "LICENSES/*",
    "README.md",
    "book/data/**/*",
    "chapters/**/*",
    "labkit/**/*",
    "pyproject.toml",
    "scripts/**/*",
)
"""What the wheels and the sdist are made of, the chapters among it."""

CHOSEN: dict[str, tuple[str, ...]] = {
    "tests/chapters/test_claims.py::test_a_shake_measured_again_gives": (),
    "tests/chapters/test_recordings.py": (),
    **{
        f"tests/guest/{folder}/": ()
        for folder in ("congestion", "figures", "nic", "programs", "queues", "recovery", "traffic")
    },
    "tests/guest/sweeps/test_mysteries.py": (),
    "tests/guest/packages/": PACKAGE,
    "tests/guest/parity/": PAGE,
    "tests/wasm/": PAGE,
    **{
        f"tests/browser/test_{file}.py": PAGE
        for file in ("blocks", "figures", "mystery", "notebook_widgets", "player", "player_alone", "widgets")
    },
    **{
        f"tests/web/{some}": PAGE
        for some in ("bench/", "lab/", "test_player_live.py", "widgets/test_widget_parts.py")
    },
    **{
        f"tests/web/{folder}/": (*PAGE, CHAPTERS) for folder in ("chapters", "charts", "measures", "programs")
    },
}
"""Where tests are chosen from, by how their names begin. If files are named, a test depends on those of the
book and its chapters; else on what its closure has of them. The rest of tests/ always runs."""
QUARTERS = 4
_PROPERTY = "closure"  # of a test: what its pass will be kept as


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option of pytest."""
    parser.addoption(
        "--chosen",
        action="store_true",
        help="leave out what has passed here before as it is now, but for a quarter (make test)",
    )


def drawn(name: str, commit: str) -> bool:
    """Is this one of the quarter that a commit (its hash) has run, whatever has passed?"""
    quarter = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % QUARTERS
    return int(commit[:8] or "0", 16) % QUARTERS == quarter


def commit() -> str:
    """The hash of the commit that is checked out; none outside of a clone."""
    asked = ["git", "rev-parse", "HEAD"]
    try:
        done = subprocess.run(asked, cwd=closure.ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


@functools.cache
def outside() -> str:
    """A digest of what a test depends on outside of the project's files: the lab kernel, Python, packages."""
    from labkit.errors import LabkitError
    from labkit.execute.guest.kernel.build import kernel

    try:
        lab = kernel().key
    except LabkitError as none:
        lab = str(none)
    versions = (lab, platform.python_version(), platform.machine(), platform.libc_ver()[1])
    lock = (closure.ROOT / "binder/requirements.lock").read_bytes()
    return hashlib.sha256(" ".join(versions).encode() + lock).hexdigest()


@functools.cache
def outside_of_page() -> str:
    """The same of what pages run in: the kernel in WebAssembly, node, the browser."""
    from bench.browser import NoBrowserError, executable
    from labkit.errors import LabkitError
    from labkit.execute.wasm.linked import linked

    try:
        machine = linked().key
    except LabkitError as none:
        machine = str(none)
    try:
        browser = executable()
    except NoBrowserError as none:
        return f"{machine} {_version('node')} {none}"
    return f"{machine} {_version('node')} {_version(browser)}"


def _version(program: str) -> str:
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return f"no {program}"


_digest = functools.cache(closure.digest)


@functools.cache
def _matching(pattern: str) -> frozenset[Path]:
    skipped = {"__pycache__", "node_modules"}
    found = (path for path in closure.ROOT.glob(pattern) if path.is_file())
    return frozenset(path for path in found if not skipped.intersection(path.parts))


def _notebooks(item: pytest.Item) -> frozenset[Path]:
    """The chapters that a test is about, by its parameters: a notebook, its stem ("07-slow-start-...") or
    its number ("07")."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = {one for one in given if isinstance(one, str)}
    about = {one for one in given if isinstance(one, Path) and one.suffix == ".ipynb"}
    of_names = {path for path in _matching(CHAPTERS) if names & {path.stem, path.stem.partition("-")[0]}}
    return frozenset(about | of_names)


def depends_on(item: pytest.Item) -> frozenset[Path] | None:
    """The files that can change the outcome of a test that is chosen; None if it always runs."""
    start = _start(item)
    return None if start is None else _depends_on(item.path, start, _notebooks(item))


@functools.cache
def _depends_on(test: Path, start: str, about: frozenset[Path]) -> frozenset[Path]:
    files = closure.of(test)
    if patterns := CHOSEN[start]:
        files = frozenset(file for file in files if not file.is_relative_to(closure.ROOT / "book"))
        files = files.difference(_matching(CHAPTERS))
        return files.union(*(about if about and one == CHAPTERS else _matching(one) for one in patterns))
    for notebook in about:
        claims = notebook.with_suffix(".claims.json")
        files |= closure.of(notebook) | ({claims} if claims.exists() else set())
    return files


def _start(item: pytest.Item) -> str | None:
    return next((start for start in CHOSEN if item.nodeid.startswith(start)), None)


def identity(item: pytest.Item) -> str | None:
    """What a pass of this test is kept as; None if it always runs."""
    files = depends_on(item)
    if files is None:
        return None
    page = outside_of_page() if set(PAGE) <= set(CHOSEN[_start(item) or ""]) else ""
    return hashlib.sha256(f"{item.nodeid} {_digest(files)} {outside()}{page}".encode()).hexdigest()


class Choosing:
    """A pytest plugin. The process that starts the others reads what has passed, once for all of them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.here = commit()
        self.main = not hasattr(config, "workerinput")
        if self.main:
            self.kept = kept.here()
            self.kept.forget()
            self.passed = self.kept.passed()
        else:
            self.passed = set(config.workerinput[_PROPERTY])

    def skip_unless_changed(self, item: pytest.Item, digest: str) -> None:
        """For a test of something that is made as the tests run, a page of the site: digest is of that. Of
        its own closure only the tests count."""
        tests = frozenset(
            file for file in closure.of(item.path) if file.is_relative_to(closure.ROOT / "tests")
        )
        what = f"{item.nodeid} {_digest(tests)} {outside()} {digest}"
        name = hashlib.sha256(what.encode()).hexdigest()
        item.user_properties.append((_PROPERTY, name))
        if self.leaves_out(item, name, item.nodeid):
            pytest.skip("as it was when it last passed")

    def leaves_out(self, item: pytest.Item, name: str, group: str) -> bool:
        return name in self.passed and item.config.getoption("--chosen") and not drawn(group, self.here)

    def spares(self, item: pytest.Item) -> bool:
        """Whether a test that runs may begin with what earlier ones have made: unless it has passed as it is,
        and is drawn."""
        known = any(name == _PROPERTY and value in self.passed for name, value in item.user_properties)
        again = known and drawn(group_of(item.nodeid), self.here)
        return item.config.getoption("--chosen") and not again

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Of xdist: what is handed to each worker. All must choose alike."""
        node.workerinput[_PROPERTY] = sorted(self.passed)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        out = []
        for item in items:
            if (name := identity(item)) is None:
                continue
            item.user_properties.append((_PROPERTY, name))
            if self.leaves_out(item, name, group_of(item.nodeid)):
                out.append(item)
        if out:
            config.hook.pytest_deselected(items=out)
            gone = {item.nodeid for item in out}
            items[:] = [item for item in items if item.nodeid not in gone]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self.main:
            return
        for name, value in report.user_properties:
            if name == _PROPERTY and report.when == "call" and report.passed:
                self.kept.add_pass(value)
