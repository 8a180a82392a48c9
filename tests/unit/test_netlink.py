"""The compiled netlink messages, attribute by attribute, against what `tc` of iproute2 6.1 sends and
what the kernel's headers say. No kernel is asked here.
"""

from __future__ import annotations

import statistics
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyroute2.iproute.linux import IPBatch
from pyroute2.netlink.nfnetlink import nftsocket
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit.netlink.distributions import SCALE, delay_table
from labkit.netlink.message import decode_tc, tc
from labkit.netlink.nft import delete, drop_every_nth, drop_packets
from labkit.netlink.redirect import redirect
from labkit.netlink.veth import End, veth
from labkit.qdiscs import KINDS

# `tc qdisc add ... red limit 640000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit`
TC_RED_LOGS = (5, 22, 15)
TC_RED_STAB = bytes([0] * 13 + [shift for shift in range(1, 21) for _ in range(12)] + [21] * 2 + [31])


def options(kind: str, **parameters: Any) -> Any:
    """TCA_OPTIONS of an `add`, there and back through bytes."""
    (message,) = decode_tc(tc("add", kind, 5, at="1:", **parameters))
    return message.get_attr("TCA_OPTIONS")


def leaf(kind: str, packets: int | None = None, size: int | None = None, **given: Any) -> Any:
    return options(kind, **KINDS[kind].keywords(packets, size, given))


def fields(nla: Any, *names: str) -> tuple[Any, ...]:
    return tuple(nla[name] for name in names)


def batch(data: bytes) -> list[tuple[int, int, bytes]]:
    """(type, flags, message) of each message in a row."""
    found, offset = [], 0
    while offset < len(data):
        length, kind, flags = struct.unpack_from("=IHH", data, offset)
        found.append((kind, flags, data[offset : offset + length]))
        offset += (length + 3) & ~3
    assert offset == len(data)
    return found


def rules(data: bytes) -> list[dict[str, Any]]:
    """Each rule's expressions by name."""
    found = []
    for kind, _, message in batch(data):
        if kind == nftsocket.NFT_MSG_NEWRULE | 10 << 8:
            rule = nftsocket.nft_rule_msg(message)
            rule.decode()
            expressions = rule.get_attr("NFTA_RULE_EXPRESSIONS")
            found.append({e.get_attr("NFTA_EXPR_NAME"): e.get_attr("NFTA_EXPR_DATA") for e in expressions})
    return found


# --- netem


def test_delay_is_exact_to_the_nanosecond_and_may_exceed_32_bits_of_ticks() -> None:
    netem = options("netem", delay_ns=500_000_000_001)
    assert netem.get_attr("TCA_NETEM_LATENCY64") == 500_000_000_001
    assert netem["delay"] == 2**32 - 1  # the older field says "at least"


def test_the_older_delay_field_is_in_ticks_of_64_ns_on_any_machine() -> None:
    assert fields(options("netem", delay_ns=25_000_000, jitter_ns=10**6), "delay", "jitter") == (
        390625,
        15625,
    )


def test_a_wire_holds_any_number_of_packets_unless_told() -> None:
    assert options("netem", delay_ns=1)["limit"] == 0x7FFFFFFF
    assert options("netem", delay_ns=1, limit=77)["limit"] == 77


def test_probabilities_are_rounded_as_tc_rounds_them() -> None:
    netem = options("netem", loss=0.01, duplicate=0.05, loss_corr=0.25, corrupt=0.01)
    assert fields(netem, "loss", "duplicate") == (42949673, 214748365)
    assert netem.get_attr("TCA_NETEM_CORR")["loss_corr"] == 1073741824
    assert netem.get_attr("TCA_NETEM_CORRUPT")["prob_corrupt"] == 42949673


def test_reorder_needs_a_gap_and_gets_one() -> None:
    netem = options("netem", delay_ns=1, reorder=0.1, reorder_corr=0.5)
    assert netem["gap"] == 1
    assert fields(netem.get_attr("TCA_NETEM_REORDER"), "prob_reorder", "corr_reorder") == (
        429496730,
        2147483648,
    )


def test_gilbert_elliott_is_p_r_h_k1() -> None:
    model = options("netem", gemodel=(0.01, 0.3, 0.1, 0.001)).get_attr("TCA_NETEM_LOSS")
    found = fields(model.get_attr("NETEM_LOSS_GE"), "p", "r", "h", "k1")
    assert found == (42949673, 1288490188, 429496730, 4294967)


def test_general_intuitive_keeps_the_order_of_the_struct() -> None:
    data = tc("add", "netem", 5, gimodel=(0.01, 0.3, 0.1, 0.01, 0.05))
    assert struct.pack("=5I", 42949673, 1288490188, 429496730, 42949673, 214748365) in data


def test_seed_fills_64_bits() -> None:
    assert options("netem", seed=2**64 - 1).get_attr("TCA_NETEM_PRNG_SEED") == 2**64 - 1


def test_netem_rate_over_34_gbit_goes_to_rate64() -> None:
    netem = options("netem", rate=100 * 10**9)
    assert netem.get_attr("TCA_NETEM_RATE")["rate"] == 2**32 - 1
    assert netem.get_attr("TCA_NETEM_RATE64") == 12_500_000_000


def test_no_rate_is_said_too_so_that_a_change_takes_it_away() -> None:
    assert options("netem", delay_ns=1).get_attr("TCA_NETEM_RATE")["rate"] == 0


def test_netem_refuses_what_it_would_quietly_cap() -> None:
    with pytest.raises(ValueError, match="jitter_ns"):
        options("netem", jitter_ns=2**31)


@pytest.mark.parametrize("name", ["uniform", "normal", "pareto", "paretonormal"])
def test_delay_table_has_mean_zero_but_for_the_cut_at_four_jitters(name: str) -> None:
    table = struct.unpack("=4096h", delay_table(name))
    assert statistics.fmean(table) / SCALE == pytest.approx(0, abs=0.04)


def test_normal_table_has_the_jitter_as_its_standard_deviation() -> None:
    table = struct.unpack("=16384h", delay_table("normal", 16384))
    assert statistics.pstdev(table) / SCALE == pytest.approx(1, abs=0.001)


def test_delay_table_travels_in_the_message() -> None:
    assert options("netem", distribution="pareto").get_attr("TCA_NETEM_DELAY_DIST") == delay_table("pareto")


# --- tbf


@pytest.mark.parametrize("rate", [1000, 10**7, 10**9, 40 * 10**9, 100 * 10**9])
def test_burst_is_one_frame_at_every_rate(rate: int) -> None:
    tbf = options("tbf", rate=rate, burst=1514, limit=64000)
    assert tbf.get_attr("TCA_TBF_BURST") == 1514
    parms = tbf.get_attr("TCA_TBF_PARMS")
    assert (tbf.get_attr("TCA_TBF_RATE64") or parms["rate"]) == rate // 8
    assert fields(parms, "rate_linklayer", "limit") == (1, 64000)  # ethernet: no rate table needed


def test_tbf_limit_from_latency_is_what_drains_and_a_burst() -> None:
    tbf = options("tbf", rate=8_000_000, burst=1514, latency_ns=50_000_000)
    assert tbf.get_attr("TCA_TBF_PARMS")["limit"] == 50_000 + 1514


def test_tbf_needs_a_limit() -> None:
    with pytest.raises(ValueError, match="limit"):
        options("tbf", rate=10**6, burst=1514)


# --- queues


def test_red_is_what_tc_makes_of_it() -> None:
    red = leaf(
        "red",
        size=640_000,
        min=30_000,
        max=90_000,
        avpkt=1000,
        burst=55,
        probability="2%",
        bandwidth="10mbit",
        ecn=True,
        adaptive=True,
        nodrop=True,
    )
    parms = red.get_attr("TCA_RED_PARMS")
    names = ("limit", "qth_min", "qth_max", "Wlog", "Plog", "Scell_log", "flags")
    assert fields(parms, *names) == (640_000, 30_000, 90_000, *TC_RED_LOGS, 0)
    assert fields(red.get_attr("TCA_RED_FLAGS"), "bits", "selector") == (1 | 4 | 8, 15)
    assert red.get_attr("TCA_RED_MAX_P") == 85899345
    assert red.get_attr("TCA_RED_STAB") == TC_RED_STAB


def test_sfq_sends_its_red_half() -> None:
    sfq = leaf("sfq", packets=1000, redflowlimit="100kB", min=8000, max=60000, depth=50, headdrop=True)
    names = ("limit_v0", "depth", "headdrop", "limit_v1", "qth_min", "qth_max", "max_P")
    assert fields(sfq, *names) == (1000, 50, 1, 100_000, 8000, 60_000, 85899345)


def test_prio_has_three_bands_and_a_map() -> None:
    assert fields(leaf("prio"), "bands", "priomap") == (3, (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1))


def test_a_queue_without_options_sends_none_and_keeps_the_kernels_defaults() -> None:
    assert leaf("pfifo") is None
    assert leaf("fq_codel") is None


@pytest.mark.parametrize(
    ("kind", "given", "attribute", "value"),
    [
        ("codel", {"target": "5ms"}, "TCA_CODEL_TARGET", 5000),
        ("codel", {"noecn": True}, "TCA_CODEL_ECN", 0),
        ("fq_codel", {"drop_batch": 16}, "TCA_FQ_CODEL_DROP_BATCH_SIZE", 16),
        ("pie", {"tupdate": "20ms"}, "TCA_PIE_TUPDATE", 20_000),
        ("fq", {"maxrate": "10mbit"}, "TCA_FQ_FLOW_MAX_RATE", 1_250_000),
        ("fq", {"buckets": 512}, "TCA_FQ_BUCKETS_LOG", 9),
        ("fq", {"horizon_drop": False}, "TCA_FQ_HORIZON_DROP", 0),
        ("fq_pie", {"flows": 64}, "TCA_FQ_PIE_FLOWS", 64),
        ("hhf", {"evict_timeout": "1s"}, "TCA_HHF_EVICT_TIMEOUT", 1_000_000),
        ("cake", {"bandwidth": "10mbit"}, "TCA_CAKE_BASE_RATE64", 1_250_000),
        ("cake", {"flowblind": True}, "TCA_CAKE_FLOW_MODE", 0),
        ("cake", {"rtt": "50ms"}, "TCA_CAKE_TARGET", 2500),
    ],
)
def test_option_reaches_its_attribute(kind: str, given: dict[str, Any], attribute: str, value: int) -> None:
    assert leaf(kind, **given).get_attr(attribute) == value


def test_sfb_increments_are_sixteen_bit_fractions() -> None:
    parms = leaf("sfb", packets=10, increment=0.01, decrement=0.001).get_attr("TCA_SFB_PARMS")
    assert fields(parms, "limit", "increment", "decrement") == (10, 655, 66)


def test_bytes_are_those_of_ipbatch_but_for_the_sequence_and_the_process() -> None:
    keywords = KINDS["codel"].keywords(100, None, {"target": "5ms"})

    def batch() -> bytes:
        with IPBatch() as compiler:
            compiler.tc("add", "codel", 5, "1:", **keywords)
            return bytes(compiler.batch)

    with ThreadPoolExecutor(1) as apart:  # from the event loop that a browser's tests leave
        theirs = apart.submit(batch).result()
    ours = tc("add", "codel", 5, at="1:", **keywords)
    assert (ours[:8], ours[16:]) == (theirs[:8], theirs[16:])


# --- links and wires


def test_both_ends_of_a_veth_have_their_index_and_namespace() -> None:
    message = ifinfmsg(
        veth(End("a", 5, "02:00:00:00:00:01", 100), End("b", 6, "02:00:00:00:00:02", 101, mtu=9000))
    )
    message.decode()
    peer = message.get_nested("IFLA_LINKINFO", "IFLA_INFO_DATA", "VETH_INFO_PEER")
    assert (message["index"], message.get_attr("IFLA_NET_NS_FD")) == (5, 100)
    assert (peer["index"], peer.get_attr("IFLA_NET_NS_FD"), peer.get_attr("IFLA_MTU")) == (6, 101, 9000)


def test_every_nth_is_gact_in_front_of_the_redirect() -> None:
    _, added = redirect(5, 6, drop_every=100)
    (message,) = decode_tc(added)
    actions = message.get_nested("TCA_OPTIONS", "TCA_MATCHALL_ACT")
    gact, mirred = (actions.get_attr(f"TCA_ACT_PRIO_{i}").get_attr("TCA_ACT_OPTIONS") for i in (1, 2))
    assert gact.get_attr("TCA_GACT_PARMS")["action"] == 3  # pipe
    assert fields(gact.get_attr("TCA_GACT_PROB"), "ptype", "pval", "paction") == (2, 100, 2)
    assert fields(mirred.get_attr("TCA_MIRRED_PARMS"), "eaction", "ifindex") == (1, 6)


def test_gact_counts_to_65535_only() -> None:
    with pytest.raises(ValueError, match="65536"):
        redirect(5, 6, drop_every=65536)


def test_nft_drops_when_the_count_reaches_n() -> None:
    drop, leave = rules(drop_every_nth("wa", 70001, forward_to=21))
    assert list(drop) == ["numgen", "cmp", "counter", "immediate"]
    assert drop["numgen"].get_attr("NFTA_NG_MODULUS") == 70001
    data = drop["cmp"].get_attr("NFTA_CMP_DATA").get_attr("NFTA_DATA_VALUE")
    assert bytes(data) == struct.pack("=I", 70000)
    assert list(leave) == ["immediate", "fwd"]


def test_nft_batch_is_framed_and_each_message_in_it_acknowledged() -> None:
    (begin, *inner, end) = batch(drop_packets("wa", [3, 1], forward_to=21))
    assert (begin[0], end[0]) == (0x10, 0x11)
    assert [flags & 4 for _, flags, _ in (begin, end)] == [0, 0]
    assert [kind & 0xFF for kind, _, _ in inner] == [0, 3, 9, 12, 6, 6]  # table, chain, set, elements, rules
    assert all(flags & 4 for _, flags, _ in inner)


def test_nft_set_holds_each_number_in_host_order() -> None:
    messages = batch(drop_packets("wa", [2**31, 1], forward_to=21))
    elements = nftsocket.nft_set_elem_list_msg(next(m for kind, _, m in messages if kind & 0xFF == 12))
    elements.decode()
    keys = [
        bytes(element.get_attr("NFTA_SET_ELEM_KEY").get_attr("NFTA_DATA_VALUE"))
        for element in elements.get_attr("NFTA_SET_ELEM_LIST_ELEMENTS")
    ]
    assert keys == [struct.pack("=I", 1), struct.pack("=I", 2**31)]


def test_delete_takes_the_table_away() -> None:
    assert [kind & 0xFF for kind, _, _ in batch(delete("wa"))] == [0x10, 2, 0x11]


@pytest.mark.parametrize("numbers", [[], [0], [2**31 + 1], range(1, 1002)])
def test_nft_refuses_numbers_it_cannot_count(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="packets to drop"):
        drop_packets("wa", numbers, forward_to=21)
