"""The experiments that are timed, as bench/cases.py describes them."""

from __future__ import annotations

from labkit.spec import Background, Experiment, Flow, Topology
from labkit.spec.experiment import ALL_PROBES
from labkit.spec.topologies import dumbbell, pair


#   left ---- r1 ------------------------- r2 ---- right
#                10 Mbit/s, 5 ms each way
#                100 packets, 5 % loss ->
def one_reno() -> Experiment:
    """A: 25 MB over a lossy link with an RTT of 10 ms; TCP_INFO at 100 ms and tcp_probe.

    10 ms is the RTT: it makes the transfer last about 43 s, near the 33 s that the same took in real
    time with segmentation offload; 10 ms each way would make it 81 s.
    """
    network = dumbbell(rate="10mbit", delay="5ms", queue="100p", loss="5%")
    return Experiment(
        network, flows=[Flow("left", "right", cc="reno", size="25MB")], probes=["tcp_info", "tcp_probe"]
    )


def one_reno_all_probes() -> Experiment:
    """A with every event kept."""
    return one_reno().replace(probes=ALL_PROBES)


def one_reno_no_probes() -> Experiment:
    """A with nothing measured on the way."""
    return one_reno().replace(probes=[])


#   left1 --.                                       .-- right1
#     :      r1 ---------------------------------- r2     :
#   left30 -'    100 Mbit/s, 10 ms each way          '-- right30
#                167 packets = 1 BDP
def thirty_cubic() -> Experiment:
    """B: 30 CUBIC flows for 60 s; TCP_INFO at 100 ms."""
    network = dumbbell(30, rate="100mbit", delay="10ms", queue="167p")
    flows = [Flow(f"left{i}", f"right{i}", cc="cubic", duration="60s") for i in range(1, 31)]
    return Experiment(network, flows=flows, probes=["tcp_info"])


def one_cubic() -> Experiment:
    """C: one CUBIC flow for 60 s over 1 Gbit/s, 10 ms each way, a queue of 1 BDP (1667 packets)."""
    network = dumbbell(rate="1gbit", delay="10ms", queue="1667p")
    flow = Flow("left", "right", cc="cubic", duration="60s")
    return Experiment(network, flows=[flow], probes=["tcp_info"])


def crowd() -> Experiment:
    """Background: 9,600 transfers of a packet within 40 s over 10 Mbit/s, 50 ms each way."""
    flow = Background("left", "right", rate="2mbit", sizes=1000, duration="40s")
    return Experiment(pair(rate="10mbit", delay="50ms"), flows=[flow], probes=[])


def many_hosts() -> Experiment:
    """62 hosts and nothing to do: what it costs to compile and to build a network."""
    network = dumbbell(30, rate="100mbit", delay="10ms", queue="167p")
    return Experiment(network, duration="1ms")


def small() -> Topology:
    """Two hosts on one link, for an open laboratory."""
    return pair(rate="10mbit", delay="5ms", queue="100p")
