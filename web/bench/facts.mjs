// What labkit's Python declares and the bench needs, too. Made by scripts/bench_facts.py.

export const CONGESTION_CONTROLS = /** @type {readonly string[]} */ ([
  "bbr",
  "bic",
  "cdg",
  "cubic",
  "dctcp",
  "highspeed",
  "htcp",
  "hybla",
  "illinois",
  "lp",
  "nv",
  "reno",
  "scalable",
  "vegas",
  "veno",
  "westwood",
  "yeah"
]);

export const QUEUES = /** @type {Record<string, {limit: "packets" | "bytes" | null, required: boolean, options: readonly string[]}>} */ ({
  "pfifo": {
    "limit": "packets",
    "required": false,
    "options": []
  },
  "bfifo": {
    "limit": "bytes",
    "required": true,
    "options": []
  },
  "pfifo_fast": {
    "limit": null,
    "required": false,
    "options": []
  },
  "prio": {
    "limit": null,
    "required": false,
    "options": [
      "bands",
      "priomap"
    ]
  },
  "sfq": {
    "limit": "packets",
    "required": false,
    "options": [
      "avpkt",
      "burst",
      "depth",
      "divisor",
      "ecn",
      "flows",
      "harddrop",
      "headdrop",
      "max",
      "min",
      "perturb",
      "probability",
      "quantum",
      "redflowlimit"
    ]
  },
  "pie": {
    "limit": "packets",
    "required": false,
    "options": [
      "alpha",
      "beta",
      "bytemode",
      "dq_rate_estimator",
      "ecn",
      "target",
      "tupdate"
    ]
  },
  "codel": {
    "limit": "packets",
    "required": false,
    "options": [
      "ce_threshold",
      "ecn",
      "interval",
      "target"
    ]
  },
  "red": {
    "limit": "bytes",
    "required": true,
    "options": [
      "adaptative",
      "adaptive",
      "avpkt",
      "bandwidth",
      "burst",
      "ecn",
      "harddrop",
      "max",
      "min",
      "nodrop",
      "probability"
    ]
  },
  "fq": {
    "limit": "packets",
    "required": false,
    "options": [
      "buckets",
      "ce_threshold",
      "flow_limit",
      "horizon",
      "horizon_drop",
      "initial_quantum",
      "low_rate_threshold",
      "maxrate",
      "orphan_mask",
      "pacing",
      "quantum",
      "refill_delay",
      "timer_slack"
    ]
  },
  "fq_codel": {
    "limit": "packets",
    "required": false,
    "options": [
      "ce_threshold",
      "drop_batch",
      "ecn",
      "flows",
      "interval",
      "memory_limit",
      "quantum",
      "target"
    ]
  },
  "cake": {
    "limit": "bytes",
    "required": false,
    "options": [
      "ack_filter",
      "atm",
      "autorate_ingress",
      "bandwidth",
      "diffserv",
      "fwmark",
      "ingress",
      "isolation",
      "mpu",
      "nat",
      "overhead",
      "raw",
      "rtt",
      "split_gso",
      "target",
      "wash"
    ]
  },
  "fq_pie": {
    "limit": "packets",
    "required": false,
    "options": [
      "alpha",
      "beta",
      "bytemode",
      "dq_rate_estimator",
      "ecn",
      "ecn_prob",
      "flows",
      "memory_limit",
      "quantum",
      "target",
      "tupdate"
    ]
  },
  "choke": {
    "limit": "packets",
    "required": true,
    "options": [
      "avpkt",
      "bandwidth",
      "burst",
      "ecn",
      "max",
      "min",
      "probability"
    ]
  },
  "sfb": {
    "limit": "packets",
    "required": false,
    "options": [
      "db",
      "decrement",
      "increment",
      "max",
      "penalty_burst",
      "penalty_rate",
      "rehash",
      "target"
    ]
  },
  "hhf": {
    "limit": "packets",
    "required": false,
    "options": [
      "admit_bytes",
      "evict_timeout",
      "hh_limit",
      "non_hh_weight",
      "quantum",
      "reset_timeout"
    ]
  }
});

export const QUANTITIES = /** @type {Record<string, {what: string, units: Record<string, number>, text: string, largest: string, anyCase: boolean, isCount: boolean}>} */ ({
  "rate": {
    "what": "a rate",
    "units": {
      "bit": 1.0,
      "kbit": 1000.0,
      "mbit": 1000000.0,
      "gbit": 1000000000.0,
      "tbit": 1000000000000.0,
      "bit/s": 1.0,
      "kbit/s": 1000.0,
      "mbit/s": 1000000.0,
      "gbit/s": 1000000000.0,
      "tbit/s": 1000000000000.0
    },
    "text": "10mbit",
    "largest": "10000000000000",
    "anyCase": true,
    "isCount": false
  },
  "time": {
    "what": "a time",
    "units": {
      "ns": 1e-09,
      "us": 1e-06,
      "\u03bcs": 1e-06,
      "ms": 0.001,
      "s": 1.0,
      "min": 60.0,
      "h": 3600.0,
      "d": 86400.0
    },
    "text": "20ms",
    "largest": "1728000",
    "anyCase": false,
    "isCount": false
  },
  "share": {
    "what": "a probability",
    "units": {
      "%": 0.01
    },
    "text": "5%",
    "largest": "1",
    "anyCase": false,
    "isCount": false
  },
  "size": {
    "what": "a size",
    "units": {
      "B": 1.0,
      "kB": 1000.0,
      "KB": 1000.0,
      "MB": 1000000.0,
      "GB": 1000000000.0,
      "TB": 1000000000000.0,
      "KiB": 1024.0,
      "MiB": 1048576.0,
      "GiB": 1073741824.0
    },
    "text": "64kB",
    "largest": "4611686018427387904",
    "anyCase": false,
    "isCount": true
  },
  "packets": {
    "what": "a number of packets",
    "units": {
      "p": 1.0
    },
    "text": "100p",
    "largest": "2147483647",
    "anyCase": false,
    "isCount": true
  }
});

export const SAYS = /** @type {Record<string, string>} */ ({
  "kind": "not {what}: write {example}",
  "negative": "must not be negative: write {example}",
  "largest": "{what} is at most {largest}: write {example}",
  "unit": "unknown unit '{unit}': write {example} (units: {units})",
  "bare": "'{number}' has no unit: write {example}",
  "least": "{what} is at least 1: write {example}",
  "whole": "{what} is a whole number: write {example}"
});

export const WAY = /** @type {Record<string, number | string | null>} */ ({
  "rate": null,
  "queue": null,
  "delay": 0.0,
  "jitter": 0.0,
  "distribution": "uniform",
  "delay_correlation": 0.0,
  "loss": null,
  "loss_correlation": 0.0,
  "corrupt": 0.0,
  "duplicate": 0.0,
  "reorder": 0.0,
  "reorder_correlation": 0.0,
  "wire_limit": null,
  "trace": null
});

export const PROBES = /** @type {readonly string[]} */ ([
  "tcp_info",
  "backlog",
  "tcp_probe",
  "recovery",
  "queue",
  "drops",
  "retransmit",
  "cc_info"
]);

export const DEFAULT_PROBES = /** @type {readonly string[]} */ ([
  "backlog",
  "tcp_info",
  "tcp_probe"
]);

export const MAX_HOSTS = /** @type {number} */ (1000);

export const CHART_CONFIG = /** @type {Record<string, any>} */ ({
  "background": "transparent",
  "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif",
  "view": {
    "continuousWidth": 600,
    "continuousHeight": 220,
    "stroke": null
  },
  "title": {
    "anchor": "start",
    "fontSize": 14,
    "fontWeight": 600,
    "offset": 8
  },
  "axis": {
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "labelOverlap": "greedy",
    "labelFlush": false,
    "gridOpacity": 0.4,
    "tickSize": 4
  },
  "axisX": {
    "grid": false
  },
  "legend": {
    "orient": "bottom",
    "direction": "horizontal",
    "columns": 4,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "symbolStrokeWidth": 2,
    "symbolSize": 90,
    "labelLimit": 260
  },
  "header": {
    "labelFontSize": 12,
    "titleFontSize": 12
  },
  "line": {
    "strokeWidth": 2
  },
  "range": {
    "category": [
      "#0072B2",
      "#D55E00",
      "#008F68",
      "#B8629A",
      "#2F9BD6",
      "#A67C00",
      "#7B61C9"
    ]
  },
  "mark": {
    "color": "#0072B2"
  }
});
