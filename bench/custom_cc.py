"""From a cell with %%cc to a congestion control that experiments can name."""

from __future__ import annotations

import functools
import time

from bench.measure import Sample, Stopwatch
from labkit import compile_cc

SOURCE = """
static u32 bench_ssthresh(struct sock *sk)
{{
    return max(tcp_snd_cwnd(tcp_sk(sk)) / 2, 2U); /* {stamp} */
}}

static void bench_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{{
    tcp_reno_cong_avoid(sk, ack, acked);
}}
"""


def new() -> Sample:
    """Compiled, loaded and tried; nothing of it is at hand: no cell had this comment."""
    return _compiled(time.time_ns())


def again() -> Sample:
    """The same cell run once more."""
    return _compiled(_first())


@functools.cache
def _first() -> int:
    stamp = time.time_ns()
    _compiled(stamp)
    return stamp


def _compiled(stamp: int) -> Sample:
    source = SOURCE.format(stamp=stamp)
    with Stopwatch() as watch:
        compile_cc("bench", source)
    return watch.sample()
