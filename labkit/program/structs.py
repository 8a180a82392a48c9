"""The agent's structs, types of records and constants.

Made by scripts/formats.py from format.h and raw_format.h of labkit/execute/agent/src: change those.
"""

from __future__ import annotations

import enum

from labkit.program.c_struct import Struct

LAB_MAGIC = 1112555852
LAB_VERSION = 2
LAB_NS_FD = 100
LAB_AT_SETUP = -1
LAB_NO_NS = 65535
PROGRAM_MORE = 1
PROGRAM_PACKET = 2
NETLINK_BATCH = 1
CC_NAME = 16
FLOW_NODELAY = 1
FLOW_POISSON = 2
FLOW_SERVED = 4
MOST_HANDSHAKES = 4
RULE_THROUGHPUT = 0
RULE_BUFFER = 1
SAMPLE_TCP_INFO = 1
SAMPLE_NETLINK = 2
SAMPLE_CC_INFO = 3
EXEC_TERMINAL = 1
EXEC_DETACHED = 2
EXEC_PRIVILEGED = 4
LIMIT_DEFAULT_RAW = 4000000000
LIMIT_DEFAULT_OUTPUT = 100000000
LIMIT_DEFAULT_CAPTURE = 2000000000
LIMIT_DEFAULT_TRACE = 2000000000
PHASE_BEFORE = 0
PHASE_AFTER = 1
PHASE_SAMPLE = 2
LIMIT_RAW = 0
LIMIT_OUTPUT = 1
LIMIT_CAPTURE = 2
LIMIT_TRACE = 3
STATE_GOOD = 0
STATE_BAD = 1
STATE_ENDED = 2
END_COMPLETE = 0
END_DURATION = 1
END_LIMIT = 2
END_STOPPED = 3
END_ERROR = 4
END_PACKET = 5
END_SIZE = 6
RULES = ("throughput", "buffer")
END_REASONS = ("complete", "duration", "limit", "stopped", "error", "packet", "size")
STATES = ("good", "bad", "ended")


class Op(enum.IntEnum):
    """Types of record of a program (enum program_type)."""

    NETNS = 1
    NETLINK = 2
    SYSCTL = 3
    SEED = 4
    MODULE = 5
    OFFLOAD = 6
    FLOW = 7
    TRACE = 8
    SAMPLE = 9
    COUNTERS = 10
    EXEC = 11
    HOSTS = 12
    END = 13
    CAPTURE = 14
    DROPS = 15
    LISTEN = 16
    SEND = 17
    SERVER = 18
    REQUEST = 19
    LIMITS = 20
    SHOW = 21
    CHAIN = 22
    BACKGROUND = 23
    TRAIN = 24
    EXCHANGES = 25
    STREAM = 26
    TUN = 28
    TUNNEL = 29
    PARAMETER = 30


class Kind(enum.IntEnum):
    """Types of record of a raw file (enum raw_type)."""

    ERROR = 64
    EPOCH = 65
    FLOW = 66
    TCP_INFO = 67
    NETLINK = 68
    FILE = 69
    TRACE = 70
    EXEC_OUT = 71
    EXEC_END = 72
    END = 73
    PACKETS = 74
    DROP = 75
    CAPTURED = 76
    EVENTS = 77
    REQUEST = 78
    LIMIT = 79
    STATE = 80
    CC_INFO = 81
    TRANSFER = 82
    TRAIN = 83
    EXCHANGE = 84
    SEGMENT = 85


RECORD = Struct("type:u2 ns:u2 size:u4 at_ns:i8")
HEADER = Struct("magic:u4 version:u2 flags:u2 records:u4 reserved:u4")
NETLINK_OP = Struct("protocol:u4 flags:u4")
FLOW_OP = Struct(
    "id:u4 dst_ns:u2 protocol:u1 flags:u1 saddr:u4 daddr:u4 sport:u2 dport:u2 mss:u4 size:u8 duration_ns:u8 "
    "sndbuf:u4 rcvbuf:u4 read_bytes:u4 packet:u4 interval_ns:u8 seed:u8 cc:16s read_after_ns:u8 read_rate:u8"
)
REQUEST_OP = Struct("flow:104s request:u8 response:u8 count:u8 service_ns:u8 think_ns:u8")
BACKGROUND_OP = Struct("flow:104s count:u8")
TRANSFER_OP = Struct("after_ns:u8 size:u8")
HANDSHAKE_OP = Struct("request:u4 response:u4")
POOL_OP = Struct("flow:104s connections:u4 frame:u4 handshakes:u4 reserved:u4 handshake:32s")
EXCHANGES_OP = Struct("pool:152s count:u8 followers:u8")
EXCHANGE_OP = Struct(
    "after_ns:u8 request:u8 response:u8 service_ns:u8 waits:u8 first_follower:u4 followers:u4"
)
STREAM_OP = Struct(
    "pool:152s segments:u8 segment_ns:u8 buffer_ns:u8 begin_ns:u8 request:u8 service_ns:u8 rule:u4 rates:u4"
)
TRAIN_OP = Struct("flow:104s trains:u8 packets:u4 listed:u4")
TUN_OP = Struct("interface:u4 reserved:u4")
TUNNEL_OP = Struct("flow:104s src:u4 dst:u4")
SERVER_OP = Struct("port:u2 backlog:u2 reserved:u4")
TRACE_OP = Struct("buffer_kb:u4 reserved:u4")
SAMPLE_OP = Struct("kind:u4 devices:u4 interval_ns:u8")
EXEC_OP = Struct("id:u4 flags:u4")
CAPTURE_OP = Struct("interface:u4 snap:u4 ring_kb:u4 reserved:u4")
DROPS_OP = Struct("snap:u4 reserved:u4")
SEND_OP = Struct("interface:u4 reserved:u4")
CHAIN_OP = Struct("seed:u8 draws:u8 mean_ns0:u8 mean_ns1:u8 interface:u4 draw_at:u4")
LIMITS_OP = Struct("raw:u8 output:u8 capture:u8 trace:u8")
END_OP = Struct("duration_ns:u8 limit_ns:u8")
ERROR_OUT = Struct("record:u4 message:u4 error:i4 reserved:u4")
EPOCH_OUT = Struct("monotonic_ns:i8 real_ns:i8")
FLOW_OUT = Struct(
    "id:u4 error:i4 sent:u8 received:u8 sent_packets:u8 received_packets:u8 established_ns:i8 first_ns:i8 "
    "last_ns:i8 end_ns:i8"
)
REQUEST_OUT = Struct("flow:u4 reserved:u4 number:u8 think_ns:u8 sent_ns:i8 first_ns:i8 done_ns:i8")
TRANSFER_OUT = Struct(
    "flow:u4 error:i4 number:u8 size:u8 received:u8 start_ns:i8 established_ns:i8 first_ns:i8 done_ns:i8"
)
TRAIN_OUT = Struct("flow:u4 packet:u4 train:u8 sent_ns:i8 received_ns:i8")
INFO_OUT = Struct("flow:u4 side:u4")
DUMP_OUT = Struct("phase:u4 record:u4")
EXEC_OUT = Struct("id:u4 stream:i4")
EXCHANGE_OUT = Struct(
    "flow:u4 connection:u4 number:u8 ready_ns:i8 sent_ns:i8 asked_ns:i8 first_ns:i8 done_ns:i8"
)
SEGMENT_OUT = Struct(
    "flow:u4 rate:u4 number:u8 sent_ns:i8 first_ns:i8 done_ns:i8 buffered_ns:u8 stalled_ns:u8"
)
PACKETS_OUT = Struct("interface:u4 count:u4")
PACKET_OUT = Struct("at_ns:i8 captured:u4 length:u4 outgoing:u4 reserved:u4")
EVENT_OUT = Struct("at_ns:i8 size:u4 reserved:u4")
CAPTURED_OUT = Struct("interface:u4 reserved:u4 seen:u8 lost:u8")
LIMIT_OUT = Struct("what:u4 id:u4 limit:u8")
STATE_OUT = Struct("interface:u4 state:u4")
END_OUT = Struct("reason:u4 reserved:u4 lost_trace_events:u8")

HEADS: dict[Kind, Struct] = {
    Kind.ERROR: ERROR_OUT,
    Kind.EPOCH: EPOCH_OUT,
    Kind.FLOW: FLOW_OUT,
    Kind.TCP_INFO: INFO_OUT,
    Kind.NETLINK: DUMP_OUT,
    Kind.FILE: DUMP_OUT,
    Kind.EXEC_OUT: EXEC_OUT,
    Kind.EXEC_END: EXEC_OUT,
    Kind.END: END_OUT,
    Kind.PACKETS: PACKETS_OUT,
    Kind.CAPTURED: CAPTURED_OUT,
    Kind.EVENTS: EVENT_OUT,
    Kind.REQUEST: REQUEST_OUT,
    Kind.LIMIT: LIMIT_OUT,
    Kind.STATE: STATE_OUT,
    Kind.CC_INFO: INFO_OUT,
    Kind.TRANSFER: TRANSFER_OUT,
    Kind.TRAIN: TRAIN_OUT,
    Kind.EXCHANGE: EXCHANGE_OUT,
    Kind.SEGMENT: SEGMENT_OUT,
}
"""What the payload of such a record begins with; those of other types begin with no struct."""
