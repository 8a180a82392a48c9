"""The page of what the lab kernel has and has not says what labkit and the kernel's configuration say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labkit.compile.compiler import HOST_DEFAULTS, KERNEL_DEFAULTS
from labkit.execute.guest.kernel.config import FRAGMENT, LOADABLE, symbols
from labkit.qdiscs import KINDS, REFUSED
from labkit.spec import LAB_CONGESTION_CONTROLS

PAGE = (Path(__file__).parents[2] / "book/kernel.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
HAS = {symbol.name.removeprefix("CONFIG_") for symbol in symbols(FRAGMENT.read_text()) if symbol.value == "y"}


def words(section: str) -> set[str]:
    return {
        word for quoted in re.findall("`([^`]+)`", SECTIONS[section]) for word in re.split(r"[ ,=]+", quoted)
    }


def test_every_queue_is_named_and_every_one_that_is_refused() -> None:
    named = words("Queueing disciplines")
    assert set(KINDS) | set(REFUSED) <= named
    offered, _, refused = SECTIONS["Queueing disciplines"].partition("| not offered |")
    assert all(f"`{kind}`" in offered for kind in (*KINDS, "tbf", "netem"))
    assert all(f"`{kind}`" in refused for kind in set(REFUSED) - {"tbf", "netem"})


def test_every_congestion_control_is_named() -> None:
    assert set(LAB_CONGESTION_CONTROLS) <= words("Congestion controls")


HAS_NOT = """
IP_SCTP NFT_NAT NFT_MASQ NFT_LOG NFT_QUOTA NFT_CONNLIMIT NET_SCH_HFSC NET_SCH_QFQ
BPF_SYSCALL NET_ACT_PEDIT NET_ACT_SKBEDIT IP_ROUTE_MULTIPATH XFRM TLS NET_IPIP VXLAN WIREGUARD
MACVLAN BONDING"""


@pytest.mark.parametrize("symbol", HAS_NOT.split())
def test_what_it_has_not_is_not_asked_for(symbol: str) -> None:
    assert symbol not in HAS


HAS_TOO = """
IPV6 MPTCP BRIDGE BRIDGE_VLAN_FILTERING VLAN_8021Q DUMMY
IFB TUN NET_ACT_POLICE NET_ACT_GACT NET_CLS_FLOWER NFT_REJECT NFT_NUMGEN NFT_CT NFT_LIMIT
NETFILTER_EGRESS SYN_COOKIES IP_MULTIPLE_TABLES"""


@pytest.mark.parametrize("symbol", HAS_TOO.split())
def test_what_it_has_is(symbol: str) -> None:
    assert symbol in HAS


def test_settings_are_those_that_are_set() -> None:
    section = SECTIONS["Settings that differ from an ordinary machine"]
    assert KERNEL_DEFAULTS["net.core.rmem_max"] == KERNEL_DEFAULTS["net.core.wmem_max"] == 1 << 30
    assert f"{KERNEL_DEFAULTS['net.core.netdev_max_backlog']:,}" in section
    assert [int(pages) * 4096 >> 30 for pages in str(KERNEL_DEFAULTS["net.ipv4.tcp_mem"]).split()] == [
        4,
        6,
        8,
    ]
    for name in (*KERNEL_DEFAULTS, *HOST_DEFAULTS):
        assert name.rpartition(".")[2] in section
    for number in str(HOST_DEFAULTS["net.ipv4.tcp_rmem"]).split():
        assert number in section
    assert "cls_fw" in LOADABLE
