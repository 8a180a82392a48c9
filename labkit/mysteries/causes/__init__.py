"""All causes, by the layer at which they sit."""

from __future__ import annotations

from labkit.mysteries.cause import Cause
from labkit.mysteries.causes import boxes, buffers, cables, cards, detours, hosts, modes, programs, wires

CAUSES: dict[str, type[Cause]] = {
    cause.name: cause
    for cause in (
        *(modes.DuplexMismatch, modes.SlowPort, modes.PauseFrames, modes.Coalescing),
        *(cables.FadingOptics, cables.BitErrors, cables.FlappingPort),
        *(cards.RingOverrun, cards.FifoOverrun, cards.BrokenChecksum),
        *(buffers.FullQueue, buffers.ShortQueue, buffers.Bufferbloat, buffers.Policer),
        *(wires.RadioLoss, wires.RandomLosses, wires.AckLoss, wires.Duplicates, wires.Reordering),
        *(wires.DelaySpikes, detours.AsymmetricRoute, detours.Detour),
        *(boxes.MtuBlackHole, boxes.EcnBleaching, boxes.SynDropped, boxes.OptionStripped),
        *(hosts.NoWindowScaling, hosts.NoSack, hosts.SmallWindow, hosts.SmallSendMemory, hosts.SmallBacklog),
        *(programs.SlowReader, programs.SmallReceiveBuffer, programs.SmallSendBuffer),
    )
}
"""By name, in the order in which the tree asks."""
