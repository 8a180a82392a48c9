"""Python for the page: Pyodide, pydantic's core, and of labkit what describes and compiles experiments.

Pyodide comes from npm; the core, compiled for it, from PyPI (web/programs/requirements.txt, by
scripts/setup.sh). All else is what is installed here. Node compiles the modules and takes a picture of the
memory of a Python that has loaded its library: from that a page's Python starts in a fraction of a second.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import labkit
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN

HERE = Path(__file__).parent
NPM = Path(labkit.__file__).parents[1] / "web"
PYODIDE = NPM / "node_modules/pyodide"
WHEELS = NPM / "node_modules/.pyodide"
ENV = {"PYDANTIC_DISABLE_PLUGINS": "__all__", "HOME": "/home/pyodide", "PYTHONHASHSEED": "0"}
SETTINGS = "settings.json"

_ROOMS = "compile errors netlink probes program qdiscs schema spec traffic units.py"
_FILES = "__init__.py __init__.pyi execute/__init__.py execute/machine/__init__.py execute/machine/memory.py"
_FILES += " decode/__init__.py decode/plain_tables.py execute/wasm/__init__.py execute/wasm/unsupported.py"
_FILES += " results/__init__.py results/hooks.py widgets/knobs.py widgets/space.py widgets/typed_numbers.py"
_LIVE = "__init__.py in_page.py maker.py planned.py"
_PURE = {
    "annotated-types": ("annotated_types/",),
    "lazy-loader": ("lazy_loader/__init__.py",),
    "pydantic": ("pydantic/",),
    "pyroute2": tuple(
        f"pyroute2/{part}"
        for part in [
            "common.py",
            "config/",
            "protocols/",
            "netlink/__init__.py",
            "netlink/exceptions.py",
            "netlink/rt_files.py",
            "netlink/rtnl/",
            "netlink/nfnetlink/__init__.py",
            "netlink/nfnetlink/nftsocket.py",
        ]
    ),
    "typing-extensions": ("typing_extensions.py",),
    "typing-inspection": ("typing_inspection/",),
}
_LEFT_OUT = (
    "pyroute2/netlink/rtnl/probe_msg",
    "pydantic/v1/",
    "pydantic/deprecated/",
    "pydantic/mypy.py",
    "pydantic/_internal/_git.py",
)
_WRITTEN = {
    "labkit/widgets/__init__.py": "from labkit.widgets.knobs import Choice, Slider, Toggle\n",
    "pyroute2/__init__.py": "",
    "pyroute2/netlink/nlsocket.py": "AsyncNetlinkSocket = NetlinkSocket = object\n",
    "yaml.py": "class YAMLError(ValueError): ...\n"
    "def safe_load(text):\n    raise YAMLError('a page reads JSON')\n",
}
"""In place of what a page has not: figures, sockets, YAML."""

_NOT_OF_THE_LIBRARY = [
    "_pyrepl",
    "bdb",
    "ctypes",
    "doctest",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "mailbox",
    "optparse",
    "pdb",
    "pickletools",
    "pydoc",
    "smtplib",
    "tarfile",
    "unittest",
    "wsgiref",
    "xml",
    "xmlrpc",
]


def write(folder: Path) -> None:
    """All of it into this folder. Raises SetupError naming what this machine lacks, RuntimeError if all is
    there and a page's Python does not start with it: it may import a file that _FILES forgets."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(_made().iterdir()):
        shutil.copyfile(path, folder / path.name)


def _made() -> Path:
    """The files, made now or once before."""
    sources = dict(_sources())
    core, core_sources = _core()
    sources |= core_sources
    digest = hashlib.sha256((HERE / "image.mjs").read_bytes() + Path(__file__).read_bytes() + core)
    digest.update(repr(BUILT_IN).encode())
    digest.update((_pyodide() / "package.json").read_bytes())
    for name, content in sorted(sources.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    kept = cache.folder("pages") / f"python-{digest.hexdigest()[:16]}"
    if not kept.is_dir():
        making = Path(tempfile.mkdtemp(prefix="making-", dir=kept.parent))
        try:
            _make(making, sources, core)
            (making / "site").replace(kept)
        except OSError:
            if not kept.is_dir():  # another build has been first
                raise
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return kept


def _make(making: Path, sources: dict[str, bytes], core: bytes) -> None:
    node = shutil.which("node")
    if node is None:
        raise SetupError("no node on this machine: sudo apt install nodejs npm")
    with zipfile.ZipFile(making / "sources.zip", "w") as made:
        for name, content in sorted(sources.items()):
            made.writestr(zipfile.ZipInfo(name), content)
    _library(making / "stdlib.zip")
    (making / "core.so").write_bytes(core)
    info = json.loads((_pyodide() / "pyodide-lock.json").read_bytes())["info"]
    pyodide = {"env": ENV, "lockFileContents": {"info": info, "packages": {}}}
    (making / SETTINGS).write_text(json.dumps({"pyodide": pyodide, "built_in": BUILT_IN}, sort_keys=True))
    command = [node, str(HERE / "image.mjs"), f"{_pyodide()}/", str(making)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        lines = [line[:200] for line in done.stderr.splitlines() if line.strip()]
        raise RuntimeError("cannot make the page's Python:\n" + "\n".join(lines[-12:]))
    site = making / "site"
    site.mkdir()
    for name in ("pyodide.mjs", "pyodide.asm.mjs"):
        shutil.copyfile(_pyodide() / name, site / name)
    _compressed(_pyodide() / "pyodide.asm.wasm", site / "wasm.bin")
    _compressed(making / "core.so", site / "core.bin")
    _compressed(making / "snapshot.bin", site / "snapshot.bin")
    for name in ("stdlib.zip", "modules.zip", SETTINGS):
        shutil.copyfile(making / name, site / name)


def _compressed(source: Path, target: Path) -> None:
    target.write_bytes(gzip.compress(source.read_bytes(), mtime=0))


def _library(target: Path) -> None:
    """Python's own library, without what no experiment asks for."""
    with zipfile.ZipFile(_pyodide() / "python_stdlib.zip") as whole:
        names = [name for name in whole.namelist() if not name.endswith("/")]
        kept = [name for name in names if name.split("/")[0].removesuffix(".py") not in _NOT_OF_THE_LIBRARY]
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
            for name in kept:
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED
                made.writestr(info, whole.read(name))


def _pyodide() -> Path:
    if not (PYODIDE / "pyodide.mjs").is_file():
        raise SetupError(f"{PYODIDE} is not there: `npm ci` in {NPM} installs it")
    return PYODIDE


def _core() -> tuple[bytes, dict[str, bytes]]:
    """pydantic's core for Pyodide: the compiled module, and its part in Python."""
    found = sorted(WHEELS.glob("pydantic_core-*-pyemscripten_*.whl"))
    if not found:
        raise SetupError(f"no pydantic-core in {WHEELS}: scripts/setup.sh brings it")
    with zipfile.ZipFile(found[-1]) as wheel:
        names = wheel.namelist()
        compiled = next(name for name in names if name.endswith(".so"))
        return wheel.read(compiled), {name: wheel.read(name) for name in names if name.endswith(".py")}


def _sources() -> Iterator[tuple[str, bytes]]:
    """Modules in Python, by their path."""
    home = Path(labkit.__file__).parent
    for room in _ROOMS.split():
        paths = [home / room] if room.endswith(".py") else sorted((home / room).rglob("*.py"))
        yield from map(_of_labkit, paths)
    yield from (_of_labkit(home / name) for name in _FILES.split())
    yield from ((f"live/{name}", (HERE / name).read_bytes()) for name in _LIVE.split())
    for package, parts in _PURE.items():
        for path in distribution(package).files or ():
            name = path.as_posix()
            wanted = name.endswith(".py") and name.startswith(parts) and not name.startswith(_LEFT_OUT)
            if wanted and name not in _WRITTEN:
                yield name, Path(str(path.locate())).read_bytes()
    yield from ((name, text.encode()) for name, text in _WRITTEN.items())


def _of_labkit(path: Path) -> tuple[str, bytes]:
    return path.relative_to(Path(labkit.__file__).parents[1]).as_posix(), path.read_bytes()
