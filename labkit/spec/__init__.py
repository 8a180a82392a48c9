"""What an experiment is: typed, validated, frozen; JSON in and out. No kernel, no I/O but load and save."""

from labkit.schema.base import Spec
from labkit.spec.capture import Capture
from labkit.spec.change import Change, Command, LinkChange, NicChange, SysctlChange
from labkit.spec.experiment import ALL_PROBES, DEFAULT_PROBES, Experiment
from labkit.spec.link import Direction, Link
from labkit.spec.loss import (
    ContinuousGilbertElliott,
    DropPackets,
    EveryNth,
    GilbertElliott,
    LossKind,
    RandomLoss,
)
from labkit.spec.nic import Nic
from labkit.spec.queue import Match, Queue, QueueClass
from labkit.spec.route_attributes import Routes
from labkit.spec.switch import Switch
from labkit.spec.sysctl import KERNEL_WIDE, is_kernel_wide
from labkit.spec.topology import Host, Topology
from labkit.spec.traced_rate import Trace
from labkit.traffic.arrivals import OnOff, Poisson
from labkit.traffic.background import Background
from labkit.traffic.call import Call
from labkit.traffic.fec import Parity, ReedSolomon, Repetition
from labkit.traffic.flow import Flow
from labkit.traffic.interactive import Interactive
from labkit.traffic.kind import LAB_CONGESTION_CONTROLS, Traffic
from labkit.traffic.pings import Pings
from labkit.traffic.requests import Requests
from labkit.traffic.server import Server
from labkit.traffic.sizes import Exponential, Pareto
from labkit.traffic.stream import Stream
from labkit.traffic.trains import Trains
from labkit.traffic.tunnel import Tunnel
from labkit.traffic.web_page import WebObject, WebPage

__all__ = [
    "ALL_PROBES",
    "DEFAULT_PROBES",
    "KERNEL_WIDE",
    "LAB_CONGESTION_CONTROLS",
    "Background",
    "Call",
    "Capture",
    "Change",
    "Command",
    "ContinuousGilbertElliott",
    "Direction",
    "DropPackets",
    "EveryNth",
    "Experiment",
    "Exponential",
    "Flow",
    "GilbertElliott",
    "Host",
    "Interactive",
    "Link",
    "LinkChange",
    "LossKind",
    "Match",
    "Nic",
    "NicChange",
    "OnOff",
    "Pareto",
    "Parity",
    "Pings",
    "Poisson",
    "Queue",
    "QueueClass",
    "RandomLoss",
    "ReedSolomon",
    "Repetition",
    "Requests",
    "Routes",
    "Server",
    "Spec",
    "Stream",
    "Switch",
    "SysctlChange",
    "Topology",
    "Trace",
    "Traffic",
    "Trains",
    "Tunnel",
    "WebObject",
    "WebPage",
    "is_kernel_wide",
]
