// What the agent's raw files are made of: structs, types of records, constants.
// Made by scripts/formats.py from format.h and raw_format.h of labkit/execute/agent/src: change those.

export const LAB_AT_SETUP = -1;
export const CC_NAME = 16;
export const PHASE_BEFORE = 0;
export const PHASE_AFTER = 1;
export const PHASE_SAMPLE = 2;
export const LIMIT_RAW = 0;
export const LIMIT_OUTPUT = 1;
export const LIMIT_CAPTURE = 2;
export const LIMIT_TRACE = 3;
export const STATE_GOOD = 0;
export const STATE_BAD = 1;
export const STATE_ENDED = 2;
export const END_COMPLETE = 0;
export const END_DURATION = 1;
export const END_LIMIT = 2;
export const END_STOPPED = 3;
export const END_ERROR = 4;
export const END_PACKET = 5;
export const END_SIZE = 6;
export const END_REASONS = ["complete", "duration", "limit", "stopped", "error", "packet", "size"];
export const STATES = ["good", "bad", "ended"];
export const KIND = /** @type {const} */ ({
  ERROR: 64,
  EPOCH: 65,
  FLOW: 66,
  TCP_INFO: 67,
  NETLINK: 68,
  FILE: 69,
  TRACE: 70,
  EXEC_OUT: 71,
  EXEC_END: 72,
  END: 73,
  PACKETS: 74,
  DROP: 75,
  CAPTURED: 76,
  EVENTS: 77,
  REQUEST: 78,
  LIMIT: 79,
  STATE: 80,
  CC_INFO: 81,
  TRANSFER: 82,
  TRAIN: 83,
  EXCHANGE: 84,
  SEGMENT: 85,
});
export const RECORD = /** @type {const} */ ({
  size: 16,
  at: { type: 0, ns: 2, size: 4, at_ns: 8 },
  type: { type: "u2", ns: "u2", size: "u4", at_ns: "i8" },
});
export const ERROR_OUT = /** @type {const} */ ({
  size: 16,
  at: { record: 0, message: 4, error: 8, reserved: 12 },
  type: { record: "u4", message: "u4", error: "i4", reserved: "u4" },
});
export const EPOCH_OUT = /** @type {const} */ ({
  size: 16,
  at: { monotonic_ns: 0, real_ns: 8 },
  type: { monotonic_ns: "i8", real_ns: "i8" },
});
export const FLOW_OUT = /** @type {const} */ ({
  size: 72,
  at: { id: 0, error: 4, sent: 8, received: 16, sent_packets: 24, received_packets: 32, established_ns: 40, first_ns: 48, last_ns: 56, end_ns: 64 },
  type: { id: "u4", error: "i4", sent: "u8", received: "u8", sent_packets: "u8", received_packets: "u8", established_ns: "i8", first_ns: "i8", last_ns: "i8", end_ns: "i8" },
});
export const REQUEST_OUT = /** @type {const} */ ({
  size: 48,
  at: { flow: 0, reserved: 4, number: 8, think_ns: 16, sent_ns: 24, first_ns: 32, done_ns: 40 },
  type: { flow: "u4", reserved: "u4", number: "u8", think_ns: "u8", sent_ns: "i8", first_ns: "i8", done_ns: "i8" },
});
export const TRANSFER_OUT = /** @type {const} */ ({
  size: 64,
  at: { flow: 0, error: 4, number: 8, size: 16, received: 24, start_ns: 32, established_ns: 40, first_ns: 48, done_ns: 56 },
  type: { flow: "u4", error: "i4", number: "u8", size: "u8", received: "u8", start_ns: "i8", established_ns: "i8", first_ns: "i8", done_ns: "i8" },
});
export const TRAIN_OUT = /** @type {const} */ ({
  size: 32,
  at: { flow: 0, packet: 4, train: 8, sent_ns: 16, received_ns: 24 },
  type: { flow: "u4", packet: "u4", train: "u8", sent_ns: "i8", received_ns: "i8" },
});
export const INFO_OUT = /** @type {const} */ ({
  size: 8,
  at: { flow: 0, side: 4 },
  type: { flow: "u4", side: "u4" },
});
export const DUMP_OUT = /** @type {const} */ ({
  size: 8,
  at: { phase: 0, record: 4 },
  type: { phase: "u4", record: "u4" },
});
export const EXEC_OUT = /** @type {const} */ ({
  size: 8,
  at: { id: 0, stream: 4 },
  type: { id: "u4", stream: "i4" },
});
export const EXCHANGE_OUT = /** @type {const} */ ({
  size: 56,
  at: { flow: 0, connection: 4, number: 8, ready_ns: 16, sent_ns: 24, asked_ns: 32, first_ns: 40, done_ns: 48 },
  type: { flow: "u4", connection: "u4", number: "u8", ready_ns: "i8", sent_ns: "i8", asked_ns: "i8", first_ns: "i8", done_ns: "i8" },
});
export const SEGMENT_OUT = /** @type {const} */ ({
  size: 56,
  at: { flow: 0, rate: 4, number: 8, sent_ns: 16, first_ns: 24, done_ns: 32, buffered_ns: 40, stalled_ns: 48 },
  type: { flow: "u4", rate: "u4", number: "u8", sent_ns: "i8", first_ns: "i8", done_ns: "i8", buffered_ns: "u8", stalled_ns: "u8" },
});
export const PACKETS_OUT = /** @type {const} */ ({
  size: 8,
  at: { interface: 0, count: 4 },
  type: { interface: "u4", count: "u4" },
});
export const PACKET_OUT = /** @type {const} */ ({
  size: 24,
  at: { at_ns: 0, captured: 8, length: 12, outgoing: 16, reserved: 20 },
  type: { at_ns: "i8", captured: "u4", length: "u4", outgoing: "u4", reserved: "u4" },
});
export const EVENT_OUT = /** @type {const} */ ({
  size: 16,
  at: { at_ns: 0, size: 8, reserved: 12 },
  type: { at_ns: "i8", size: "u4", reserved: "u4" },
});
export const CAPTURED_OUT = /** @type {const} */ ({
  size: 24,
  at: { interface: 0, reserved: 4, seen: 8, lost: 16 },
  type: { interface: "u4", reserved: "u4", seen: "u8", lost: "u8" },
});
export const LIMIT_OUT = /** @type {const} */ ({
  size: 16,
  at: { what: 0, id: 4, limit: 8 },
  type: { what: "u4", id: "u4", limit: "u8" },
});
export const STATE_OUT = /** @type {const} */ ({
  size: 8,
  at: { interface: 0, state: 4 },
  type: { interface: "u4", state: "u4" },
});
export const END_OUT = /** @type {const} */ ({
  size: 16,
  at: { reason: 0, reserved: 4, lost_trace_events: 8 },
  type: { reason: "u4", reserved: "u4", lost_trace_events: "u8" },
});
/** What the payload of such a record begins with; those of other types begin with no struct. */
export const HEADS = {
  ERROR: ERROR_OUT,
  EPOCH: EPOCH_OUT,
  FLOW: FLOW_OUT,
  TCP_INFO: INFO_OUT,
  NETLINK: DUMP_OUT,
  FILE: DUMP_OUT,
  EXEC_OUT: EXEC_OUT,
  EXEC_END: EXEC_OUT,
  END: END_OUT,
  PACKETS: PACKETS_OUT,
  CAPTURED: CAPTURED_OUT,
  EVENTS: EVENT_OUT,
  REQUEST: REQUEST_OUT,
  LIMIT: LIMIT_OUT,
  STATE: STATE_OUT,
  CC_INFO: INFO_OUT,
  TRANSFER: TRANSFER_OUT,
  TRAIN: TRAIN_OUT,
  EXCHANGE: EXCHANGE_OUT,
  SEGMENT: SEGMENT_OUT,
};
