"""The kernel's own TCP tests in virtual time: the packetdrill scripts of its source, in three families.

packetdrill is no package of Debian's, so it comes from its source: PACKETDRILL= is the program, or the folder
of its source, where it is compiled first. Without it the scripts are skipped by name. They come out of the
same source as the lab kernel (tools/testing/selftests/net/packetdrill) and run as that folder's
ksft_runner.sh has it, with ipv4-mapped-ipv6 besides. packetdrill waits by looking at the clock and by a
thread that spins: how that moves virtual time is the kernel's (patches/).
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from labkit import Command, Experiment, pair, run
from labkit.execute.guest.kernel import source

pytestmark = pytest.mark.truth

PLACE = "tools/testing/selftests/net/packetdrill/"
PROGRAM = "gtests/net/packetdrill"
_SLOW_START = """ack-per-1pkt ack-per-2pkt ack-per-2pkt-send-5pkt ack-per-2pkt-send-6pkt ack-per-4pkt
after-idle after-win-update app-limited app-limited-9-packets-out fq-ack-per-2pkt"""
_ZEROCOPY = """basic batch client closed epoll_edge epoll_exclusive epoll_oneshot fastopen-client
fastopen-server maxfrags small"""
SCRIPTS = [
    *("tcp_inq_client", "tcp_inq_server", "tcp_md5_md5-only-on-client-ack"),
    *(f"tcp_slow_start_slow-start-{name}" for name in _SLOW_START.split()),
    *(f"tcp_zerocopy_{name}" for name in _ZEROCOPY.split()),
]
_V4 = "--local_ip=192.168.0.1 --gateway_ip=192.168.0.1 --netmask_ip=255.255.0.0 --remote_ip=192.0.2.1"
_V6 = "--local_ip=fd3d:0a0b:17d6::1 --gateway_ip=fd3d:0a0b:17d6:8888::1 --remote_ip=fd3d:fa7b:d17d::1"
_ERRORS_V4 = "-D CMSG_LEVEL_IP=SOL_IP -D CMSG_TYPE_RECVERR=IP_RECVERR"
_ERRORS_V6 = "-D CMSG_LEVEL_IP=SOL_IPV6 -D CMSG_TYPE_RECVERR=IPV6_RECVERR"
FAMILIES = {
    "ipv4": f"--ip_version=ipv4 {_V4} {_ERRORS_V4}",
    "ipv6": f"--ip_version=ipv6 --mtu=1520 {_V6} {_ERRORS_V6}",
    "ipv4-mapped-ipv6": f"--ip_version=ipv4-mapped-ipv6 {_V4} {_ERRORS_V6}",
}
BUFFERS = {
    "net.core.rmem_max": 212_992,
    "net.core.wmem_max": 212_992,
}  # the scripts expect a window scale of 8
INSIDE = """
mkdir /tmp/pkt && cd /tmp/pkt && echo {packed} | base64 -d | tar xzm || exit
exec unshare -n sh -c '
ip link set lo up
for which in all default; do echo 0 > /proc/sys/net/ipv6/conf/$which/disable_ipv6; done
exec {program} {options} {script}'
"""


@pytest.fixture(scope="session")
def packetdrill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program. The lab's hosts have the machine's files, /tmp excepted."""
    named = os.environ.get("PACKETDRILL") or shutil.which("packetdrill")
    if named is None:
        pytest.skip("no packetdrill: make truth PACKETDRILL=FOLDER, its source, or the program")
    path = Path(named).resolve()
    if not path.is_dir():
        return path
    folder = path / PROGRAM
    subprocess.run(
        ["sh", "-c", "./configure && make packetdrill"], cwd=folder, check=True, capture_output=True
    )
    return folder / "packetdrill"


@pytest.fixture(scope="session")
def packed(packetdrill: Path) -> str:
    """The scripts and what they call, as text that fits into a command."""
    found, _ = source.find()
    if found is None or found.is_tree:
        pytest.skip("no tarball of the kernel's source here")
    into = io.BytesIO()
    with tarfile.open(found.path) as archive, tarfile.open(fileobj=into, mode="w:gz") as scripts:
        for member in archive:
            _, inside, name = member.name.partition(PLACE)
            if inside and name:
                content = archive.extractfile(member)
                member.name = name
                scripts.addfile(member, content)
    return base64.b64encode(into.getvalue()).decode()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_the_kernels_own_script_passes(packetdrill: Path, packed: str, script: str, family: str) -> None:
    line = INSIDE.format(packed=packed, program=packetdrill, options=FAMILIES[family], script=f"{script}.pkt")
    result = run(
        Experiment(pair(), commands=[Command("left", line)], sysctls=BUFFERS, memory="300MB", probes=[]),
        cache=False,
    )
    ended = result.commands.iloc[0]
    assert ended["status"] == 0, ended["stderr"][-1000:]
