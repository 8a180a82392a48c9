"""The container's image: how large it is, and chapter 1 in it, digit for digit as recorded, without a flag
and with every restriction. `make container` builds the image and names it in LABKIT_IMAGE."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import subprocess
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from scripts.container.__main__ import size
from tests.chapters.replay import moved

IMAGE = os.environ.get("LABKIT_IMAGE", "")
pytestmark = pytest.mark.skipif(not IMAGE, reason="LABKIT_IMAGE names no image: make container")

ROOT = Path(__file__).parents[2]
CHAPTER = ROOT / "chapters/01-a-network-in-a-notebook.ipynb"
LARGEST = 700e6
MEMORY, SHM = "512m", "64m"
SECCOMP = Path("/usr/share/containers/seccomp.json")
"""Docker's default profile, as podman's packages bring it."""
USER = random.SystemRandom().randint(100_000, 2_000_000_000)
LABEL = f"lost-packets-test={os.getpid()}"

PLACE = """
from labkit import Experiment, Flow, dumbbell, run
print(run(Experiment(dumbbell(), flows=[Flow("left", "right", size="10kB")])).place)
"""
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
chapter = nbformat.read(sys.argv[1], 4)
where = {"metadata": {"path": "chapters"}}
NotebookClient(chapter, timeout=600, startup_timeout=600, coalesce_streams=True, resources=where).execute()
sys.stdout.write(nbformat.writes(chapter))
"""


def podman(*arguments: str, timeout: float = 900) -> subprocess.CompletedProcess[str]:
    command = ["podman", *(["--runtime=runc"] if shutil.which("runc") else []), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


def allowed_limits() -> list[str]:
    """Podman raises limits of its own accord, which a machine that is itself confined forbids."""
    wanted = {"nofile": (resource.RLIMIT_NOFILE, 1024), "nproc": (resource.RLIMIT_NPROC, 1024)}
    limits = {
        name: min([most, *(x for x in resource.getrlimit(what) if x > 0)])
        for name, (what, most) in wanted.items()
    }
    return [f"--ulimit={name}={limit}:{limit}" for name, limit in limits.items()]


PLAIN = ["--rm", f"--label={LABEL}", *allowed_limits(), "--network=none"]
CONFINED = [
    *PLAIN,
    f"--security-opt=seccomp={SECCOMP}",
    "--security-opt=no-new-privileges",
    "--cap-drop=all",
    f"--shm-size={SHM}",
    f"--memory={MEMORY}",
    f"--memory-swap={MEMORY}",
    "--read-only",
    f"--user={USER}",
    "--passwd=false",
]


def said(flags: list[str], *command: str) -> str:
    done = podman("run", *flags, IMAGE, *command)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def differences(flags: list[str], chapter: Path) -> list[str]:
    """Executed there as it was recorded, what is another output."""
    record = ["--env=LABKIT_RECORD=1", "--env=TZ=UTC", "--env=PYTHONHASHSEED=0"]
    began = time.monotonic()
    made = said([*flags, *record], "python", "-c", EXECUTE, f"chapters/{chapter.name}")
    print(f"{chapter.stem}: {time.monotonic() - began:.1f} s, load {os.getloadavg()[0]:.0f}")
    return list(moved(by_any_ss(nbformat.read(chapter, 4)), by_any_ss(nbformat.reads(made, 4))))


def by_any_ss(notebook: NotebookNode) -> NotebookNode:
    """Without what only one of Debian 12's `ss` (iproute2 6.1) and Debian 13's (6.15) prints: the last word
    of its heading, and the window that the host itself has offered."""
    for cell in notebook.cells:
        if re.search(r"lab\.run\(.*\"ss ", cell.source):
            (output,) = cell.outputs
            text = re.sub(r"^(State .* Peer Address:Port).*", r"\1", output.data["text/plain"])
            output.data["text/plain"] = re.sub(r" rcv_wnd:\d+$", "", text)
    return notebook


def test_it_is_no_larger_than_promised() -> None:
    assert size(IMAGE) <= LARGEST


def test_chapter_1_without_a_flag() -> None:
    assert differences(PLAIN, CHAPTER) == []


def test_chapter_1_confined() -> None:
    assert differences(CONFINED, CHAPTER) == []


def test_experiments_run_in_the_form_of_the_kernel_that_is_fastest() -> None:
    for flags in (PLAIN, CONFINED):
        assert said(flags, "python", "-c", PLACE) == "wasm\n"


def test_the_walls_stand() -> None:
    """Else the test before would say nothing."""
    look = (
        "id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; ls /sys/class/net; "
        "stat -f -c '%S %b' /dev/shm; cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes memory.max 2>&-; "
        "touch /opt/lab/x 2>&1; whoami 2>&1"
    )
    lines = said(CONFINED, "sh", "-c", f"{look} || true").splitlines()
    status = dict(line.split(":\t") for line in lines if ":\t" in line)
    assert lines[0] == str(USER)
    assert status == {"CapEff": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}
    assert [line for line in lines if line in ("lo", "eth0")] == ["lo"]
    (shm,) = (line.split() for line in lines if re.fullmatch(r"\d+ \d+", line))
    assert int(shm[0]) * int(shm[1]) == 64 * 2**20
    assert str(512 * 2**20) in lines
    assert any("Read-only file system" in line for line in lines)
    assert any("cannot find name" in line for line in lines)


MODULE = """
static u32 mine_ssthresh(struct sock *sk)
{
	return 2U;
}

static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}
"""


def test_a_module_of_ones_own_names_what_the_image_lacks() -> None:
    """Chapter 23, in an image without compilers."""
    done = podman(
        "run", *PLAIN, IMAGE, "python", "-c", f"import labkit; labkit.compile_cc('mine', {MODULE!r})"
    )
    assert done.returncode == 1
    assert "SetupError" in done.stderr
    assert "labkit[modules]" in done.stderr.splitlines()[-1]


def test_it_has_no_packages_of_tests_and_book() -> None:
    there = {package["name"].lower() for package in json.loads(said(PLAIN, "pip", "list", "--format=json"))}
    assert {"labkit", "labkit-kernel", "jupyterlab"} <= there
    assert not {"pytest", "mypy", "sphinx", "playwright", "vl-convert-python"} & there


POST_BUILD = """
set -e
release=/tmp/served/ada/lost-packets/releases/download
mkdir -p $release /tmp/source
ln -s /checkout/dist $release/v$1
python -m http.server --directory /tmp/served --bind 127.0.0.1 8000 >/dev/null 2>&1 &
cp -r /checkout/binder /checkout/pyproject.toml /tmp/source
printf 'repository:\\n  url: http://127.0.0.1:8000/ada/lost-packets\\n' >/tmp/source/_config.yml
pip uninstall --quiet --yes --root-user-action=ignore labkit labkit-kernel
cd /tmp/source
NB_PYTHON_PREFIX=/opt/lab ./binder/postBuild >&2
ls
pip list --format=freeze | grep labkit
"""


def test_binders_last_step_installs_the_release() -> None:
    """A release that is served within the container: nothing is compiled, nothing lies about."""
    parts = ("binder", "dist", "pyproject.toml")
    shown = [f"--volume={ROOT / part}:/checkout/{part}:ro" for part in parts]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    lines = said([*PLAIN, "--user=0", *shown], "sh", "-c", POST_BUILD, "sh", version).splitlines()
    assert lines[:3] == ["_config.yml", "binder", "pyproject.toml"]
    names = ("labkit", "labkit-kernel", "labkit-kernel-tree")
    assert [line.replace("_", "-") for line in lines[3:]] == [f"{name}=={version}" for name in names]


def test_without_a_place_to_write_it_says_what_to_do() -> None:
    done = podman("run", *CONFINED, "--read-only-tmpfs=false", IMAGE, "true")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("start me with --tmpfs /tmp")


@pytest.fixture
def served() -> Iterator[str]:
    """A container that serves, without any flag but that of the test's own network."""
    started = podman("run", "--detach", *PLAIN, IMAGE)
    assert started.returncode == 0, started.stderr
    name = started.stdout.strip()
    yield name
    podman("rm", "--force", "--time=1", name)


ASK = """
import sys, time, urllib.error, urllib.request
address = "http://127.0.0.1:8888/api/contents/chapters"
for _ in range(600):
    try:
        urllib.request.urlopen(address + sys.argv[1]).read()
    except urllib.error.HTTPError as refused:
        print(refused.code)
    except urllib.error.URLError:
        time.sleep(0.5)
        continue
    else:
        print(200)
    break
"""


def test_jupyterlab_serves_the_chapters_to_who_has_the_token(served: str) -> None:
    def answer(query: str) -> str:
        return podman("exec", served, "python", "-c", ASK, query).stdout.strip()

    assert answer("") == "403"
    token = re.search(r"/lab/tree/chapters/01\S*\?token=(\w+)", podman("logs", served).stderr)
    assert token, "it prints the address, with chapter 1 and the token"
    assert answer(f"?token={token[1]}") == "200"


def test_nothing_of_the_tests_is_left() -> None:
    assert podman("ps", "--all", "--quiet", "--filter", f"label={LABEL}").stdout == ""
