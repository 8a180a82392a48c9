"""What does not run experiments imports on any system: modules that only some have are hidden here.

On macOS, Windows and in WebAssembly one or the other of these is missing; numpy and pandas are hidden
too where nothing of them is needed.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

UNIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
HEAVY = ("altair", "numpy", "pandas", "scapy", "scipy")

HIDE = "import sys; sys.modules.update(dict.fromkeys({hidden!r}))\n"
DIGEST = """
import hashlib
from labkit import Command, EveryNth, Experiment, Flow, dumbbell
from labkit.compile.compiler import compile_experiment
net = dumbbell(rate="10mbit", queue="fq_codel", delay="10ms", loss=EveryNth(100_000))
exp = Experiment(net, flows=[Flow("left", "right", size="1MB")], commands=[Command("left", "true")])
print(hashlib.sha256(compile_experiment(exp).program).hexdigest())
"""


def python(code: str, *hidden: str) -> str:
    command = [sys.executable, "-c", HIDE.format(hidden=hidden) + code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_hiding_a_module_hides_it() -> None:
    with pytest.raises(AssertionError, match="import of fcntl halted"):
        python("import fcntl", "fcntl")


@pytest.mark.parametrize("module", ["labkit", "labkit.spec", "labkit.compile.compiler"])
def test_it_imports_without_unix_and_without_numpy(module: str) -> None:
    python(f"import {module}", *UNIX_ONLY, *HEAVY)


def test_import_labkit_loads_only_what_loads_the_others() -> None:
    """So it takes milliseconds, whatever labkit needs later."""
    names = "sorted({name.partition('.')[0] for name in {*sys.modules} - before} - sys.stdlib_module_names)"
    said = python(f"before = set(sys.modules)\nimport labkit\nprint({names})")
    assert said == "['labkit', 'lazy_loader']\n"


@pytest.mark.parametrize("module", ["cubic", "htcp", "intervals", "optics", "reno", "rto"])
def test_a_model_imports_without_unix(module: str) -> None:
    python(f"import labkit.models.{module}", *UNIX_ONLY)


def test_saved_results_and_charts_import_without_unix() -> None:
    python("from labkit import *; from labkit.charts import *", *UNIX_ONLY)


def test_a_program_compiled_there_is_the_same() -> None:
    assert python(DIGEST, *UNIX_ONLY, *HEAVY) == python(DIGEST)


@pytest.mark.parametrize("asked", ["from pyroute2 import IPRoute", "import pyroute2; pyroute2.IPRoute"])
def test_the_face_of_pyroute2_comes_when_it_is_asked_for(asked: str) -> None:
    shown = "import sys; print(any(name.startswith('pyroute2.ndb') for name in sys.modules))"
    used = "import pyroute2.netns, pyroute2; pyroute2.netns.create"
    code = f"import labkit.spec\n{shown}\n{asked}\n{shown}\n{used}"
    assert python(code).split() == ["False", "True"]


def test_the_face_of_pyroute2_is_the_one_it_has_without_us() -> None:
    names = "import pyroute2 as p; print(p.__version__, p.netlink.__name__, sorted(map(str, p.__all__)))"
    assert python(f"import labkit.spec\n{names}") == python(names)


def test_a_name_that_pyroute2_has_not_is_an_attribute_error() -> None:
    python("import labkit.spec, pyroute2\nassert not hasattr(pyroute2, 'nonsense')")
