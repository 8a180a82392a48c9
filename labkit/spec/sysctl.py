"""Sysctls: how their names are written, and which of them hold for a whole kernel.

The lists were read from Linux 6.12: net/core/sysctl_net_core.c, net/ipv4/sysctl_net_ipv4.c,
net/ipv4/{route,ip_fragment}.c, net/core/neighbour.c, net/netfilter/nf_conntrack_standalone.c,
net/ipv6/{sysctl_net_ipv6,reassembly}.c. What is not listed there has a copy in each namespace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from labkit.errors import SpecError
from labkit.schema.base import FaultsError, Frozen, Loc
from labkit.units import integer

SysctlValue = int | str

# net_core_table, and the tail of netns_core_table that is read-only outside the first namespace
_CORE = """mem_pcpu_rsv dev_weight dev_weight_rx_bias dev_weight_tx_bias netdev_max_backlog
netdev_rss_key bpf_jit_enable bpf_jit_harden bpf_jit_kallsyms bpf_jit_limit netdev_tstamp_prequeue
message_cost message_burst tstamp_allow_data rps_sock_flow_entries flow_limit_cpu_bitmap
flow_limit_table_len busy_poll busy_read default_qdisc netdev_budget warnings max_skb_frags
netdev_budget_usecs fb_tunnels_only_for_init_net devconf_inherit_init_net high_order_alloc_disable
gro_normal_batch netdev_unregister_timeout_secs skb_defer_max
wmem_max rmem_max wmem_default rmem_default"""

# ipv4_table, ip4_frags_ctl_table, and the entries of ipv4_net_table that have no data pointer
_IPV4 = """tcp_max_orphans inet_peer_threshold inet_peer_minttl inet_peer_maxttl tcp_mem
tcp_low_latency cipso_cache_enable cipso_cache_bucket_size cipso_rbm_optfmt cipso_rbm_strictvalid
udp_mem fib_sync_mem ipfrag_secret_interval tcp_allowed_congestion_control"""

_ROUTE = """gc_thresh max_size gc_min_interval gc_min_interval_ms gc_timeout gc_interval
redirect_load redirect_number redirect_silence error_cost error_burst gc_elasticity"""

_NEIGH = "gc_interval gc_thresh1 gc_thresh2 gc_thresh3"
_NETFILTER = "nf_conntrack_max nf_conntrack_expect_max nf_conntrack_buckets nf_log_all_netns"
_IPV6 = "mld_max_msf mld_qrv calipso_cache_enable calipso_cache_bucket_size ip6frag_secret_interval"

KERNEL_WIDE: frozenset[str] = frozenset(
    f"{prefix}.{name}"
    for prefix, names in {
        "net.core": _CORE,
        "net.ipv4": _IPV4,
        "net.ipv4.route": _ROUTE,
        "net.ipv4.neigh.default": _NEIGH,
        "net.ipv6": _IPV6,
        "net.ipv6.neigh.default": _NEIGH,
        "net.netfilter": _NETFILTER,
        "net": "nf_conntrack_max",
    }.items()
    for name in names.split()
)
"""The network sysctls that one kernel has once, for all its namespaces."""

READ_ONLY: frozenset[str] = frozenset(
    {
        "net.core.netdev_rss_key",
        "net.ipv4.tcp_available_congestion_control",
        "net.ipv4.tcp_available_ulp",
        "net.ipv4.tcp_ehash_entries",
        "net.ipv4.udp_hash_entries",
        "net.netfilter.nf_conntrack_count",
    }
)

_NAME = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_@:/-]+)+")


def sysctl_name(name: object) -> str:
    """The dotted form of "net.ipv4.tcp_sack" or "net/ipv4/tcp_sack". Raises SpecError.

    As with sysctl(8), the first separator tells which of the two it is, and within a name the other
    one stands for it: "net/ipv4/conf/eth0.1/x" is "net.ipv4.conf.eth0/1.x".
    """
    text = name.strip().removeprefix("/proc/sys/") if isinstance(name, str) else ""
    first = re.search(r"[./]", text)
    if first and first[0] == "/":
        text = text.translate(str.maketrans("./", "/."))
    if not _NAME.fullmatch(text) or ".." in text or "//" in text:
        raise SpecError(f"{name!r} is no sysctl's name: write it as net.ipv4.tcp_sack")
    if text in READ_ONLY:
        raise SpecError(f"{text} can only be read")
    return text


def sysctl_value(value: object) -> SysctlValue:
    """An int, or text with single spaces; digits in quotes are an int. Raises SpecError."""
    if not isinstance(value, str):
        return integer(value)
    text = " ".join(value.split())
    if not text or not text.isprintable() or not text.isascii():
        raise SpecError("the value of a setting is a number or printable text")
    return int(text) if re.fullmatch(r"0|-?[1-9]\d{0,18}", text) else text


def is_kernel_wide(name: str) -> bool:
    """Whether a dotted sysctl exists once per kernel rather than once per host."""
    return name in KERNEL_WIDE or not name.startswith("net.")


def per_host_name(name: object) -> str:
    """As `sysctl_name`, refusing those that hold for the whole kernel."""
    dotted = sysctl_name(name)
    if is_kernel_wide(dotted):
        raise SpecError(f"{dotted} holds for the whole kernel: set it in Experiment(sysctls=...)")
    return dotted


def settings(value: object, named: Callable[[object], str], example: str) -> dict[str, SysctlValue]:
    """A mapping of names, each as `named` spells it or refuses it with a SpecError, to `sysctl_value`s.
    Raises SpecError, FaultsError with all that is wrong."""
    if not isinstance(value, Mapping):
        raise SpecError(f"must be a mapping such as {example}")
    found: dict[str, SysctlValue] = {}
    faults: list[tuple[Loc, str]] = []
    for name, setting in value.items():
        try:
            dotted = named(name)
            if dotted in found:
                raise SpecError(f"{dotted} is set twice, in two spellings")
            found[dotted] = sysctl_value(setting)
        except ValueError as error:
            faults.append(((), f"[{name!r}]={setting!r}: {error}"))
    if faults:
        raise FaultsError(faults)
    return found


def _read(value: object) -> dict[str, SysctlValue]:
    return settings(value, sysctl_name, '{"net.ipv4.tcp_sack": 0}')


def _per_host(value: dict[str, Any]) -> dict[str, Any]:
    faults: list[tuple[Loc, str]] = []
    for name, setting in value.items():
        try:
            per_host_name(name)
        except ValueError as error:
            faults.append(((), f"[{name!r}]={setting!r}: {error}"))
    if faults:
        raise FaultsError(faults)
    return value


Sysctls = Annotated[dict[str, SysctlValue], BeforeValidator(_read), Frozen]
HostSysctls = Annotated[dict[str, SysctlValue], BeforeValidator(_read), AfterValidator(_per_host), Frozen]
