"""Lab: an open laboratory. Its virtual clock stands still between two calls."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from labkit import units
from labkit.compile import class_tree, compiler, measuring
from labkit.compile.description import describe
from labkit.compile.layout import lay_out
from labkit.compile.links import wireless
from labkit.compile.steps import put_change
from labkit.compile.tunnels import by_name
from labkit.decode.commands import Output, outputs
from labkit.decode.raw import Raw
from labkit.errors import AgentError, LabkitError, LimitReached, UnsupportedError
from labkit.execute.default_place import default_lab_place
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.run_files import put
from labkit.execute.place import Place
from labkit.execute.places import place_of
from labkit.execute.run import limits
from labkit.execute.run.execution import identify, manifest, run_files
from labkit.execute.session import shaking
from labkit.lab.conversation import Conversation
from labkit.lab.devices import Devices
from labkit.lab.handles import LinkHandle
from labkit.lab.partial_result import keep_partial_result
from labkit.program.builder import Program
from labkit.program.records import texts
from labkit.program.structs import EXEC_DETACHED, PROGRAM_MORE, Op
from labkit.results.result import Result
from labkit.spec import Command, Experiment, LinkChange, SysctlChange, Topology
from labkit.traffic.kind import Traffic

if TYPE_CHECKING:
    from labkit.lab.sockets import LabSocket

_MEMORY_FLOWS = 32
_open: list[Lab] = []


def current() -> Lab:
    """The laboratory opened last and not closed. Raises LabkitError."""
    if not _open:
        raise LabkitError("no laboratory is open: lab = Lab(pair(delay='10ms')).open()")
    return _open[-1]


class Lab:
    """A network to try things in: commands on hosts, changes of links, flows, time that you advance.

    with Lab(pair(delay="10ms")) as lab:
        print(lab.run("left", "ping -c 3 right"))

    seed, sysctls, modules, files, probes, sample_interval, memory: as in Experiment. place: as of `run`, by
    default "guest", which can start programs, where there can be one; on the machine's own kernel ("host")
    time is real: `advance` waits, and the clock runs on between two calls.
    """

    def __init__(
        self, topology: Topology, *, seed: int = 1, place: str | Place | None = None, **settings: Any
    ) -> None:
        self.experiment = shaking.entered(Experiment(topology, seed=seed, duration=1e-9, **settings))
        self._place = default_lab_place() if place is None else place_of(place)
        self._links = {link.ends: link for link in self.experiment.topology.links}
        self._target = self._place.target()
        wires, slack_s = self._target.wires, self._target.slack_s
        self._layout = lay_out(self.experiment, all_wires=wires, slack_s=slack_s)
        self._talk: Conversation | None = None
        self._tried = 0  # flows, those that were refused among them: each has ports of its own
        self._flows: list[Traffic] = []
        self._flow_facts: list[dict[str, Any]] = []
        self._command_facts: list[dict[str, Any]] = []
        self._changes: list[LinkChange] = []
        self._devices = Devices(self._layout, self._program, self._step, lambda: self.time_s)
        self._closed_at_s = 0.0

    @property
    def time_s(self) -> float:
        """The laboratory's clock, in virtual seconds; once it is closed, when it was closed."""
        return self._talk.time_s if self._talk else self._closed_at_s

    def open(self) -> Lab:
        """Start the place and build the network. Raises SetupError, UnsupportedError, AgentError."""
        if self._talk is not None:
            return self
        self._place.check(self.experiment)
        self._compiled = compiler.compile_experiment(self.experiment, self._target, interactive=True)
        self._modules = list(self._compiled.modules)
        modules = self._place.modules(self._modules)
        self._facts = identify(self.experiment, self._compiled, self._place, modules, opened=True)
        files = run_files(self.experiment, self._compiled, modules, self._facts) | {"gate": b"g"}
        hosts = len(self.experiment.topology.hosts)
        process = self._place.start(files, Needs(hosts, _MEMORY_FLOWS, asked=self.experiment.memory))
        wall, raw = self.experiment.wall_limit, self.experiment.raw_limit
        self._talk = Conversation(
            process, wall, raw, modules=self._modules, heard=self._devices.hear, over=self.close
        )
        try:
            self._talk.wait(self._compiled.why)
        except BaseException:
            self.close()
            raise
        _open.append(self)
        return self

    def close(self) -> None:
        """End the guest; nothing of it stays."""
        if self._talk is not None:
            self._talk.close()
            self._closed_at_s = self._talk.time_s
            self._talk = None
        if self in _open:
            _open.remove(self)

    def __enter__(self) -> Lab:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, host: str, command: str, *, timeout: Any = "10min", privileged: bool = False) -> Output:
        """Run a shell line on a host until it ends; timeout in virtual time. privileged: as of a Command.
        Raises LimitReached, UnsupportedError."""
        line = Command(host, command, privileged=privileged)
        number = self._add_command(line, program := self._program())
        tail, reason = self._step(program, duration_ns=0, limit_ns=_ns(timeout))
        done = outputs(tail).get(number, Output("", "", None))
        if reason == "limit":
            raise LimitReached(f"{command!r} on {host} did not end within {timeout} of virtual time", done)
        return done

    def spawn(self, host: str, command: str, *, privileged: bool = False) -> int:
        """Start a shell line on a host and leave it running, e.g. a server. Returns its number. privileged:
        as of a Command. Raises UnsupportedError."""
        line = Command(host, command, privileged=privileged)
        number = self._add_command(line, program := self._program(), flags=EXEC_DETACHED)
        self._step(program, duration_ns=1000)
        return number

    def start(self, flow: Traffic) -> str:
        """Start a flow now (its `start` counts from now) and return its name; `advance` lets it run."""
        number = self._tried
        name = flow.name or f"{flow.src}-{flow.dst}" + (f"#{number + 1}" if number else "")
        exp = self.experiment  # as a whole, so that what is wrong is said
        named = shaking.started(exp, flow.replace(name=name))
        flows = [*self._flows, named]
        whole = Experiment(
            exp.topology,
            flows=flows,
            servers=exp.servers,
            modules=exp.modules,
            duration=exp.time_limit,
            time_limit=exp.time_limit,
        )
        program = self._program()
        self._load(program, list(whole.modules))
        longest = compiler.longest_s(self._layout.topology.links, self._links.values())
        numbers = [facts["id"] for facts in self._flow_facts]
        known = by_name(zip(numbers, self._flows, strict=True))
        facts = compiler.add_traffic(
            program, self._layout, self.experiment.seed, number, named, longest, known
        )
        started = self.time_s + named.start
        self._tried += 1
        self._step(program, duration_ns=1)
        self._flows.append(named)
        self._flow_facts.append(facts | {"start_s": started})
        return name

    def advance(self, duration: Any) -> float:
        """Let virtual time pass ("5s"); returns the lab's time in seconds."""
        self._step(self._program(), duration_ns=max(_ns(duration), 1))
        return self.time_s

    def link(self, a: str, b: str) -> LinkHandle:
        """A link by its two hosts. Raises SpecError if there is none."""
        self.experiment.topology.link(a, b)
        return LinkHandle(self, a, b)

    def change(self, change: LinkChange) -> None:
        """Change a link or a port now, whatever time the change names. Raises SpecError, UnsupportedError,
        AgentError: the kernel has refused it, and the link is laid anew as it was; what was on it is lost."""
        for one in shaking.changed(self.experiment, change):
            self._change(one)

    def _change(self, change: LinkChange) -> None:
        ends = change.ends
        new = change.apply(self._links[ends])
        if missing := wireless(self._layout, new):
            fix = 'Lab(..., place="guest")'
            raise UnsupportedError(f"{missing}: this machine's kernel has no netem or no mirred: use {fix}")
        at = self.time_s
        old, seed, last = self._links[ends], self.experiment.seed, len(self._changes)
        program = self._program()
        self._load(program, class_tree.modules([new]) if self._target.own_kernel else [])
        try:
            put_change(program, compiler.change_steps(self._layout, old, new, seed, last + 1))
            self._step(program, duration_ns=1)
        except AgentError:
            numbers = [number for number, one in enumerate(self._changes, 1) if one.ends == ends]
            made = compiler.restore_steps(self._layout, old, new, seed, max(numbers, default=0))
            put_change(again := self._program(), made)
            self._step(again, duration_ns=1)
            raise
        self._changes.append(change.replace(at=at))
        self._links[ends] = new

    def address(self, host: str) -> str:
        """A host's IPv4 address. Raises SpecError."""
        self.experiment.topology.host(host)
        return self._layout.addresses[host]

    def socket(self, host: str, interface: str = "eth0", *, layer: int = 3) -> LabSocket:
        """A scapy socket on a host's interface, for packets made by hand: of IPv4 (layer=3), or whole
        frames (layer=2). See labkit.lab.sockets. Raises SpecError."""
        from labkit.lab.sockets import open_socket

        self.experiment.topology.node(host)
        return open_socket(self._devices, host, interface, layer)

    def sysctl(self, host: str, name: str, value: int | str) -> None:
        """Set a sysctl of one host now. Raises SpecError, UnsupportedError, AgentError."""
        change = SysctlChange(0, host, name, value)
        self._place.check(self.experiment.replace(changes=[change]))
        program = self._program()
        program.sysctl(change.name, change.value, f"sysctl {change.name} of {host}", ns=self._layout.ns(host))
        self._step(program, duration_ns=1)

    def result(self) -> Result:
        """All that has been measured so far, as a Result that outlives the laboratory."""
        program = self._program()
        measuring.add_counters(program)
        self._step(program, duration_ns=1)
        starts = [fact["start_s"] for fact in self._flow_facts]
        flows = [flow.replace(start=at) for flow, at in zip(self._flows, starts, strict=True)]
        end = max([self.time_s, *starts])
        spec = self.experiment.replace(flows=flows, changes=self._changes, duration=end)
        states = [link for _, link in spec.timeline()]
        layout = describe(self._layout, self._flow_facts, self._command_facts, states)
        facts = manifest(self._facts, spec, self._compiled.sysctls, layout)
        return keep_partial_result(self._alive().folder, facts, self.time_s)

    def _program(self, flags: int = 0) -> Program:
        self._alive()
        program = Program(flags=PROGRAM_MORE | flags)
        measuring.add_samples(program, self.experiment, self._layout)
        return program

    def _load(self, program: Program, modules: list[str]) -> None:
        """What of these the kernel has not got yet."""
        for name in modules:
            if name not in self._modules:
                file = f"module{len(self._modules)}.ko"
                (data,) = self._place.modules([name]).values()
                put(self._alive().folder, file, data)
                program.add(Op.MODULE, texts(file), f"module {name}")
                self._modules.append(name)

    def _add_command(self, command: Command, program: Program, *, flags: int = 0) -> int:
        self.experiment.topology.node(command.host)
        self._place.check(self.experiment.replace(commands=[command]))
        number = len(self._command_facts)
        facts = compiler.add_command(program, self._layout, number, command, flags=flags)
        self._command_facts.append(facts | {"at_s": self.time_s})
        return number

    def _alive(self) -> Conversation:
        if self._talk is None:
            raise LabkitError("this laboratory is closed: call open(), or use it in a with statement")
        return self._talk

    def _step(self, program: Program, *, duration_ns: int, limit_ns: int = 0) -> tuple[Raw, str]:
        tail, reason = self._alive().step(program, duration_ns=duration_ns, limit_ns=limit_ns)
        if reason == limits.SIZE:
            layout = describe(self._layout, self._flow_facts, self._command_facts)
            raise self._alive().cut(tail, layout)
        return tail, reason


def _ns(duration: Any) -> int:
    return units.ns(units.seconds(duration))
