"""Sysctls that exist, that do not and that are none, and what may be written into them, mostly in vain."""

from __future__ import annotations

from typing import Any

_TCP = """sack rmem wmem mem congestion_control syn_retries retries2 base_mss mtu_probing min_snd_mss
limit_output_bytes notsent_lowat rto_min_us pacing_ss_ratio pacing_ca_ratio ecn fin_timeout max_syn_backlog
max_tw_buckets adv_win_scale app_win reordering frto early_retrans recovery thin_linear_timeouts
comp_sack_delay_ns comp_sack_slack_ns invalid_ratelimit window_scaling fastopen_key child_ehash_entries
plb_enabled shrink_window
tso_win_divisor min_tso_segs tso_rtt_log autocorking slow_start_after_idle workaround_signed_windows
backlog_ack_defer abort_on_overflow orphan_retries moderate_rcvbuf stdurg rfc1337 reflect_tos timestamps"""
_IPV4 = """ip_forward ip_default_ttl conf.all.rp_filter conf.eth0.forwarding conf.all.disable_policy
conf.eth0.disable_xfrm ip_local_port_range ip_local_reserved_ports neigh.default.gc_thresh3
neigh.eth0.retrans_time_ms neigh.eth0.mcast_solicit neigh.eth0.base_reachable_time_ms icmp_ratelimit
fib_multipath_hash_policy route.flush route.min_adv_mss route.mtu_expires ipfrag_high_thresh ipfrag_time
inet_peer_threshold udp_rmem_min udp_mem conf.all.route_localnet conf.all.drop_unicast_in_l2_multicast
conf.all.arp_ignore conf.eth0.arp_filter conf.all.proxy_arp conf.all.log_martians tcp_wishful"""
_CORE = """rmem_max wmem_max netdev_max_backlog netdev_budget netdev_budget_usecs dev_weight somaxconn
default_qdisc rmem_default optmem_max"""
_OTHERS = """net.netfilter.nf_conntrack_max net.ipv6.conf.all.disable_ipv6 net.unix.max_dgram_qlen
kernel.hostname kernel.printk kernel.sysrq vm.swappiness fs.file-max bogus.name
net.bogus net/ipv4/tcp_sack net..x
net.ipv4.../../etc NET.IPV4.X net.ipv4 x"""

NAMES: tuple[str, ...] = (
    *(f"net.ipv4.tcp_{name}" for name in _TCP.split()),
    *(f"net.ipv4.{name}" for name in _IPV4.split()),
    *(f"net.core.{name}" for name in _CORE.split()),
    *_OTHERS.split(),
)
VALUES: tuple[Any, ...] = (
    *(0, 1, 2, -1, 100, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64, 1.5, True, None),
    *("0", "", "1 2 3", "4096 131072 6291456", "0 0 0", "-1 -1 -1", "reno", "bbr", "nobody", "x" * 300),
    *("é", "yes", "9223372036854775807", "1;reboot", "a\nb", "|/bin/sh"),
)
