"""What the teaching NIC costs: frames per second, against a plain link, and an overrun ring."""

from __future__ import annotations

from bench.measure import Sample, Stopwatch
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment, Flow, Nic, Topology
from labkit.spec.topologies import pair

FRAMES = 200_000
_MSS = 1448  # bytes of data in a full-size frame


#   left -------------- right      1 Gbit/s, a short cable
def _transfer(network: Topology) -> Experiment:
    """FRAMES full-size frames over a link, and nothing measured on the way."""
    return Experiment(network, flows=[Flow("left", "right", size=FRAMES * _MSS)], probes=[])


def transfer() -> Experiment:
    """Over two ports: each frame's check sequence is computed."""
    return _transfer(pair(nic=Nic()))


def over_veth() -> Experiment:
    """Over a link of the usual kind, with the same rate and room."""
    return _transfer(pair(rate="1gbit", queue="1000p"))


def overrun() -> Experiment:
    """10 s of TCP at 1 Gbit/s to a host that takes 15 us for a packet, and has a ring for 64: TCP, as a
    process of the guest that sends each datagram by itself is four times as slow as all the rest."""
    nic = Nic(rx_ring=64, packet_cost="15us")
    return Experiment(pair(nic=nic, delay="50us"), flows=[Flow("left", "right", duration="10s")])


def _run(exp: Experiment) -> tuple[Sample, Result]:
    with Stopwatch() as watch:
        result = run(exp, cache=False)
    return watch.sample(virtual_s=result.virtual_s), result


def _counted(result: Result, host: str, name: str) -> int:
    table = result.interfaces
    return int(table[(table["host"] == host) & (table["name"] == name)]["delta"].sum())


def frames_time() -> Sample:
    """Seconds for FRAMES data frames, from call to result. Raises RuntimeError if they were fewer."""
    sample, result = _run(transfer())
    if (sent := _counted(result, "left", "tx_packets")) < FRAMES:
        raise RuntimeError(f"{sent} frames are no {FRAMES}")
    return sample


def against_veth() -> Sample:
    """How many times as long as over veth."""
    ports, veth = _run(transfer())[0], _run(over_veth())[0]
    return Sample(ports.value / veth.value)


def overrun_time() -> Sample:
    """Seconds. Raises RuntimeError if the ring did not overrun."""
    sample, result = _run(overrun())
    if not _counted(result, "right", "rx_missed_errors"):
        raise RuntimeError("the ring did not overrun")
    return sample
