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
from labkit.spec.sysctl import KERNEL_WIDE, is_kernel_wide
from labkit.spec.topology import Host, Topology
from labkit.traffic.flow import Flow
from labkit.traffic.kind import LAB_CONGESTION_CONTROLS, Traffic
from labkit.traffic.requests import Requests
from labkit.traffic.server import Server

__all__ = [
    "ALL_PROBES",
    "DEFAULT_PROBES",
    "KERNEL_WIDE",
    "LAB_CONGESTION_CONTROLS",
    "Capture",
    "Change",
    "Command",
    "ContinuousGilbertElliott",
    "Direction",
    "DropPackets",
    "EveryNth",
    "Experiment",
    "Flow",
    "GilbertElliott",
    "Host",
    "Link",
    "LinkChange",
    "LossKind",
    "Match",
    "Nic",
    "NicChange",
    "Queue",
    "QueueClass",
    "RandomLoss",
    "Requests",
    "Server",
    "Spec",
    "SysctlChange",
    "Topology",
    "Traffic",
    "is_kernel_wide",
]
