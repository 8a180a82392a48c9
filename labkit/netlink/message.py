"""One netlink message as bytes, without a socket. Traffic control here; links in veth.py, netfilter in
nft.py.

pyroute2's IPBatch does the same for every kind of call, but runs an event loop for each (about 200
microseconds on top of the encoding) and puts the process id into the header, so that no two runs give
the same bytes. Messages made here depend on their arguments alone. Sequence number and port are 0:
whoever sends them may fill them in.
"""

from __future__ import annotations

import marshal
from typing import Any

from pyroute2.netlink import (
    NLM_F_ACK,
    NLM_F_CREATE,
    NLM_F_DUMP,
    NLM_F_EXCL,
    NLM_F_REPLACE,
    NLM_F_REQUEST,
    nlmsg,
)
from pyroute2.netlink.rtnl import (
    RTM_DELQDISC,
    RTM_DELTCLASS,
    RTM_DELTFILTER,
    RTM_GETLINK,
    RTM_GETQDISC,
    RTM_NEWQDISC,
    RTM_NEWTCLASS,
    RTM_NEWTFILTER,
    TC_H_ROOT,
)
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg
from pyroute2.netlink.rtnl.tcmsg import plugins, tcmsg

_NEW = {"": RTM_NEWQDISC, "class": RTM_NEWTCLASS, "filter": RTM_NEWTFILTER}
_DEL = {"": RTM_DELQDISC, "class": RTM_DELTCLASS, "filter": RTM_DELTFILTER}
_FLAGS = {"add": NLM_F_CREATE | NLM_F_EXCL, "replace": NLM_F_CREATE | NLM_F_REPLACE, "change": 0, "del": 0}

_WITHOUT_REFERENCES = 2  # the version of marshal's format in which equal values are equal bytes
_MOST_KNOWN = 1 << 17  # as a network of a thousand hosts has, twice: some 30 MB
_encoded: dict[bytes, bytes] = {}


def encode(msg: nlmsg, message_type: int, flags: int = NLM_F_REQUEST | NLM_F_ACK) -> bytes:
    """The message with its header, as bytes. Its fields are plain values. pyroute2 takes 0.2 ms for each, and
    the next run has nearly the same ones: what was encoded is known."""
    fields = {name: value for name, value in msg.items() if name != "header"}
    content = marshal.dumps((type(msg).__qualname__, message_type, flags, fields), _WITHOUT_REFERENCES)
    if content not in _encoded:
        if len(_encoded) >= _MOST_KNOWN:
            _encoded.clear()
        msg["header"]["type"] = message_type
        msg["header"]["flags"] = flags
        msg.encode()
        _encoded[content] = bytes(msg.data)
    return _encoded[content]


def handle(value: int | str) -> int:
    """A qdisc or class by `tc`'s name for it: "1:", "1:10" (hexadecimal), or the number itself."""
    if isinstance(value, int):
        return value
    if value == "root":
        return int(TC_H_ROOT)
    major, colon, minor = value.partition(":")
    if not colon:
        raise ValueError(f'handle {value!r}: write "1:", "1:10" or "root"')
    return int(major or "0", 16) << 16 | int(minor or "0", 16)


def tc(
    command: str,
    kind: str,
    index: int,
    *,
    at: int | str = 0,
    parent: int | str | None = None,
    **parameters: Any,
) -> bytes:
    """What `IPRoute.tc(command, kind, index, at, parent=parent, **parameters)` would send.

    command: add, replace, change, del, each also with "-class" or "-filter"; at: the handle of the
    thing itself. Raises ValueError when the plug-in refuses the parameters.
    """
    verb, _, what = command.partition("-")
    if verb not in _FLAGS or what not in _NEW:
        raise ValueError(f"command {command!r}: add, replace, change or del, -class or -filter")
    plugin = plugins.get(kind)
    request: dict[str, Any] = {"info": 0, **parameters, "kind": kind, "index": index, "handle": handle(at)}
    request["parent"] = handle(parent) if parent is not None else getattr(plugin, "parent", TC_H_ROOT)
    msg = tcmsg()
    msg["attrs"] = [["TCA_KIND", kind]]
    getter = "get_class_parameters" if what == "class" else "get_parameters"
    options = getattr(plugin, getter)(dict(request)) if hasattr(plugin, getter) and verb != "del" else None
    if options is not None:
        msg["attrs"].append(["TCA_OPTIONS", options])
    if hasattr(plugin, "fix_request"):
        plugin.fix_request(request)
    for field in ("index", "handle", "parent", "info"):
        msg[field] = request[field]
    flags = NLM_F_REQUEST | NLM_F_ACK | _FLAGS[verb]
    return encode(msg, (_DEL if verb == "del" else _NEW)[what], flags)


def dump_links() -> bytes:
    """The request for every device of the namespace with its statistics."""
    return encode(ifinfmsg(), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP)


def dump_qdiscs() -> bytes:
    """The request for every qdisc of the namespace with options and counters (decode with `decode_tc`)."""
    return encode(tcmsg(), RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP)


def decode_tc(data: bytes) -> list[tcmsg]:
    """The traffic control messages in a dump's bytes; NLMSG_DONE and errors left out."""
    messages, offset = [], 0
    while offset + 16 <= len(data):
        length = int.from_bytes(data[offset : offset + 4], "little")
        if length < 16:
            break
        if int.from_bytes(data[offset + 4 : offset + 6], "little") >= RTM_NEWQDISC:
            msg = tcmsg(data[offset : offset + length])
            msg.decode()
            messages.append(msg)
        offset += (length + 3) & ~3
    return messages
