"""A wire that loses exactly the packets it is told to: nftables, as one nfnetlink batch.

    enters -> [device] netdev ingress: numgen counts -> drop, or fwd -> [forward_to] egress qdisc -> leaves

numgen counts the packets that pass the hook; the chain also moves what it does not drop (kernel option
NFT_FWD_NETDEV).
Traffic control's redirect cannot: at ingress it runs before netfilter and takes the packet away, and
what it redirects skips the egress hook (nf_hook_egress()). The bytes go to a NETLINK_NETFILTER socket in
one send; each inner message asks for an acknowledgement, the two around them do not.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from pyroute2.netlink import NLM_F_ACK, NLM_F_APPEND, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST
from pyroute2.netlink.nfnetlink import NFNL_SUBSYS_NFTABLES, nfgen_msg, nftsocket

from labkit.netlink.message import encode

MAX_N = 2**31
MAX_NUMBERS = 1000
_CHAIN = "wire"
_SET, _SET_ID = "__set%d", 1
_BATCH_BEGIN, _BATCH_END = 0x10, 0x11
_INGRESS, _DROP = 0, 0  # NF_NETDEV_INGRESS, NF_DROP
_VERDICT, _REG32 = int(nftsocket.Regs.NFT_REG_VERDICT), int(nftsocket.Regs.NFT_REG32_00)
_KEY_INTEGER = nftsocket.DATA_TYPE_INTEGER

Attrs = list[list[Any]]

# pyroute2 0.9.7 names a type there that does not exist, so that no fwd can be encoded.
_FWD = nftsocket.nft_contains_expr.nft_expr.nft_fwd
_FWD.nla_map = (*_FWD.nla_map[:3], ("NFTA_FWD_NFPROTO", "be32"))


def drop_every_nth(device: str, n: int, *, forward_to: int) -> bytes:
    """A table that drops packets n, 2n, 3n, ... that come in by a device. n from 1 to 2^31.

    forward_to: the index of the device that the others leave by. Counting starts at 1. Raises ValueError.
    """
    if not 1 <= n <= MAX_N:
        raise ValueError(f"every {n}-th packet: 1 to {MAX_N}")
    match = [_numgen(n, 0), _expr("cmp", SREG=_REG32, OP=0, DATA=_value(n - 1))]
    return _batch(_new_table(device), _chain(device), *_rules(device, match, forward_to))


def drop_packets(device: str, numbers: Sequence[int], *, forward_to: int) -> bytes:
    """A table that drops exactly these packets that come in by a device; the first one is number 1.

    At most 1000 numbers up to 2^31; the rest as in `drop_every_nth`. (The count starts again after
    2^32 - 1 packets.) Raises ValueError.
    """
    if not 1 <= len(numbers) <= MAX_NUMBERS or not all(1 <= number <= MAX_N for number in numbers):
        raise ValueError(f"packets to drop: 1 to {MAX_NUMBERS} numbers from 1 to {MAX_N}")
    chosen = sorted(set(numbers))
    match = [_numgen(2**32 - 1, 1), _expr("lookup", SET=_SET, SREG=_REG32, SET_ID=_SET_ID)]
    rules = _rules(device, match, forward_to)
    return _batch(_new_table(device), _chain(device), *_set(device, chosen), *rules)


def delete(device: str) -> bytes:
    """The batch that takes away what `drop_every_nth` or `drop_packets` made for the device."""
    named: Attrs = [["NFTA_TABLE_NAME", _table(device)]]
    return _batch(_message(nftsocket.nft_table_msg, nftsocket.NFT_MSG_DELTABLE, named, NLM_F_ACK))


def clear(device: str) -> bytes:
    """As `delete`, or nothing where there is none: one transaction makes the table and deletes it."""
    named: Attrs = [["NFTA_TABLE_NAME", _table(device)]]
    return _batch(
        _new_table(device), _message(nftsocket.nft_table_msg, nftsocket.NFT_MSG_DELTABLE, named, NLM_F_ACK)
    )


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


def _set(device: str, numbers: Sequence[int]) -> list[bytes]:
    """An anonymous set of numbers, referred to by its id within the batch."""
    table = _table(device)
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


def _chain(device: str) -> bytes:
    hooked = [["NFTA_HOOK_HOOKNUM", _INGRESS], ["NFTA_HOOK_PRIORITY", 0], ["NFTA_HOOK_DEV", device]]
    attrs: Attrs = [
        ["NFTA_CHAIN_TABLE", _table(device)],
        ["NFTA_CHAIN_NAME", _CHAIN],
        ["NFTA_CHAIN_HOOK", {"attrs": hooked}],
        ["NFTA_CHAIN_TYPE", "filter"],
    ]
    return _create(nftsocket.nft_chain_msg, nftsocket.NFT_MSG_NEWCHAIN, attrs, NLM_F_EXCL)


def _rules(device: str, match: Sequence[dict[str, Any]], forward_to: int) -> list[bytes]:
    """Drop what matches; send the rest on."""
    leave = [_expr("immediate", DREG=_REG32, DATA=_value(forward_to)), _expr("fwd", SREG_DEV=_REG32)]
    return [_rule(_table(device), [*match, *_COUNT_AND_DROP]), _rule(_table(device), leave)]


def _new_table(device: str) -> bytes:
    named: Attrs = [["NFTA_TABLE_NAME", _table(device)]]
    return _create(nftsocket.nft_table_msg, nftsocket.NFT_MSG_NEWTABLE, named)


def _batch(*messages: bytes) -> bytes:
    """One transaction: all between begin and end."""
    return b"".join([_edge(_BATCH_BEGIN), *messages, _edge(_BATCH_END)])
