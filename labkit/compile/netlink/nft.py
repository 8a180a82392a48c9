"""A wire that loses exactly the packets it is told to: nftables, as one nfnetlink batch.

    enters -> [device] netdev ingress: numgen counts -> drop, or fwd -> [forward_to] egress qdisc -> leaves

numgen counts the packets that pass the hook. With `forward_to` the chain also moves what it does not
drop (kernel option NFT_FWD_NETDEV); without, something else must: a bridge, or the host's own stack.
Traffic control's redirect cannot: at ingress it runs before netfilter and takes the packet away, and
what it redirects skips the egress hook (nf_hook_egress()). The bytes go to a NETLINK_NETFILTER socket in
one send; each inner message asks for an acknowledgement, the two around them do not.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from pyroute2.netlink import NLM_F_ACK, NLM_F_APPEND, NLM_F_CREATE, NLM_F_DUMP, NLM_F_EXCL, NLM_F_REQUEST
from pyroute2.netlink.nfnetlink import NFNL_SUBSYS_NFTABLES, nfgen_msg, nftsocket

from labkit.compile.netlink.message import encode

HOOKS = {"ingress": 0, "egress": 1}  # NF_NETDEV_INGRESS, NF_NETDEV_EGRESS
MAX_N = 2**31
MAX_NUMBERS = 1000
_CHAIN = "wire"
_SET, _SET_ID = "__set%d", 1
_BATCH_BEGIN, _BATCH_END = 0x10, 0x11
_DROP = 0
_VERDICT, _REG32 = nftsocket.Regs.NFT_REG_VERDICT, nftsocket.Regs.NFT_REG32_00
_KEY_INTEGER = nftsocket.DATA_TYPE_INTEGER

Attrs = list[list[Any]]


def drop_every_nth(
    device: str, n: int, *, hook: str = "ingress", forward_to: int | None = None, table: str | None = None
) -> bytes:
    """A table that drops packets n, 2n, 3n, ... of the device's hook. n from 1 to 2^31.

    forward_to: the index of the device that the others leave by (hook ingress). Raises ValueError.
    """
    if not 1 <= n <= MAX_N:
        raise ValueError(f"every {n}-th packet: 1 to {MAX_N}")
    match = [_numgen(n, 0), _expr("cmp", SREG=_REG32, OP=0, DATA=_value(n - 1))]
    return _batch(device, hook, table, [], [*match, *_COUNT_AND_DROP], forward_to)


def drop_packets(
    device: str,
    numbers: Sequence[int],
    *,
    hook: str = "ingress",
    forward_to: int | None = None,
    table: str | None = None,
) -> bytes:
    """A table that drops exactly these packets of the device's hook; the first one is number 1.

    At most 1000 numbers up to 2^31. (The count starts again after 2^32 - 1 packets.) Raises ValueError.
    """
    if not 1 <= len(numbers) <= MAX_NUMBERS or not all(1 <= number <= MAX_N for number in numbers):
        raise ValueError(f"packets to drop: 1 to {MAX_NUMBERS} numbers from 1 to {MAX_N}")
    table = table or _table(device)
    chosen = sorted(set(numbers))
    match = [_numgen(2**32 - 1, 1), _expr("lookup", SET=_SET, SREG=_REG32, SET_ID=_SET_ID)]
    return _batch(device, hook, table, _set(table, chosen), [*match, *_COUNT_AND_DROP], forward_to)


def dump_rules() -> bytes:
    """The request for every netdev rule of the namespace with its counters (see `read_drops`)."""
    return _message(nftsocket.nft_rule_msg, nftsocket.NFT_MSG_GETRULE, [], NLM_F_DUMP)


def read_drops(data: bytes) -> dict[str, tuple[int, int]]:
    """Table name -> (packets, bytes) dropped, from the answer to `dump_rules`."""
    wanted = NFNL_SUBSYS_NFTABLES << 8 | nftsocket.NFT_MSG_NEWRULE
    drops: dict[str, tuple[int, int]] = {}
    offset = 0
    while offset + 16 <= len(data):
        length, kind = struct.unpack_from("=IH", data, offset)
        if length < 16:
            break
        if kind == wanted:
            rule = nftsocket.nft_rule_msg(data[offset : offset + length])
            rule.decode()
            for expression in rule.get_attr("NFTA_RULE_EXPRESSIONS") or []:
                if expression.get_attr("NFTA_EXPR_NAME") == "counter":
                    counter = expression.get_attr("NFTA_EXPR_DATA")
                    count = counter.get_attr("NFTA_COUNTER_PACKETS"), counter.get_attr("NFTA_COUNTER_BYTES")
                    drops[rule.get_attr("NFTA_RULE_TABLE")] = count
        offset += (length + 3) & ~3
    return drops


def _table(device: str) -> str:
    return f"loss-{device}"


def _expr(name: str, **attrs: Any) -> dict[str, Any]:
    """One expression; attributes by the names of include/uapi/linux/netfilter/nf_tables.h."""
    prefix = {"numgen": "NG"}.get(name, name.upper())
    data = [[f"NFTA_{prefix}_{key}", value] for key, value in attrs.items()]
    return {"attrs": [["NFTA_EXPR_NAME", name], ["NFTA_EXPR_DATA", {"attrs": data}]]}


def _value(number: int) -> dict[str, Any]:
    """A register's content. numgen and ifindex live there in the host's byte order."""
    return {"attrs": [["NFTA_DATA_VALUE", struct.pack("=I", number)]]}


def _numgen(modulus: int, offset: int) -> dict[str, Any]:
    """offset, offset + 1, ..., offset + modulus - 1, offset, ... (nft_ng_inc_gen())."""
    return _expr("numgen", DREG=_REG32, MODULUS=modulus, TYPE=0, OFFSET=offset)


_DROP_DATA = {"attrs": [["NFTA_DATA_VERDICT", {"attrs": [["NFTA_VERDICT_CODE", _DROP]]}]]}
_COUNT_AND_DROP = [
    _expr("counter", BYTES=0, PACKETS=0),
    _expr("immediate", DREG=_VERDICT, DATA=_DROP_DATA),
]


def _message(cls: type[nfgen_msg], kind: int, attrs: Attrs, flags: int) -> bytes:
    msg = cls()
    msg["nfgen_family"] = nftsocket.NFPROTO_NETDEV
    msg["attrs"] = attrs
    return encode(msg, NFNL_SUBSYS_NFTABLES << 8 | kind, NLM_F_REQUEST | flags)


def _create(cls: type[nfgen_msg], kind: int, attrs: Attrs, flags: int = 0) -> bytes:
    return _message(cls, kind, attrs, NLM_F_ACK | NLM_F_CREATE | flags)


def _edge(kind: int) -> bytes:
    """The begin or end of a batch."""
    msg = nfgen_msg()
    msg["res_id"] = NFNL_SUBSYS_NFTABLES
    return encode(msg, kind, NLM_F_REQUEST)


def _set(table: str, numbers: Sequence[int]) -> list[bytes]:
    """An anonymous set of numbers, referred to by its id within the batch."""
    declared: Attrs = [
        ["NFTA_SET_TABLE", table],
        ["NFTA_SET_NAME", _SET],
        ["NFTA_SET_FLAGS", {"NFT_SET_ANONYMOUS", "NFT_SET_CONSTANT"}],
        ["NFTA_SET_KEY_TYPE", _KEY_INTEGER],
        ["NFTA_SET_KEY_LEN", 4],
        ["NFTA_SET_DESC", {"attrs": [["NFTA_SET_DESC_SIZE", len(numbers)]]}],
        ["NFTA_SET_ID", _SET_ID],
    ]
    elements = [{"attrs": [["NFTA_SET_ELEM_KEY", _value(number)]]} for number in numbers]
    filled: Attrs = [
        ["NFTA_SET_ELEM_LIST_TABLE", table],
        ["NFTA_SET_ELEM_LIST_SET", _SET],
        ["NFTA_SET_ELEM_LIST_SET_ID", _SET_ID],
        ["NFTA_SET_ELEM_LIST_ELEMENTS", elements],
    ]
    return [
        _create(nftsocket.nft_set_msg, nftsocket.NFT_MSG_NEWSET, declared),
        _create(nftsocket.nft_set_elem_list_msg, nftsocket.NFT_MSG_NEWSETELEM, filled),
    ]


def _rule(table: str, expressions: Sequence[dict[str, Any]]) -> bytes:
    attrs: Attrs = [
        ["NFTA_RULE_TABLE", table],
        ["NFTA_RULE_CHAIN", _CHAIN],
        ["NFTA_RULE_EXPRESSIONS", list(expressions)],
    ]
    return _create(nftsocket.nft_rule_msg, nftsocket.NFT_MSG_NEWRULE, attrs, NLM_F_APPEND)


def _batch(
    device: str,
    hook: str,
    table: str | None,
    sets: Sequence[bytes],
    drop: Sequence[dict[str, Any]],
    forward_to: int | None,
) -> bytes:
    """Table, chain, sets and rules between begin and end."""
    if hook not in HOOKS or (forward_to is not None and hook != "ingress"):
        raise ValueError(f"hook {hook!r}: ingress, or egress without forward_to")
    table = table or _table(device)
    hooked = [["NFTA_HOOK_HOOKNUM", HOOKS[hook]], ["NFTA_HOOK_PRIORITY", 0], ["NFTA_HOOK_DEV", device]]
    chain: Attrs = [
        ["NFTA_CHAIN_TABLE", table],
        ["NFTA_CHAIN_NAME", _CHAIN],
        ["NFTA_CHAIN_HOOK", {"attrs": hooked}],
        ["NFTA_CHAIN_TYPE", "filter"],
    ]
    rules = [_rule(table, drop)]
    if forward_to is not None:
        leave = [_expr("immediate", DREG=_REG32, DATA=_value(forward_to)), _expr("fwd", SREG_DEV=_REG32)]
        rules.append(_rule(table, leave))
    named: Attrs = [["NFTA_TABLE_NAME", table]]
    return b"".join(
        [
            _edge(_BATCH_BEGIN),
            _create(nftsocket.nft_table_msg, nftsocket.NFT_MSG_NEWTABLE, named, NLM_F_EXCL),
            _create(nftsocket.nft_chain_msg, nftsocket.NFT_MSG_NEWCHAIN, chain, NLM_F_EXCL),
            *sets,
            *rules,
            _edge(_BATCH_END),
        ]
    )
