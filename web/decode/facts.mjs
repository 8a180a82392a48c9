// What labkit's Python declares and this needs, too. Made by scripts/decode_facts.py.

export const TCP_INFO = /** @type {readonly {name: string, at: number, size: number}[]} */ ([
  {
    "name": "state",
    "at": 0,
    "size": 1
  },
  {
    "name": "ca_state",
    "at": 1,
    "size": 1
  },
  {
    "name": "retransmits",
    "at": 2,
    "size": 1
  },
  {
    "name": "probes",
    "at": 3,
    "size": 1
  },
  {
    "name": "backoff",
    "at": 4,
    "size": 1
  },
  {
    "name": "options",
    "at": 5,
    "size": 1
  },
  {
    "name": "wscale",
    "at": 6,
    "size": 1
  },
  {
    "name": "flags",
    "at": 7,
    "size": 1
  },
  {
    "name": "rto",
    "at": 8,
    "size": 4
  },
  {
    "name": "ato",
    "at": 12,
    "size": 4
  },
  {
    "name": "snd_mss",
    "at": 16,
    "size": 4
  },
  {
    "name": "rcv_mss",
    "at": 20,
    "size": 4
  },
  {
    "name": "unacked",
    "at": 24,
    "size": 4
  },
  {
    "name": "sacked",
    "at": 28,
    "size": 4
  },
  {
    "name": "lost",
    "at": 32,
    "size": 4
  },
  {
    "name": "retrans",
    "at": 36,
    "size": 4
  },
  {
    "name": "fackets",
    "at": 40,
    "size": 4
  },
  {
    "name": "last_data_sent",
    "at": 44,
    "size": 4
  },
  {
    "name": "last_ack_sent",
    "at": 48,
    "size": 4
  },
  {
    "name": "last_data_recv",
    "at": 52,
    "size": 4
  },
  {
    "name": "last_ack_recv",
    "at": 56,
    "size": 4
  },
  {
    "name": "pmtu",
    "at": 60,
    "size": 4
  },
  {
    "name": "rcv_ssthresh",
    "at": 64,
    "size": 4
  },
  {
    "name": "rtt",
    "at": 68,
    "size": 4
  },
  {
    "name": "rttvar",
    "at": 72,
    "size": 4
  },
  {
    "name": "snd_ssthresh",
    "at": 76,
    "size": 4
  },
  {
    "name": "snd_cwnd",
    "at": 80,
    "size": 4
  },
  {
    "name": "advmss",
    "at": 84,
    "size": 4
  },
  {
    "name": "reordering",
    "at": 88,
    "size": 4
  },
  {
    "name": "rcv_rtt",
    "at": 92,
    "size": 4
  },
  {
    "name": "rcv_space",
    "at": 96,
    "size": 4
  },
  {
    "name": "total_retrans",
    "at": 100,
    "size": 4
  },
  {
    "name": "pacing_rate",
    "at": 104,
    "size": 8
  },
  {
    "name": "max_pacing_rate",
    "at": 112,
    "size": 8
  },
  {
    "name": "bytes_acked",
    "at": 120,
    "size": 8
  },
  {
    "name": "bytes_received",
    "at": 128,
    "size": 8
  },
  {
    "name": "segs_out",
    "at": 136,
    "size": 4
  },
  {
    "name": "segs_in",
    "at": 140,
    "size": 4
  },
  {
    "name": "notsent_bytes",
    "at": 144,
    "size": 4
  },
  {
    "name": "min_rtt",
    "at": 148,
    "size": 4
  },
  {
    "name": "data_segs_in",
    "at": 152,
    "size": 4
  },
  {
    "name": "data_segs_out",
    "at": 156,
    "size": 4
  },
  {
    "name": "delivery_rate",
    "at": 160,
    "size": 8
  },
  {
    "name": "busy_time",
    "at": 168,
    "size": 8
  },
  {
    "name": "rwnd_limited",
    "at": 176,
    "size": 8
  },
  {
    "name": "sndbuf_limited",
    "at": 184,
    "size": 8
  },
  {
    "name": "delivered",
    "at": 192,
    "size": 4
  },
  {
    "name": "delivered_ce",
    "at": 196,
    "size": 4
  },
  {
    "name": "bytes_sent",
    "at": 200,
    "size": 8
  },
  {
    "name": "bytes_retrans",
    "at": 208,
    "size": 8
  },
  {
    "name": "dsack_dups",
    "at": 216,
    "size": 4
  },
  {
    "name": "reord_seen",
    "at": 220,
    "size": 4
  },
  {
    "name": "rcv_ooopack",
    "at": 224,
    "size": 4
  },
  {
    "name": "snd_wnd",
    "at": 228,
    "size": 4
  },
  {
    "name": "rcv_wnd",
    "at": 232,
    "size": 4
  },
  {
    "name": "rehash",
    "at": 236,
    "size": 4
  },
  {
    "name": "total_rto",
    "at": 240,
    "size": 2
  },
  {
    "name": "total_rto_recoveries",
    "at": 242,
    "size": 2
  },
  {
    "name": "total_rto_time",
    "at": 244,
    "size": 4
  }
]);

export const TCP_INFO_BITS = /** @type {Record<string, readonly [string, number, number][]>} */ ({
  "wscale": [
    [
      "snd_wscale",
      0,
      15
    ],
    [
      "rcv_wscale",
      4,
      15
    ]
  ],
  "flags": [
    [
      "delivery_rate_app_limited",
      0,
      1
    ],
    [
      "fastopen_client_fail",
      1,
      3
    ]
  ]
});

export const CC_INFO = /** @type {Record<string, readonly {name: string, at: number, size: number}[]>} */ ({
  "bbr": [
    {
      "name": "bw",
      "at": 0,
      "size": 8
    },
    {
      "name": "min_rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "pacing_gain",
      "at": 12,
      "size": 4
    },
    {
      "name": "cwnd_gain",
      "at": 16,
      "size": 4
    }
  ],
  "dctcp": [
    {
      "name": "enabled",
      "at": 0,
      "size": 2
    },
    {
      "name": "ce_state",
      "at": 2,
      "size": 2
    },
    {
      "name": "alpha",
      "at": 4,
      "size": 4
    },
    {
      "name": "ab_ecn",
      "at": 8,
      "size": 4
    },
    {
      "name": "ab_tot",
      "at": 12,
      "size": 4
    }
  ],
  "dctcp-reno": [
    {
      "name": "enabled",
      "at": 0,
      "size": 2
    },
    {
      "name": "ce_state",
      "at": 2,
      "size": 2
    },
    {
      "name": "alpha",
      "at": 4,
      "size": 4
    },
    {
      "name": "ab_ecn",
      "at": 8,
      "size": 4
    },
    {
      "name": "ab_tot",
      "at": 12,
      "size": 4
    }
  ],
  "vegas": [
    {
      "name": "enabled",
      "at": 0,
      "size": 4
    },
    {
      "name": "rttcnt",
      "at": 4,
      "size": 4
    },
    {
      "name": "rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "minrtt",
      "at": 12,
      "size": 4
    }
  ],
  "yeah": [
    {
      "name": "enabled",
      "at": 0,
      "size": 4
    },
    {
      "name": "rttcnt",
      "at": 4,
      "size": 4
    },
    {
      "name": "rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "minrtt",
      "at": 12,
      "size": 4
    }
  ],
  "illinois": [
    {
      "name": "enabled",
      "at": 0,
      "size": 4
    },
    {
      "name": "rttcnt",
      "at": 4,
      "size": 4
    },
    {
      "name": "rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "minrtt",
      "at": 12,
      "size": 4
    }
  ],
  "nv": [
    {
      "name": "enabled",
      "at": 0,
      "size": 4
    },
    {
      "name": "rttcnt",
      "at": 4,
      "size": 4
    },
    {
      "name": "rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "minrtt",
      "at": 12,
      "size": 4
    }
  ],
  "westwood": [
    {
      "name": "enabled",
      "at": 0,
      "size": 4
    },
    {
      "name": "rttcnt",
      "at": 4,
      "size": 4
    },
    {
      "name": "rtt",
      "at": 8,
      "size": 4
    },
    {
      "name": "minrtt",
      "at": 12,
      "size": 4
    }
  ]
});

export const CC_INFO_WORDS = /** @type {readonly {name: string, at: number, size: number}[]} */ ([
  {
    "name": "word0",
    "at": 0,
    "size": 4
  },
  {
    "name": "word1",
    "at": 4,
    "size": 4
  },
  {
    "name": "word2",
    "at": 8,
    "size": 4
  },
  {
    "name": "word3",
    "at": 12,
    "size": 4
  },
  {
    "name": "word4",
    "at": 16,
    "size": 4
  }
]);

export const CC_INFO_ONE = /** @type {Record<string, number>} */ ({
  "pacing_gain": 256,
  "cwnd_gain": 256,
  "alpha": 1024
});

export const LINK_STATS = /** @type {readonly string[]} */ ([
  "rx_packets",
  "tx_packets",
  "rx_bytes",
  "tx_bytes",
  "rx_errors",
  "tx_errors",
  "rx_dropped",
  "tx_dropped",
  "multicast",
  "collisions",
  "rx_length_errors",
  "rx_over_errors",
  "rx_crc_errors",
  "rx_frame_errors",
  "rx_fifo_errors",
  "rx_missed_errors",
  "tx_aborted_errors",
  "tx_carrier_errors",
  "tx_fifo_errors",
  "tx_heartbeat_errors",
  "tx_window_errors",
  "rx_compressed",
  "tx_compressed",
  "rx_nohandler",
  "rx_otherhost_dropped"
]);

export const ERRNO = /** @type {Record<string, string>} */ ({
  "1": "EPERM",
  "2": "ENOENT",
  "3": "ESRCH",
  "4": "EINTR",
  "5": "EIO",
  "6": "ENXIO",
  "7": "E2BIG",
  "8": "ENOEXEC",
  "9": "EBADF",
  "10": "ECHILD",
  "11": "EAGAIN",
  "12": "ENOMEM",
  "13": "EACCES",
  "14": "EFAULT",
  "15": "ENOTBLK",
  "16": "EBUSY",
  "17": "EEXIST",
  "18": "EXDEV",
  "19": "ENODEV",
  "20": "ENOTDIR",
  "21": "EISDIR",
  "22": "EINVAL",
  "23": "ENFILE",
  "24": "EMFILE",
  "25": "ENOTTY",
  "26": "ETXTBSY",
  "27": "EFBIG",
  "28": "ENOSPC",
  "29": "ESPIPE",
  "30": "EROFS",
  "31": "EMLINK",
  "32": "EPIPE",
  "33": "EDOM",
  "34": "ERANGE",
  "35": "EDEADLOCK",
  "36": "ENAMETOOLONG",
  "37": "ENOLCK",
  "38": "ENOSYS",
  "39": "ENOTEMPTY",
  "40": "ELOOP",
  "42": "ENOMSG",
  "43": "EIDRM",
  "44": "ECHRNG",
  "45": "EL2NSYNC",
  "46": "EL3HLT",
  "47": "EL3RST",
  "48": "ELNRNG",
  "49": "EUNATCH",
  "50": "ENOCSI",
  "51": "EL2HLT",
  "52": "EBADE",
  "53": "EBADR",
  "54": "EXFULL",
  "55": "ENOANO",
  "56": "EBADRQC",
  "57": "EBADSLT",
  "59": "EBFONT",
  "60": "ENOSTR",
  "61": "ENODATA",
  "62": "ETIME",
  "63": "ENOSR",
  "64": "ENONET",
  "65": "ENOPKG",
  "66": "EREMOTE",
  "67": "ENOLINK",
  "68": "EADV",
  "69": "ESRMNT",
  "70": "ECOMM",
  "71": "EPROTO",
  "72": "EMULTIHOP",
  "73": "EDOTDOT",
  "74": "EBADMSG",
  "75": "EOVERFLOW",
  "76": "ENOTUNIQ",
  "77": "EBADFD",
  "78": "EREMCHG",
  "79": "ELIBACC",
  "80": "ELIBBAD",
  "81": "ELIBSCN",
  "82": "ELIBMAX",
  "83": "ELIBEXEC",
  "84": "EILSEQ",
  "85": "ERESTART",
  "86": "ESTRPIPE",
  "87": "EUSERS",
  "88": "ENOTSOCK",
  "89": "EDESTADDRREQ",
  "90": "EMSGSIZE",
  "91": "EPROTOTYPE",
  "92": "ENOPROTOOPT",
  "93": "EPROTONOSUPPORT",
  "94": "ESOCKTNOSUPPORT",
  "95": "ENOTSUP",
  "96": "EPFNOSUPPORT",
  "97": "EAFNOSUPPORT",
  "98": "EADDRINUSE",
  "99": "EADDRNOTAVAIL",
  "100": "ENETDOWN",
  "101": "ENETUNREACH",
  "102": "ENETRESET",
  "103": "ECONNABORTED",
  "104": "ECONNRESET",
  "105": "ENOBUFS",
  "106": "EISCONN",
  "107": "ENOTCONN",
  "108": "ESHUTDOWN",
  "109": "ETOOMANYREFS",
  "110": "ETIMEDOUT",
  "111": "ECONNREFUSED",
  "112": "EHOSTDOWN",
  "113": "EHOSTUNREACH",
  "114": "EALREADY",
  "115": "EINPROGRESS",
  "116": "ESTALE",
  "117": "EUCLEAN",
  "118": "ENOTNAM",
  "119": "ENAVAIL",
  "120": "EISNAM",
  "121": "EREMOTEIO",
  "122": "EDQUOT",
  "123": "ENOMEDIUM",
  "124": "EMEDIUMTYPE",
  "125": "ECANCELED",
  "126": "ENOKEY",
  "127": "EKEYEXPIRED",
  "128": "EKEYREVOKED",
  "129": "EKEYREJECTED",
  "130": "EOWNERDEAD",
  "131": "ENOTRECOVERABLE",
  "132": "ERFKILL"
});

export const UNITS = /** @type {Record<string, Record<string, string>>} */ ({
  "flows": {
    "flow": "name of the flow",
    "src": "host that sends",
    "dst": "host that receives",
    "protocol": "tcp, udp or icmp (pings)",
    "cc": "congestion control",
    "sent_bytes": "bytes of payload handed to the sender's kernel",
    "received_bytes": "bytes of payload read by the receiver",
    "sent_packets": "datagrams (UDP), echo requests (ICMP), packets taken in (tunnels); 0 for TCP",
    "received_packets": "datagrams (UDP), answers (ICMP), packets given out (tunnels); 0 for TCP",
    "start_s": "s since the start of the run: when it should begin",
    "established_s": "s: when the connection was there",
    "first_byte_s": "s: arrival of the first segment with data",
    "last_byte_s": "s: arrival of the last one",
    "end_s": "s: when the last byte was acknowledged (or a little later, see FORMAT.md), or it was cut",
    "complete": "it came to its own end: all of its size or, without one, its whole duration",
    "error": "errno's name, ETIME: cut by its duration or the end of the run; empty if complete",
    "retransmits": "segments retransmitted (total_retrans of the last TCP_INFO); <NA> for others than TCP"
  },
  "requests": {
    "flow": "name of the flow",
    "number": "of the request in its flow: counts from 1",
    "sent_s": "s since the start of the run: when the client handed it to its kernel",
    "first_byte_s": "s: when the client had the first of the response; NaN: none came",
    "done_s": "s: when it had all of it; NaN: not before the end",
    "latency_s": "s: done_s - sent_s",
    "think_s": "s that the client thought before it; 0 for the first",
    "complete": "the whole response came"
  },
  "transfers": {
    "flow": "name of the background",
    "number": "of the transfer in its background: counts from 1",
    "size_bytes": "bytes of payload that it has to carry",
    "received_bytes": "bytes that the server read",
    "start_s": "s since the start of the run: when its client connected",
    "established_s": "s: when the connection was there; NaN: never",
    "first_byte_s": "s: when the server read the first of it; NaN: never",
    "done_s": "s: when the server had read all of it; NaN: not before the end",
    "duration_s": "s: done_s - start_s, its completion time",
    "complete": "all of it came",
    "error": "errno's name, ETIME: cut by the end of the run; empty if complete"
  },
  "pings": {
    "flow": "name of the pings",
    "number": "of the request: counts from 1",
    "sent_s": "s since the start of the run: when it was handed to the kernel",
    "rtt_s": "s until its answer was there; NaN: none came"
  },
  "trains": {
    "flow": "name of the trains",
    "train": "counts from 1",
    "packet": "of its train: counts from 1",
    "sent_s": "s since the start of the run: when its train was handed to the kernel",
    "received_s": "s: the receiving kernel's stamp; NaN: it never came"
  },
  "objects": {
    "flow": "name of the page",
    "object": "its name",
    "connection": "over which it came: counts from 1; 0: it never had one",
    "size_bytes": "bytes of payload of its response",
    "ready_s": "s since the start of the run: when the client knew that it wants it; NaN: never",
    "sent_s": "s: when a connection was free and the request went to the kernel; NaN: never",
    "first_byte_s": "s: when the client had the first of it; NaN: never",
    "done_s": "s: when it had all of it; NaN: not before the end",
    "complete": "all of it came"
  },
  "pages": {
    "flow": "name of the page",
    "start_s": "s since the start of the run: when the client began",
    "first_object_s": "s from there until the first object was complete; NaN: none was",
    "load_s": "s from there until all were, the page load time; NaN: not before the end",
    "objects": "how many were complete",
    "connections": "how many carried objects",
    "complete": "all objects came"
  },
  "keystrokes": {
    "flow": "name of the session",
    "number": "of the keystroke: counts from 1",
    "typed_s": "s since the start of the run: when the key was pressed",
    "echoed_s": "s: when its echo was there; NaN: not before the end",
    "latency_s": "s: echoed_s - typed_s",
    "above_100ms": "the echo took longer than 100 ms, or never came",
    "above_300ms": "the same for 300 ms"
  },
  "segments": {
    "flow": "name of the stream",
    "number": "of the segment: counts from 1",
    "rate": "bit/s at which it is encoded",
    "size_bytes": "bytes of payload",
    "asked_s": "s since the start of the run: when the client asked for it",
    "first_byte_s": "s: when the client had the first of it; NaN: never",
    "done_s": "s: when it had all of it; NaN: not before the end",
    "buffer_s": "s of video in the buffer when it was asked for",
    "stalled_s": "s for which playback had stood still when it went on with this one; 0: it did not",
    "complete": "all of it came"
  },
  "playback": {
    "flow": "name of the stream",
    "startup_s": "s from its start until playback began; NaN: never",
    "stalls": "how often playback stood still after that",
    "stalled_s": "s for which it did, all together",
    "mean_rate": "bit/s: mean of the segments that came; NaN: none",
    "switches": "how often the rate of a segment was another than that of the one before",
    "segments": "how many came",
    "complete": "all of them came"
  },
  "calls": {
    "flow": "name of the call",
    "number": "of the packet: counts from 1",
    "sent_s": "s since the start of the run: when it was due",
    "received_s": "s: when it came by itself; NaN: never",
    "usable_s": "s: when it was there, by itself or repaired by forward error correction; NaN: never",
    "delay_s": "s: usable_s - sent_s"
  },
  "goodput": {
    "flow": "name of the flow",
    "goodput": "Mbit/s of payload"
  },
  "qdiscs": {
    "time_s": "s since the start of the run",
    "kind": "of the qdisc that holds the packets",
    "backlog_bytes": "bytes waiting, Ethernet headers included",
    "backlog_packets": "packets waiting",
    "drops": "packets dropped so far",
    "marks": "packets marked CE (ECN) so far instead of being dropped",
    "sent_bytes": "bytes sent so far",
    "sent_packets": "packets sent so far",
    "overlimits": "times it had to wait or to drop",
    "phase": "0 before the run, 1 after it, 2 during it",
    "ns": "index of the namespace",
    "index": "of the interface",
    "handle": "of the qdisc; major number in the upper 16 bits",
    "parent": "4294967295: it is the root",
    "root": "the device's own qdisc",
    "leaf": "it holds the packets: no other qdisc is below it",
    "requeues": "packets that the device refused at first"
  },
  "counters": {
    "host": "whose network",
    "name": "the counter, as nstat and ip -s link call it",
    "before": "value at the start of the run",
    "after": "value at its end",
    "delta": "after - before; of no meaning for gauges like TcpCurrEstab"
  },
  "softnet": {
    "cpu": "number",
    "name": "the counter, as nstat and ip -s link call it",
    "before": "value at the start of the run",
    "after": "value at its end",
    "delta": "after - before; of no meaning for gauges like TcpCurrEstab"
  },
  "interfaces": {
    "host": "whose network",
    "name": "the counter; *_bytes in bytes, the others in packets",
    "before": "value at the start of the run",
    "after": "value at its end",
    "delta": "after - before; of no meaning for gauges like TcpCurrEstab",
    "interface": "name of the device",
    "peer": "host at the other end of its link",
    "role": "host: a host's own device; wire: one inside the link at that host's end; tunnel: of a Tunnel; bridge: a switch's own"
  },
  "loss_states": {
    "time_s": "s since the start of the run: the wire's chain of losses comes to a state",
    "until_s": "s since the start of the run: it leaves it, a Change ends the chain, or the run ends",
    "host": "where the direction begins",
    "peer": "where it ends",
    "state": "good or bad"
  },
  "commands": {
    "id": "number of the command",
    "host": "where it ran",
    "command": "shell line",
    "status": "exit status; negative: ended by that signal; <NA>: did not end",
    "stdout": "text",
    "stderr": "text",
    "start_s": "s since the start of the run",
    "end_s": "s since the start of the run"
  },
  "errors": {
    "time_s": "s since the start of the run; NaN: while it was set up",
    "record": "number of the record in the lab program",
    "message": "number of the netlink message in the record",
    "error": "errno's name",
    "text": "what the agent or the kernel says"
  },
  "trace": {
    "time_s": "s since the start of the run; the other columns are the kernel's own"
  },
  "packet_table": {
    "time_s": "s since the start of the run, when the interface passed it",
    "interface": "name of the interface",
    "direction": "out: its own host sent it; in: it arrived there",
    "flow": "name of the flow; missing: of none",
    "way": "data: from the flow's sender; ack: back to it",
    "src": "IPv4 address",
    "dst": "IPv4 address",
    "protocol": "tcp, udp, icmp or its number; missing: not IPv4, or cut off",
    "sport": "port, of a later fragment its first one's; -1: none",
    "dport": "port, likewise",
    "ip_id": "identification in the IPv4 header",
    "seq": "first sequence number, counted from the SYN's, which is 0; beyond 2^32 it goes on",
    "ack": "next sequence number expected, counted likewise; 0 without an ACK flag",
    "flags": "letters of FSRPAUECN as scapy has them",
    "window": "bytes, scaled if both SYNs were captured (RFC 7323)",
    "sacks": "SACK blocks in the packet",
    "sack1_left": "left edge of SACK block 1, as seq; -1: none",
    "sack1_right": "right edge of SACK block 1, as seq; -1: none",
    "sack2_left": "left edge of SACK block 2, as seq; -1: none",
    "sack2_right": "right edge of SACK block 2, as seq; -1: none",
    "sack3_left": "left edge of SACK block 3, as seq; -1: none",
    "sack3_right": "right edge of SACK block 3, as seq; -1: none",
    "sack4_left": "left edge of SACK block 4, as seq; -1: none",
    "sack4_right": "right edge of SACK block 4, as seq; -1: none",
    "tsval": "timestamp value; -1: none",
    "tsecr": "timestamp echo reply; -1: none",
    "payload": "bytes behind the TCP or UDP header, of other packets behind the IPv4 header",
    "length": "bytes of the frame, Ethernet header included",
    "captured": "bytes of it that were kept",
    "checksum": "of IPv4 and TCP, UDP or ICMP: good, bad; unknown: not all of it was kept, or a fragment"
  },
  "tcp_info": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow",
    "side": "whose socket: sender or receiver",
    "state": "TCP state: 1 ESTABLISHED, 2 SYN_SENT, 4 FIN_WAIT1, ... (enum of linux/tcp_states.h)",
    "ca_state": "0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss",
    "retransmits": "timeouts in a row without progress",
    "probes": "unanswered window probes",
    "backoff": "doublings of the RTO",
    "options": "bits: 1 timestamps, 2 SACK, 4 window scaling, 8 ECN, 16 ECN seen, 32 data in SYN",
    "snd_wscale": "shift of the peer's window",
    "rcv_wscale": "shift of the own window",
    "delivery_rate_app_limited": "1: delivery_rate was limited by the application",
    "fastopen_client_fail": "reason why TCP Fast Open was not used; 0 none",
    "rto": "µs",
    "ato": "µs, delayed-ACK timeout",
    "snd_mss": "bytes",
    "rcv_mss": "bytes, estimate",
    "unacked": "segments in flight or lost",
    "sacked": "segments",
    "lost": "segments held for lost now",
    "retrans": "segments retransmitted and not yet acknowledged",
    "fackets": "always 0 since Linux 4.15",
    "last_data_sent": "ms ago",
    "last_ack_sent": "always 0",
    "last_data_recv": "ms ago",
    "last_ack_recv": "ms ago",
    "pmtu": "bytes",
    "rcv_ssthresh": "bytes",
    "rtt": "µs, smoothed",
    "rttvar": "µs, mean deviation of the RTT",
    "snd_ssthresh": "segments; 2147483647: not set yet",
    "snd_cwnd": "segments",
    "advmss": "bytes",
    "reordering": "segments: the dupACK threshold in use",
    "rcv_rtt": "µs, the receiver's estimate",
    "rcv_space": "bytes, receive-buffer autotuning's target",
    "total_retrans": "segments retransmitted, all told",
    "pacing_rate": "bytes/s",
    "max_pacing_rate": "bytes/s; 18446744073709551615: no limit",
    "bytes_acked": "bytes",
    "bytes_received": "bytes",
    "segs_out": "segments",
    "segs_in": "segments",
    "notsent_bytes": "bytes",
    "min_rtt": "µs; 4294967295: not measured",
    "data_segs_in": "segments with payload",
    "data_segs_out": "segments with payload",
    "delivery_rate": "bytes/s, most recent sample",
    "busy_time": "µs with data to send",
    "rwnd_limited": "µs limited by the peer's window",
    "sndbuf_limited": "µs limited by the send buffer",
    "delivered": "segments",
    "delivered_ce": "segments with ECN's CE mark",
    "bytes_sent": "bytes, retransmissions included",
    "bytes_retrans": "bytes",
    "dsack_dups": "segments the peer had twice",
    "reord_seen": "reordering events",
    "rcv_ooopack": "segments received out of order",
    "snd_wnd": "bytes, the peer's window",
    "rcv_wnd": "bytes, the own window",
    "rehash": "changes of the flow's hash after timeouts",
    "total_rto": "timeouts",
    "total_rto_recoveries": "recoveries from a timeout",
    "total_rto_time": "ms spent in them"
  },
  "backlog": {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "interface": "the device whose qdisc it is",
    "kind": "of the qdisc that holds the packets",
    "backlog_bytes": "bytes waiting, Ethernet headers included",
    "backlog_packets": "packets waiting",
    "drops": "packets dropped so far",
    "marks": "packets marked CE (ECN) so far instead of being dropped",
    "sent_bytes": "bytes sent so far",
    "sent_packets": "packets sent so far",
    "overlimits": "times the device's root (the shaper) had to wait"
  },
  "aqm": {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "kind": "of the qdisc: pie, codel, red, fq_codel",
    "probability": "pie: of dropping (or marking) a packet that comes now",
    "delay_s": "s in the queue of the packet that left last (pie, codel)",
    "count": "codel: drops (or marks) since it began to drop, and what it took over from the time before",
    "dropping": "codel: it is dropping",
    "next_drop_s": "codel: s until the next drop, at most 0.001 ms off; negative: it was due that long ago",
    "early_drops": "red: packets dropped by chance so far",
    "forced_drops": "red: packets dropped so far for want of room",
    "new_flows": "fq_codel: flows served before all others now",
    "old_flows": "fq_codel: flows that take turns now"
  },
  "classes": {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "kind": "of the qdisc that has the classes",
    "class": "name of the class, or of cake's tin; empty: of no class, if packets passed or were lost there",
    "backlog_packets": "packets waiting in it; <NA>: cake does not tell",
    "backlog_bytes": "bytes waiting in it, Ethernet headers included",
    "sent_packets": "packets that left it so far; of a tin: that came in",
    "sent_bytes": "bytes that left it so far; of a tin: that came in",
    "drops": "packets dropped so far",
    "marks": "packets marked CE (ECN) so far instead of being dropped; <NA>: its queue never does"
  },
  "tcp_probe": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "snd_nxt": "sequence number to be sent next, modulo 2^32",
    "snd_una": "first sequence number not acknowledged, modulo 2^32",
    "snd_cwnd": "segments",
    "ssthresh": "segments; 2147483647: not set yet",
    "snd_wnd": "bytes, the peer's window",
    "srtt_us": "µs, smoothed RTT",
    "rcv_wnd": "bytes, the own window",
    "data_len": "bytes of payload in the segment that arrived"
  },
  "retransmissions": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "state": "number of the socket's TCP state; 1: established"
  },
  "cong_states": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "state": "congestion state that begins: Open, Disorder, CWR, Recovery, Loss"
  },
  "queue": {
    "enqueued_s": "s since the start of the run: when it came into the queue",
    "host": "where it waited",
    "peer": "where it was going",
    "packets": "packets in the queue when it came, itself not among them",
    "dequeued_s": "s: when it left; NaN: it did not",
    "wait_s": "s between the two",
    "dropped": "it was thrown away after it had been let in; what was not let in is in `drops` only"
  },
  "retransmit": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "number": "segments that this socket has sent again so far, this one included",
    "state": "number of the socket's TCP state (include/net/tcp_states.h); 1: established",
    "sport": "port of the socket that sends again",
    "dport": "port of its peer"
  },
  "cc_info": {
    "time_s": "s since the start of the run",
    "flow": "name of the flow",
    "cc": "name of its congestion control at that moment",
    "bw": "bytes/s: the bandwidth that BBR takes the path to have",
    "min_rtt": "µs: the round trip that BBR takes the path to have",
    "pacing_gain": "times bw: how fast BBR sends",
    "cwnd_gain": "times bw * min_rtt: how much BBR lets be under way",
    "enabled": "1: it acts on its own signal; 0: as Reno would (Vegas, YeAH, Illinois, NV, Westwood, DCTCP)",
    "rttcnt": "RTT samples since the last decision (Vegas, YeAH, Illinois); decisions (NV)",
    "rtt": "µs: the base RTT (Vegas, YeAH), mean since the last decision (Illinois), last (NV, Westwood)",
    "minrtt": "µs: the shortest since the last decision (Vegas, YeAH; 2147483647: none yet), of all (others)",
    "ce_state": "1: the last packet that came to this end was marked (DCTCP)",
    "alpha": "share of marked bytes, smoothed (DCTCP)",
    "ab_ecn": "bytes acknowledged with a mark in this window (DCTCP)",
    "ab_tot": "bytes acknowledged in this window (DCTCP)",
    "word0": "word 0 of what a module of one's own puts into the union",
    "word1": "word 1 of what a module of one's own puts into the union",
    "word2": "word 2 of what a module of one's own puts into the union",
    "word3": "word 3 of what a module of one's own puts into the union",
    "word4": "word 4 of what a module of one's own puts into the union"
  },
  "drops": {
    "time_s": "s since the start of the run: when the kernel freed it",
    "host": "where: on the way from this host ...",
    "peer": "... to this one; empty: inside the host",
    "place": "queue (waiting for a rate), wire (its faults), hook (a filter on the wire), port (of a NIC), stack (the host) or switch",
    "cause": "in the words of the ledger",
    "reason": "the kernel's drop reason (enum skb_drop_reason)",
    "function": "the kernel's function that freed it",
    "arrived": "it had reached its socket, which had no use for it: a duplicate, an old ACK; or its host when its flow was over",
    "flow": "name of the flow; missing: of none",
    "way": "data: from the flow's sender; ack: back to it",
    "src": "IPv4 address",
    "dst": "IPv4 address",
    "protocol": "tcp, udp, icmp or its number; missing: not IPv4, or cut off",
    "sport": "port, of a later fragment its first one's; -1: none",
    "dport": "port, likewise",
    "ip_id": "identification in the IPv4 header",
    "seq": "sequence number as on the wire, modulo 2^32; -1: none",
    "payload": "bytes behind the TCP or UDP header, of other packets behind the IPv4 header",
    "length": "bytes of the frame, Ethernet header included"
  },
  "ledger": {
    "sent_s": "s since the start of the run: when it was handed to the device",
    "lost_s": "s: when the kernel freed it",
    "flow": "name of the flow; missing: of none",
    "way": "data: from the flow's sender; ack: back to it",
    "seq": "first sequence number, counted from the SYN; of a pure ACK its acknowledgement number",
    "end_seq": "the one behind the last",
    "payload": "bytes of data",
    "transmission": "1: sent for the first time, 2: its first retransmission, and so on",
    "host": "where it was lost: on the way from this host ...",
    "peer": "... to this one; empty: inside the host",
    "cause": "wire loss, burst loss, named loss, queue full, early drop, corrupted and others: ledger.causes",
    "reason": "the kernel's drop reason",
    "burst": "number of the run of losses in a row on one wire, inferred; 0: alone, or lost elsewhere",
    "found_by": "how the sender found the loss, inferred: see labkit.results.ledger.recovery",
    "retransmitted_s": "s: when its data was sent again; NaN: never",
    "recovered_s": "s: when the sender knew that its data had arrived; NaN: never",
    "cwnd_before": "segments: window of the sender just before it found the loss",
    "cwnd_after": "segments: window when the sender was back in state Open"
  }
});

export const PLAIN = /** @type {Record<string, {record: string, flows: string, order: readonly string[], since: string, event: string} & {columns: Record<string, {word: string, fields: readonly string[], given?: any}>}>} */ ({
  "errors": {
    "record": "ERROR",
    "flows": "",
    "order": [],
    "since": "",
    "event": "",
    "columns": {
      "time_s": {"word": "instant", "fields": ["at_ns"]},
      "record": {"word": "whole", "fields": ["record"], "given": 0},
      "message": {"word": "whole", "fields": ["message"], "given": 0},
      "error": {"word": "error", "fields": ["error"]},
      "text": {"word": "text", "fields": []}
    }
  },
  "requests": {
    "record": "REQUEST",
    "flows": "requests",
    "order": ["flow", "number"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "number": {"word": "whole", "fields": ["number"], "given": 0},
      "sent_s": {"word": "instant", "fields": ["sent_ns"]},
      "first_byte_s": {"word": "instant", "fields": ["first_ns"]},
      "done_s": {"word": "instant", "fields": ["done_ns"]},
      "latency_s": {"word": "between", "fields": ["sent_ns", "done_ns"]},
      "think_s": {"word": "seconds", "fields": ["think_ns"]},
      "complete": {"word": "reached", "fields": ["done_ns"]}
    }
  },
  "transfers": {
    "record": "TRANSFER",
    "flows": "background",
    "order": ["flow", "number"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "number": {"word": "whole", "fields": ["number"], "given": 0},
      "size_bytes": {"word": "whole", "fields": ["size"], "given": 0},
      "received_bytes": {"word": "whole", "fields": ["received"], "given": 0},
      "start_s": {"word": "instant", "fields": ["start_ns"]},
      "established_s": {"word": "instant", "fields": ["established_ns"]},
      "first_byte_s": {"word": "instant", "fields": ["first_ns"]},
      "done_s": {"word": "instant", "fields": ["done_ns"]},
      "duration_s": {"word": "between", "fields": ["start_ns", "done_ns"]},
      "complete": {"word": "reached", "fields": ["done_ns"]},
      "error": {"word": "error", "fields": ["error"]}
    }
  },
  "pings": {
    "record": "TRAIN",
    "flows": "pings",
    "order": ["flow", "train", "packet"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "number": {"word": "whole", "fields": ["train"], "given": 1},
      "sent_s": {"word": "seconds", "fields": ["sent_ns"]},
      "rtt_s": {"word": "between", "fields": ["sent_ns", "received_ns"]}
    }
  },
  "trains": {
    "record": "TRAIN",
    "flows": "trains",
    "order": ["flow", "train", "packet"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "train": {"word": "whole", "fields": ["train"], "given": 1},
      "packet": {"word": "whole", "fields": ["packet"], "given": 1},
      "sent_s": {"word": "seconds", "fields": ["sent_ns"]},
      "received_s": {"word": "instant", "fields": ["received_ns"]}
    }
  },
  "objects": {
    "record": "EXCHANGE",
    "flows": "web_page",
    "order": ["flow", "number"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "object": {"word": "listed_text", "fields": ["number"], "given": ["objects", 1]},
      "connection": {"word": "whole", "fields": ["connection"], "given": 0},
      "size_bytes": {"word": "listed", "fields": ["number"], "given": ["sizes", 1]},
      "ready_s": {"word": "instant", "fields": ["ready_ns"]},
      "sent_s": {"word": "instant", "fields": ["sent_ns"]},
      "first_byte_s": {"word": "instant", "fields": ["first_ns"]},
      "done_s": {"word": "instant", "fields": ["done_ns"]},
      "complete": {"word": "reached", "fields": ["done_ns"]}
    }
  },
  "keystrokes": {
    "record": "EXCHANGE",
    "flows": "interactive",
    "order": ["flow", "number"],
    "since": "ready_ns",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "number": {"word": "whole", "fields": ["number"], "given": 0},
      "typed_s": {"word": "instant", "fields": ["ready_ns"]},
      "echoed_s": {"word": "instant", "fields": ["done_ns"]},
      "latency_s": {"word": "between", "fields": ["ready_ns", "done_ns"]},
      "above_100ms": {"word": "longer", "fields": ["ready_ns", "done_ns"], "given": 0.1},
      "above_300ms": {"word": "longer", "fields": ["ready_ns", "done_ns"], "given": 0.3}
    }
  },
  "segments": {
    "record": "SEGMENT",
    "flows": "stream",
    "order": ["flow", "number"],
    "since": "",
    "event": "",
    "columns": {
      "flow": {"word": "flow", "fields": []},
      "number": {"word": "whole", "fields": ["number"], "given": 0},
      "rate": {"word": "listed", "fields": ["rate"], "given": ["ladder", 0]},
      "size_bytes": {"word": "listed", "fields": ["rate"], "given": ["sizes", 0]},
      "asked_s": {"word": "instant", "fields": ["sent_ns"]},
      "first_byte_s": {"word": "instant", "fields": ["first_ns"]},
      "done_s": {"word": "instant", "fields": ["done_ns"]},
      "buffer_s": {"word": "seconds", "fields": ["buffered_ns"]},
      "stalled_s": {"word": "seconds", "fields": ["stalled_ns"]},
      "complete": {"word": "reached", "fields": ["done_ns"]}
    }
  },
  "tcp_probe": {
    "record": "",
    "flows": "",
    "order": [],
    "since": "",
    "event": "tcp/tcp_probe",
    "columns": {
      "time_s": {"word": "seconds", "fields": ["at_ns"]},
      "flow": {"word": "flow", "fields": []},
      "side": {"word": "side", "fields": []},
      "snd_nxt": {"word": "traced", "fields": ["snd_nxt"]},
      "snd_una": {"word": "traced", "fields": ["snd_una"]},
      "snd_cwnd": {"word": "traced", "fields": ["snd_cwnd"]},
      "ssthresh": {"word": "traced", "fields": ["ssthresh"]},
      "snd_wnd": {"word": "traced", "fields": ["snd_wnd"]},
      "srtt_us": {"word": "traced", "fields": ["srtt"]},
      "rcv_wnd": {"word": "traced", "fields": ["rcv_wnd"]},
      "data_len": {"word": "traced", "fields": ["data_len"]}
    }
  },
  "retransmissions": {
    "record": "",
    "flows": "",
    "order": [],
    "since": "",
    "event": "tcp/tcp_retransmit_skb",
    "columns": {
      "time_s": {"word": "seconds", "fields": ["at_ns"]},
      "flow": {"word": "flow", "fields": []},
      "side": {"word": "side", "fields": []},
      "state": {"word": "traced", "fields": ["state"]}
    }
  },
  "cong_states": {
    "record": "",
    "flows": "",
    "order": [],
    "since": "",
    "event": "tcp/tcp_cong_state_set",
    "columns": {
      "time_s": {"word": "seconds", "fields": ["at_ns"]},
      "flow": {"word": "flow", "fields": []},
      "side": {"word": "side", "fields": []},
      "state": {"word": "one_of", "fields": ["cong_state"], "given": ["Open", "Disorder", "CWR", "Recovery", "Loss"]}
    }
  },
  "retransmit": {
    "record": "",
    "flows": "",
    "order": [],
    "since": "",
    "event": "tcp/tcp_retransmit_skb",
    "columns": {
      "time_s": {"word": "seconds", "fields": ["at_ns"]},
      "flow": {"word": "flow", "fields": []},
      "side": {"word": "side", "fields": []},
      "number": {"word": "nth", "fields": ["flow", "side", "sport", "dport"]},
      "state": {"word": "traced", "fields": ["state"]},
      "sport": {"word": "traced", "fields": ["sport"]},
      "dport": {"word": "traced", "fields": ["dport"]}
    }
  }
});

export const TRAFFIC = /** @type {Record<string, {amount: string, schedule: readonly string[], endless: boolean, oneConnection: boolean}>} */ ({
  "flow": {"amount": "size", "schedule": [], "endless": false, "oneConnection": true},
  "requests": {"amount": "count", "schedule": [], "endless": false, "oneConnection": true},
  "background": {"amount": "", "schedule": [], "endless": false, "oneConnection": false},
  "pings": {"amount": "", "schedule": ["count", "every"], "endless": false, "oneConnection": true},
  "trains": {"amount": "", "schedule": ["count", "every"], "endless": false, "oneConnection": true},
  "web_page": {"amount": "objects", "schedule": [], "endless": false, "oneConnection": false},
  "interactive": {"amount": "", "schedule": [], "endless": false, "oneConnection": false},
  "stream": {"amount": "", "schedule": [], "endless": false, "oneConnection": false},
  "call": {"amount": "", "schedule": [], "endless": false, "oneConnection": false},
  "tunnel": {"amount": "", "schedule": [], "endless": true, "oneConnection": true}
});

export const PROBE_OF = /** @type {Record<string, {probe: string, events: readonly string[], nothing: string}>} */ ({
  "tcp_info": {
    "probe": "tcp_info",
    "events": [],
    "nothing": ""
  },
  "backlog": {
    "probe": "backlog",
    "events": [],
    "nothing": ""
  },
  "aqm": {
    "probe": "backlog",
    "events": [],
    "nothing": ""
  },
  "classes": {
    "probe": "backlog",
    "events": [],
    "nothing": ""
  },
  "tcp_probe": {
    "probe": "tcp_probe",
    "events": [
      "tcp/tcp_probe"
    ],
    "nothing": "no TCP flow"
  },
  "retransmissions": {
    "probe": "recovery",
    "events": [
      "tcp/tcp_retransmit_skb"
    ],
    "nothing": ""
  },
  "cong_states": {
    "probe": "recovery",
    "events": [
      "tcp/tcp_cong_state_set"
    ],
    "nothing": ""
  },
  "queue": {
    "probe": "queue",
    "events": [
      "qdisc/qdisc_enqueue",
      "qdisc/qdisc_dequeue",
      "skb/kfree_skb"
    ],
    "nothing": "no queue: no link has a rate"
  },
  "retransmit": {
    "probe": "retransmit",
    "events": [
      "tcp/tcp_retransmit_skb"
    ],
    "nothing": ""
  },
  "cc_info": {
    "probe": "cc_info",
    "events": [],
    "nothing": ""
  },
  "drops": {
    "probe": "drops",
    "events": [],
    "nothing": ""
  }
});

export const QDISC_MARKS = /** @type {Record<string, number>} */ ({
  "pie": 36,
  "codel": 24,
  "red": 12,
  "fq_codel": 12,
  "fq_pie": 16,
  "choke": 12,
  "sfb": 20
});

export const CLASSFUL = /** @type {readonly string[]} */ ([
  "prio",
  "htb",
  "drr",
  "ets"
]);

export const EARLY = /** @type {readonly string[]} */ ([
  "pie",
  "red",
  "fq_pie",
  "choke",
  "sfb"
]);

export const AQM = /** @type {Record<string, Record<string, {offset: number, type: string, unit: number}>>} */ ({
  "pie": {
    "probability": {
      "offset": 0,
      "type": "u8",
      "unit": 5.421010862427522e-20
    },
    "delay_s": {
      "offset": 8,
      "type": "u4",
      "unit": 1e-06
    }
  },
  "codel": {
    "count": {
      "offset": 4,
      "type": "u4",
      "unit": 1.0
    },
    "dropping": {
      "offset": 28,
      "type": "u4",
      "unit": 1.0
    },
    "next_drop_s": {
      "offset": 16,
      "type": "i4",
      "unit": 1e-06
    },
    "delay_s": {
      "offset": 12,
      "type": "u4",
      "unit": 1e-06
    }
  },
  "red": {
    "early_drops": {
      "offset": 0,
      "type": "u4",
      "unit": 1.0
    },
    "forced_drops": {
      "offset": 4,
      "type": "u4",
      "unit": 1.0
    }
  },
  "fq_codel": {
    "new_flows": {
      "offset": 20,
      "type": "u4",
      "unit": 1.0
    },
    "old_flows": {
      "offset": 24,
      "type": "u4",
      "unit": 1.0
    }
  }
});

export const CAKE = /** @type {{tinNames: Record<string, readonly string[]>, mostTins: number, tinStats: number} & {tinCounters: Record<string, {attribute: number, type: string}>}} */ ({
  "mostTins": 8,
  "tinNames": {
    "3": [
      "bulk",
      "best effort",
      "voice"
    ],
    "4": [
      "bulk",
      "best effort",
      "video",
      "voice"
    ],
    "1": [],
    "8": []
  },
  "tinStats": 10,
  "tinCounters": {
    "backlog_bytes": {
      "attribute": 11,
      "type": "u4"
    },
    "sent_packets": {
      "attribute": 2,
      "type": "u4"
    },
    "sent_bytes": {
      "attribute": 3,
      "type": "u8"
    },
    "drops": {
      "attribute": 4,
      "type": "u4"
    },
    "marks": {
      "attribute": 8,
      "type": "u4"
    }
  }
});

export const CAUSES = /** @type {{words: Record<string, string>, ofReason: Record<string, string>, ofPlace: Record<string, string>, withoutReason: readonly string[], ackFilter: string, flushed: readonly string[], replaced: string}} */ ({
  "words": {
    "full": "queue full",
    "earlyDrop": "early drop",
    "ackFiltered": "ack filtered",
    "wireLoss": "wire loss",
    "burstLoss": "burst loss",
    "named": "named loss",
    "wireFull": "wire full",
    "corrupted": "corrupted",
    "linkDown": "link down",
    "queueReplaced": "queue replaced"
  },
  "ofReason": {
    "TCP_CSUM": "corrupted",
    "UDP_CSUM": "corrupted",
    "IP_CSUM": "corrupted",
    "ICMP_CSUM": "corrupted",
    "IP_INHDR": "corrupted",
    "PKT_TOO_SMALL": "corrupted",
    "OTHERHOST": "corrupted",
    "UNHANDLED_PROTO": "corrupted",
    "IP_NOPROTO": "corrupted",
    "SOCKET_RCVBUFF": "socket buffer full",
    "SOCKET_BACKLOG": "socket backlog full",
    "PROTO_MEM": "receive memory full",
    "TCP_OFO_QUEUE_PRUNE": "out of order pruned",
    "TCP_OFO_DROP": "out of order pruned",
    "TCP_ZEROWINDOW": "zero window",
    "TCP_OVERWINDOW": "beyond the window",
    "TCP_INVALID_SEQUENCE": "beyond the window",
    "TCP_INVALID_END_SEQUENCE": "beyond the window",
    "TCP_LISTEN_OVERFLOW": "accept queue full",
    "NETFILTER_DROP": "filtered",
    "TC_INGRESS": "filtered",
    "TC_EGRESS": "filtered",
    "SOCKET_FILTER": "filtered",
    "XDP": "filtered",
    "IP_OUTNOROUTES": "no route",
    "IP_INNOROUTES": "no route",
    "NEIGH_FAILED": "no neighbour",
    "NEIGH_QUEUEFULL": "no neighbour",
    "NEIGH_DEAD": "no neighbour",
    "IP_RPFILTER": "wrong way back",
    "DEV_READY": "link down",
    "NO_SOCKET": "no socket",
    "PKT_TOO_BIG": "too large for the next link",
    "CPU_BACKLOG": "backlog full"
  },
  "ofPlace": {
    "ip_forward IP_INHDR": "ttl exceeded",
    "ip_forward NOT_SPECIFIED": "corrupted",
    "ip_error NOT_SPECIFIED": "no route",
    "nf_hook_slow NETFILTER_DROP": "connection table full",
    "cookie_v4_check NO_SOCKET": "accept queue full",
    "tcp_conn_request NOT_SPECIFIED": "SYN queue full",
    "br_handle_frame NOT_SPECIFIED": "port not forwarding",
    "br_handle_frame_finish NOT_SPECIFIED": "port not forwarding",
    "__allowed_ingress NOT_SPECIFIED": "vlan filtered",
    "br_forward NOT_SPECIFIED": "no egress port",
    "br_flood NOT_SPECIFIED": "no egress port",
    "br_dev_queue_push_xmit NOT_SPECIFIED": "too large for the next link"
  },
  "withoutReason": [
    "udp_recvmsg",
    "skb_release_data",
    "llc_rcv"
  ],
  "ackFilter": "cake_enqueue",
  "flushed": [
    "__rtnl_unlock",
    "flush_backlog"
  ],
  "replaced": "__rtnl_unlock"
});

export const PORT_CAUSES = /** @type {{names: Record<string, string>, runt: string, shortest: number, length: number, carrier: number, leaving: readonly number[], either: readonly number[]}} */ ({
  "names": {
    "1": "frame check failed",
    "2": "frame too long",
    "3": "ring full",
    "4": "FIFO full",
    "5": "late collision",
    "6": "excessive collisions",
    "7": "link down",
    "8": "ring resized",
    "9": "port closed"
  },
  "runt": "runt",
  "shortest": 60,
  "length": 2,
  "carrier": 7,
  "leaving": [
    5,
    6
  ],
  "either": [
    7,
    8,
    9
  ]
});

export const USELESS = /** @type {{reasons: readonly string[], functions: readonly string[], inQueue: string}} */ ({
  "reasons": [
    "QUEUE_PURGE",
    "TCP_ABORT_ON_DATA",
    "TCP_ACK_UNSENT_DATA",
    "TCP_CLOSE",
    "TCP_FLAGS",
    "TCP_INVALID_SYN",
    "TCP_OFOMERGE",
    "TCP_OLD_ACK",
    "TCP_OLD_DATA",
    "TCP_OLD_SEQUENCE",
    "TCP_RESET",
    "TCP_RFC7323_PAWS",
    "TCP_RFC7323_TSECR",
    "TCP_TOO_OLD_ACK"
  ],
  "functions": [
    "tcp_v4_rcv",
    "tcp_rcv_state_process",
    "skb_rbtree_purge",
    "udp_destruct_common"
  ],
  "inQueue": "qdisc_reset"
});

export const LEDGER = /** @type {{foundBy: readonly string[], duplicates: number, overflow: string, request: string, noSocket: string, cookie: string, flowOver: string, flooded: string, otherHost: string, ofASwitch: readonly string[], other: string, few: number, any: number}} */ ({
  "foundBy": [
    "sack",
    "rack",
    "tlp",
    "rto",
    "dupack",
    "partial ack",
    "syn timeout",
    "not needed",
    "not found"
  ],
  "duplicates": 3,
  "overflow": "TCP_LISTEN_OVERFLOW",
  "request": "tcp_conn_request",
  "noSocket": "NO_SOCKET",
  "cookie": "cookie_v4_check",
  "flowOver": "flow over",
  "flooded": "flooded",
  "otherHost": "OTHERHOST",
  "ofASwitch": [
    "br_stp_rcv",
    "br_pass_frame_up"
  ],
  "other": "(other)",
  "few": 3,
  "any": 896
});

export const QDISC_FUNCTION = /** @type {string} */ ("dev_queue_xmit|dequeue|enqueue(?!_to_backlog)|qdisc|codel|sch_direct_xmit|netem|cake|_drop$");

export const FILM = /** @type {{format: number, mostBytes: number, kinds: number, dequeued: number, started: number, cameIn: number, roundTrips: number, probes: readonly string[], colors: readonly string[], scripts: readonly string[], style: string}} */ ({
  "format": 1,
  "mostBytes": 300000,
  "kinds": 5,
  "dequeued": 2,
  "started": 3,
  "cameIn": 4,
  "roundTrips": 10,
  "probes": [
    "drops",
    "queue",
    "recovery"
  ],
  "colors": [
    "#0072B2",
    "#D55E00",
    "#008F68",
    "#B8629A",
    "#2F9BD6",
    "#A67C00",
    "#7B61C9"
  ],
  "scripts": [
    "senders.js",
    "film.js",
    "canvas_layout.js",
    "glyphs.js",
    "stage.js",
    "strip.js",
    "plots.js",
    "story.js",
    "legend.js",
    "clock.js",
    "player_controls.js",
    "panel.js",
    "below.js",
    "player.js"
  ],
  "style": "player.css"
});
