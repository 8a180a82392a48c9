"""Claims about specs: shorthands, round trips, digests, and errors that say what is right."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import SpecError
from labkit.spec import (
    Change,
    Command,
    ContinuousGilbertElliott,
    Direction,
    DropPackets,
    EveryNth,
    Experiment,
    Flow,
    GilbertElliott,
    Host,
    Link,
    Queue,
    QueueClass,
    RandomLoss,
    Requests,
    Server,
    SysctlChange,
    Topology,
)
from labkit.spec.paths import with_field
from labkit.spec.topologies import dumbbell, pair, star
from tests import fuzz
from tests.strategies import broken_specs, experiments

NET = pair(rate="10mbit", delay="10ms")
FLOW = Flow("left", "right", size="10kB")


def shuffled(value: Any, random: Any) -> Any:
    """The same JSON with every mapping's keys in another order."""
    if isinstance(value, list):
        return [shuffled(item, random) for item in value]
    if isinstance(value, dict):
        keys = list(value)
        random.shuffle(keys)
        return {key: shuffled(value[key], random) for key in keys}
    return value


# Round trips and digests


@fuzz.of(60)
@given(experiments())
def test_json_round_trip_is_exact(exp: Experiment) -> None:
    again = Experiment.from_json(exp.to_json())
    assert again == exp
    assert again.to_json() == exp.to_json()
    assert pickle.loads(pickle.dumps(exp)) == copy.deepcopy(exp) == exp == exp.replace()


@fuzz.of(60)
@given(experiments(), st.randoms(use_true_random=False))
def test_digest_ignores_the_order_of_keys(exp: Experiment, random: Any) -> None:
    text = json.dumps(shuffled(json.loads(exp.to_json()), random))
    assert Experiment.from_json(text).digest() == exp.digest()


@fuzz.of(60)
@given(broken_specs())
def test_every_broken_spec_is_a_spec_error_of_one_line(fields: dict[str, Any]) -> None:
    with pytest.raises(SpecError) as caught:
        Experiment(**fields)
    assert "\n" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_digest_ignores_how_units_are_spelled() -> None:
    one = Experiment(pair(rate="10mbit", delay="10ms", loss="1%"), flows=[FLOW])
    two = Experiment(pair(rate=10_000_000, delay=0.01, loss=RandomLoss(0.01)), flows=[FLOW])
    assert one == two
    assert one.digest() == two.digest()


def test_digest_ignores_units_within_the_options_of_a_queue() -> None:
    one, two = Queue("codel", options={"target": "5ms"}), Queue("codel", options={"target": 0.005})
    assert one.digest() == two.digest()


def test_slow_readers_and_servers_survive_json_and_count_in_the_digest() -> None:
    flow = Flow("left", "right", size="1MB", read_rate="1mbit", read_after="2s", port=80)
    exp = Experiment(NET, flows=[flow], servers=[Server("right", 80, backlog=2, accept_after="1s")])
    assert Experiment.from_json(exp.to_json()) == exp
    digests = {
        exp.digest(),
        exp.replace(flows=[flow.replace(read_rate=None)]).digest(),
        exp.replace(flows=[flow.replace(read_after=0)]).digest(),
        exp.replace(flows=[flow.replace(port=None)]).digest(),
        exp.replace(servers=[Server("right", 80)]).digest(),
    }
    assert len(digests) == 5


def test_digest_is_the_same_for_ever() -> None:
    """A changed digest empties every reader's cache and orphans every recorded result."""
    exp = Experiment(
        dumbbell(rate="10mbit", delay="10ms", loss="1%"), flows=[Flow("left", "right", size="1MB")]
    )
    assert exp.digest() == ("ca976a413239d7381a57fd5331432090cf1aa48d52861288acc86cf657bf9942")


def test_digest_knows_the_seed() -> None:
    exp = Experiment(NET, flows=[FLOW])
    assert exp.digest() != exp.replace(seed=2).digest()


@pytest.mark.parametrize("name", ["exp.json", "exp.yaml", "exp.yml"])
def test_a_saved_experiment_loads_as_it_was(tmp_path: Path, name: str) -> None:
    exp = Experiment(NET, flows=[FLOW], changes=[Change("1s", ("left", "right"), loss="1%")])
    exp.save(tmp_path / name)
    assert Experiment.load(tmp_path / name) == exp


def test_yaml_may_be_written_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "exp.yaml"
    file.write_text(
        """
        topology:
          hosts: [left, right]
          links: [{a: left, b: right, rate: 10mbit, delay: 10ms}]
        flows: [{src: left, dst: right, size: 10kB}]
        """
    )
    assert Experiment.load(file) == Experiment(NET, flows=[FLOW])


def test_a_fault_in_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "exp.json"
    file.write_text('{"topology": {"hosts": ["a", "b"], "links": [{"a": "a", "b": "b", "loss": "5"}]}}')
    with pytest.raises(SpecError, match=r"exp.json: topology.links\[0\].loss='5': write \"5%\" or 0.05"):
        Experiment.load(file)


def test_a_spec_cannot_be_changed() -> None:
    exp = Experiment(NET, flows=[FLOW], sysctls={"net.ipv4.tcp_sack": 0})
    with pytest.raises(ValueError, match="frozen"):
        exp.seed = 2
    with pytest.raises(TypeError, match="does not change"):
        exp.sysctls["net.ipv4.tcp_sack"] = 1


# Links


@pytest.mark.parametrize(
    ("shorthand", "queue"),
    [
        ("100p", Queue("pfifo", packets=100)),
        ("64kB", Queue("bfifo", bytes=64_000)),
        ("fq_codel", Queue("fq_codel")),
        ({"kind": "red", "limit": "60kB", "ecn": True}, Queue("red", bytes=60_000, options={"ecn": True})),
        ({"kind": "codel", "limit": "50p"}, Queue("codel", packets=50)),
        (None, Queue("pfifo", packets=100)),
    ],
)
def test_a_queue_has_shorthands(shorthand: Any, queue: Queue) -> None:
    assert Direction(rate="1mbit", queue=shorthand).queue == queue


@pytest.mark.parametrize(
    ("given", "loss"),
    [
        ("1%", RandomLoss(0.01)),
        (0.01, RandomLoss(0.01)),
        (0, None),
        ({"kind": "every_nth", "n": 7}, EveryNth(7)),
        ({"kind": "drop_packets", "numbers": [9, 3]}, DropPackets((3, 9))),
        ({"kind": "gilbert_elliott", "p": "1%", "r": "30%"}, GilbertElliott(0.01, 0.3)),
        ({"kind": "continuous_gilbert_elliott", "bad": "20ms"}, ContinuousGilbertElliott(1.0, 0.02)),
    ],
)
def test_a_loss_has_shorthands(given: Any, loss: Any) -> None:
    assert Direction(loss=given).loss == loss


def test_a_direction_overrides_its_link_field_by_field() -> None:
    link = Link(
        "a", "b", rate="10mbit", delay="5ms", backward={"delay": "50ms"}, forward=Direction(loss="1%")
    )
    assert link.forward == Direction(rate="10mbit", delay="5ms", loss="1%")
    assert link.backward == Direction(rate="10mbit", delay="50ms")


def test_a_default_queue_does_not_override_the_queue_of_the_link() -> None:
    link = Link("a", "b", rate="1mbit", queue="7p", forward=Direction(rate="2mbit"))
    assert link.forward.queue == Queue("pfifo", packets=7)


def test_the_written_form_of_a_link_has_both_directions_and_no_shorthand() -> None:
    assert set(Link("a", "b", delay="1ms").model_dump()) == {"a", "b", "mtu", "forward", "backward"}


# Errors

ERRORS: list[tuple[Any, str]] = [
    (lambda: Link("a", "b", loss="5"), "loss='5': write \"5%\" or 0.05"),
    (lambda: Link("a", "b", forward={"loss": "5"}), "forward.loss='5': write \"5%\" or 0.05"),
    (
        lambda: Link("a", "b", queue="9p"),
        'queue: nothing waits without a rate: write rate="10mbit" as well',
    ),
    (lambda: Link("a", "a"), "Link: joins 'a' with itself: name two hosts"),
    (lambda: Link("a"), "b: missing: Link needs it"),
    (lambda: Link("a", "b", mtu=60), "mtu=60: must be at least 68"),
    (lambda: Link("a", "b", los="1%"), 'los: Link has no such field (did you mean "loss"?)'),
    (
        lambda: Direction(jitter="2ms", delay="1ms"),
        "jitter=0.002: must not exceed delay (0.001): raise delay or lower jitter",
    ),
    (
        lambda: Direction(loss=EveryNth(5), loss_correlation="5%"),
        "loss_correlation: goes with RandomLoss, not with EveryNth: leave it out",
    ),
    (lambda: Host("a b"), "name='a b': a host's name is 1 to 32 letters, digits, '-' or '_'"),
    (
        lambda: Host("a", {"net.core.rmem_max": 1}),
        "sysctls['net.core.rmem_max']=1: net.core.rmem_max holds for the whole kernel: "
        "set it in Experiment(sysctls=...)",
    ),
    (
        lambda: Host("a", routes={"mtu": 9000}),
        "routes.mtu: Routes has no such field: it has quickack, initcwnd, initrwnd, rto_min, advmss, window",
    ),
    (
        lambda: Experiment(NET, flows=[FLOW], module_parameters={"hystart": 0}),
        "module_parameters['hystart']=0: 'hystart' is no module's parameter: write it as tcp_cubic.hystart",
    ),
    (
        lambda: Experiment(NET, flows=[FLOW], module_parameters={"tcp-lp.a": 0, "tcp_lp.a": 1}),
        "module_parameters['tcp_lp.a']=1: tcp_lp.a is set twice, in two spellings",
    ),
    (lambda: Topology(["a", "a"]), "hosts[1]: second host named 'a': give it another name"),
    (lambda: Topology(["a"], [Link("a", "b")]), "links[0].b='b': no such host: hosts are a"),
    (
        lambda: Topology(["a", "b"], [Link("a", "b"), Link("b", "a")]),
        "links[1]: second link between 'b' and 'a': put a router in between",
    ),
    (lambda: Flow("a", "a", size=1), "dst='a': the same host as src: name another one"),
    (
        lambda: Flow("a", "b"),
        'size, duration: neither given: write size="25MB" or duration="30s"',
    ),
    (
        lambda: Flow("a", "b", size=1, protocol="udp"),
        'rate: missing: a UDP flow needs it: write rate="5mbit"',
    ),
    (lambda: Flow("a", "b", size=1, packet=9), 'packet: only with protocol="udp": leave it out'),
    (lambda: Change(1, ("a", "b")), 'Change: changes nothing: name a field of Direction, such as loss="5%"'),
    (lambda: Experiment(NET), 'duration: missing: no flow or command ends the run: write duration="10s"'),
    (
        lambda: Experiment(Topology(["left", "right"]), flows=[FLOW]),
        "flows[0]: no path from 'left' to 'right': add a link",
    ),
    (
        lambda: Experiment(
            NET, flows=[FLOW], changes=[Change("1s", ("left", "right"), queue="9p", rate=None)]
        ),
        'changes[0].queue: nothing waits without a rate: write rate="10mbit" as well',
    ),
    (
        lambda: Experiment(NET, flows=[FLOW], duration="1s", commands=[Command("left", "ls", "2s")]),
        "commands[0].at=2.0: after the end: raise duration (1.0) or start earlier",
    ),
    (
        lambda: Experiment(NET, flows=[FLOW.replace(name="x"), FLOW.replace(name="x")]),
        "flows[1].name='x': a second flow of that name: give it another",
    ),
    (
        lambda: Experiment(NET, flows=[FLOW.replace(port=80)]),
        "flows[0].port=80: right has no server there: write servers=[Server('right', 80)]",
    ),
    (
        lambda: Experiment(NET, flows=[FLOW], servers=[Server("right", 80), Server("right", 80)]),
        "servers[1].port=80: right has it already: give it another",
    ),
    (
        lambda: Flow("a", "b", size=1, port=80, rcvbuf="8kB"),
        "rcvbuf: a Server's connections have the host's: set net.ipv4.tcp_rmem",
    ),
    (
        lambda: Flow("a", "b", size=1, port=80, protocol="udp", rate="1mbit"),
        'port: only with protocol="tcp": leave it out',
    ),
    (lambda: Server("right", 20_000), "port=20000: must be at most 9999"),
    (lambda: Flow("a", "b", size=1, mss=40_000), "mss=40000: must be at most 32767"),
    (lambda: pair(rate="1bit"), "rate='1bit': must be at least 8"),
    (
        lambda: pair(rate=11),
        'rate=11: a plain number is in bit/s: write "11mbit", or "11bit" if that is meant',
    ),
    (
        lambda: Link("a", "b", delay=15),
        'delay=15: a plain number is in seconds: write "15ms", or "15s" if that is meant',
    ),
    (
        lambda: dumbbell(rate="10mbit", delay=1, jitter=1.5),
        'delay=1: a plain number is in seconds: write "1ms", or "1s" if that is meant\n'
        'jitter=1.5: a plain number is in seconds: write "1.5ms", or "1.5s" if that is meant',
    ),
    (
        lambda: Change("1s", ("left", "right"), rate=100),
        'rate=100: a plain number is in bit/s: write "100mbit", or "100bit" if that is meant',
    ),
    (lambda: star(["a", "b"]), 'star: leaves are names, one after the other: write star("a", "b")'),
    (
        lambda: star(3),
        'star: leaves are names, one after the other: write star(*(f"h{i}" for i in range(3)))',
    ),
    (lambda: ContinuousGilbertElliott(good=0), "good=0: must be at least 0.0001"),
    (lambda: ContinuousGilbertElliott(bad="99us"), "bad='99us': must be at least 0.0001"),
    (
        lambda: ContinuousGilbertElliott(good=-1),
        'good=-1: must not be negative: write "20ms" or 0.02 (seconds)',
    ),
    (
        lambda: ContinuousGilbertElliott("1s", "9000d"),
        "bad='9000d': a time is at most 1728000: write \"20ms\" or 0.02 (seconds)",
    ),
    (
        lambda: ContinuousGilbertElliott(loss_bad=1.5),
        'loss_bad=1.5: a probability is at most 1: write "5%" or 0.05 (from 0 to 1)',
    ),
    (
        lambda: ContinuousGilbertElliott(p=0.1),
        "p: ContinuousGilbertElliott has no such field: it has good, bad, loss_bad, loss_good",
    ),
    (
        lambda: pair(loss=ContinuousGilbertElliott(), loss_correlation=0.1),
        "loss_correlation: goes with RandomLoss, not with ContinuousGilbertElliott: leave it out",
    ),
    (
        lambda: pair(loss={"kind": "gilbert"}),
        "loss.kind='gilbert': must be one of random, gilbert_elliott, continuous_gilbert_elliott, every_nth, "
        "drop_packets",
    ),
    (lambda: pair(delay="3s", jitter="2.2s"), "jitter='2.2s': must be at most 2.147483647"),
    (
        lambda: pair(rate="1mbit", queue="5GB"),
        "queue.bytes=5000000000: a limit of bfifo is at most 4294967295 bytes (link left-right)",
    ),
    (
        lambda: dumbbell(queue={"kind": "codel", "target": "soon"}),
        "queue.target='soon': not a time: write \"20ms\" or 0.02 (seconds) (link r1-r2)",
    ),
    (
        lambda: Topology(["Wires", "b"]),
        "hosts[0].name='Wires': is where the lab keeps the links: give the host another name",
    ),
    (
        lambda: Host("localhost"),
        "name='localhost': is every host's name for itself: give the host another name",
    ),
    (
        lambda: Experiment(NET, duration=1, sample_interval="999ns"),
        "sample_interval='999ns': must be at least 1e-06",
    ),
    (lambda: Experiment(NET, duration=1, memory="1TB"), "memory='1TB': must be at most 68719476736"),
    (lambda: Change("1s", ("left", "right"), rate="7bit"), "rate='7bit': must be at least 8"),
    (lambda: RandomLoss(0.1, p=0.2), "p: given twice: by position and by name"),
]


def test_what_was_written_with_a_unit_is_read_again() -> None:
    """In files every quantity is a plain number; so it is for who replaces a field."""
    slow = dumbbell(rate="100bit", delay="15s")
    exp = Experiment(slow, duration=1, changes=[Change(0, ("r1", "r2"), rate="50bit", delay="20s")])
    assert Experiment.model_validate_json(exp.canonical()) == exp
    assert slow.link("r1", "r2").replace(mtu=1400).forward.delay == 15


@pytest.mark.parametrize(("build", "message"), ERRORS, ids=[message[:40] for _, message in ERRORS])
def test_an_error_says_where_what_and_the_fix(build: Any, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build()
    assert str(caught.value) == message


def test_each_fault_has_its_own_line() -> None:
    with pytest.raises(SpecError) as caught:
        Direction(rate="fast", delay="soon")
    assert len(str(caught.value).splitlines()) == 2


def test_a_spec_error_can_cross_to_another_process() -> None:
    with pytest.raises(SpecError) as caught:
        Host("a b")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("kind", ["hfsc", "netem", "tbf", "gred", "plug", "fq_coddel"])
def test_a_queue_that_would_pass_nothing_is_refused_with_those_that_would(kind: str) -> None:
    with pytest.raises(SpecError, match=f"{kind}.*: queues are pfifo, bfifo"):
        Queue(kind)


# Flows, sysctls, changes


def test_flows_get_names_and_repeats_get_numbers() -> None:
    exp = Experiment(NET, flows=[FLOW, FLOW.replace(name="mine"), FLOW, Flow("right", "left", size=1)])
    assert [flow.name for flow in exp.flows] == ["left-right", "mine", "left-right#2", "right-left"]


def test_a_given_name_is_not_given_again() -> None:
    exp = Experiment(NET, flows=[FLOW, FLOW.replace(name="left-right")])
    assert [flow.name for flow in exp.flows] == ["left-right#2", "left-right"]


def test_tcp_is_cubic_unless_said_otherwise_and_udp_has_no_congestion_control() -> None:
    assert FLOW.cc == "cubic"
    udp = Flow("left", "right", protocol="udp", rate="1mbit", duration="1s")
    assert (udp.cc, udp.packet, udp.pattern) == (None, 1472, "constant")


@pytest.mark.parametrize("module", ["mine", "mine.c", "modules/tcp_mine.ko"])
def test_a_module_brings_its_congestion_control(module: str) -> None:
    assert Experiment(NET, flows=[FLOW.replace(cc="mine")], modules=[module])


def test_a_host_overrides_the_experiment_and_the_kernel_has_its_own() -> None:
    net = NET.with_sysctls("left", {"net/ipv4/tcp_sack": "0"})
    sysctls = {"net.ipv4.tcp_sack": 1, "net.core.rmem_max": 4096, "net.ipv4.tcp_rmem": "1  2 3"}
    exp = Experiment(net, flows=[FLOW], sysctls=sysctls)
    assert exp.host_sysctls("left") == {"net.ipv4.tcp_sack": 0, "net.ipv4.tcp_rmem": "1 2 3"}
    assert exp.host_sysctls("right")["net.ipv4.tcp_sack"] == 1
    assert exp.kernel_sysctls() == {"net.core.rmem_max": 4096}


@pytest.mark.parametrize("name", ["net.ipv4.tcp_mem", "net.netfilter.nf_conntrack_max", "vm.swappiness"])
def test_a_kernel_wide_sysctl_cannot_change_on_a_host(name: str) -> None:
    with pytest.raises(SpecError, match="holds for the whole kernel"):
        SysctlChange("1s", "left", name, 1)


def test_forward_is_from_the_first_host_named_in_the_change() -> None:
    change = Change("1s", ("right", "left"), direction="forward", loss="5%")
    link = change.apply(NET.link("left", "right"))
    assert (link.forward.loss, link.backward.loss) == (None, RandomLoss(0.05))


def test_a_change_leaves_what_it_does_not_name() -> None:
    before = NET.link("left", "right")
    after = Change("1s", ("left", "right"), delay="99ms").apply(before)
    assert after.forward == before.forward.replace(delay=0.099)


def test_the_timeline_holds_the_whole_state_after_each_change() -> None:
    ends = ("left", "right")
    late, early = Change("2s", ends, loss="5%"), Change("1s", ends, direction="forward", delay="30ms")
    states = Experiment(NET, flows=[FLOW], changes=[late, early]).timeline()
    assert [change for change, _ in states] == [early, late]
    assert [link.forward.delay for _, link in states] == [0.03, 0.03]
    assert [link.forward.loss for _, link in states] == [None, RandomLoss(0.05)]


def test_a_change_to_no_loss_differs_from_a_change_that_does_not_mention_loss() -> None:
    lossy = pair(loss="1%").link("left", "right")
    cured = Change("1s", ("left", "right"), loss=None)
    assert cured.apply(lossy).forward.loss is None
    assert Change.model_validate(json.loads(cured.canonical())) == cured


def test_unlimiting_a_link_takes_its_queue_away() -> None:
    link = Change("1s", ("left", "right"), rate=None).apply(NET.link("left", "right"))
    assert link.forward.queue is None


def test_unconnected_hosts_may_stay_so_while_no_flow_crosses() -> None:
    assert Experiment(Topology(["a", "b"]), duration="1s")


@pytest.mark.parametrize("numbers", [[], [0], [1, 1], list(range(1, 1002)), [True]])
def test_packets_to_drop_are_named_once_and_within_bounds(numbers: list[int]) -> None:
    with pytest.raises(SpecError):
        DropPackets(numbers)


def test_a_positional_signature_is_shown_to_the_reader() -> None:
    assert list(inspect.signature(Flow).parameters)[:2] == ["src", "dst"]
    assert list(inspect.signature(Queue).parameters)[:2] == ["kind", "packets"]
    assert str(inspect.signature(QueueClass)).startswith("(name, *, match=()")


def test_routes_are_told_what_the_kernel_takes() -> None:
    net = NET.with_routes("right", quickack=1).with_routes("right", rto_min="50ms")
    told = net.host("right").routes
    assert told is not None and told.attributes() == {"quickack": 1, "rto_min": 50}
    assert net.host("left").routes is None
    assert Experiment.from_json(Experiment(net, flows=[FLOW]).to_json()).topology == net


def test_a_spec_without_them_is_written_as_before_there_were_any() -> None:
    text = Experiment(NET, flows=[FLOW]).to_json()
    assert "routes" not in text and "module_parameters" not in text


@pytest.mark.parametrize(
    "fields",
    [
        *({"module_parameters": 3}, {"module_parameters": {"tcp_cubic.hystart": [1]}}),
        *({"flows": 3}, {"flows": [3]}, {"modules": "abc"}, {"sysctls": 3}, {"sysctls": {"net": 1}}),
        *({"topology": "x"}, {"topology": None}, {"changes": [3]}, {"commands": "ls"}, {"probes": "queue"}),
        *({"sysctls": {"net.ipv4.tcp_sack": 1.5}}, {"memory": 0}, {"duration": 0}, {"version": 2}),
    ],
)
def test_a_value_of_the_wrong_shape_is_a_spec_error_that_names_the_field(fields: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=next(iter(fields))):
        Experiment(**({"topology": NET, "flows": [FLOW]} | fields))


@pytest.mark.parametrize("text", ["3", "null", "[1", "", b"\xff"])
def test_text_that_is_no_experiment_is_a_spec_error(text: str | bytes) -> None:
    with pytest.raises(SpecError):
        Experiment.from_json(text)


def test_a_field_added_later_shows_only_once_it_is_used() -> None:
    added = {"read_rate": "1mbit", "read_after": "1s", "port": 80}
    assert not added.keys() & FLOW.model_dump(mode="json").keys()
    for name, value in added.items():
        used = FLOW.replace(**{name: value})
        assert name in used.model_dump(mode="json")
        assert used.digest() != FLOW.digest()
        assert used.replace(**{name: Flow.model_fields[name].default}).digest() == FLOW.digest()


ASKED = Requests("left", "right", request=100, response="2kB", count=3)


def test_requests_are_a_flow_of_another_kind() -> None:
    exp = Experiment(pair(), flows=[FLOW, ASKED, {"kind": "flow", "src": "left", "dst": "right", "size": 1}])
    assert [type(flow) for flow in exp.flows] == [Flow, Requests, Flow]
    assert [flow.name for flow in exp.flows] == ["left-right", "left-right#2", "left-right#3"]
    plain = exp.model_dump(mode="json")["flows"]
    assert [flow.get("kind") for flow in plain] == [None, "requests", None]
    assert Experiment.from_json(exp.to_json()) == exp
    assert Experiment.from_json(exp.to_json()).digest() == exp.digest()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"count": None}, "count, duration: neither given"),
        ({"pattern": "exponential"}, "think: missing: exponential times need a mean"),
        ({"dst": "left"}, "dst='left': the same host as src"),
        ({"size": 5}, "size: Requests has no such field"),
        ({"response": "2GB"}, "response=.*at most 1073741824"),
    ],
)
def test_wrong_requests_say_what_would_be_right(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        ASKED.replace(**fields) if "size" not in fields else Requests(**(dict(ASKED) | fields))


def test_a_path_reaches_the_kinds_that_have_the_field() -> None:
    exp = Experiment(pair(), flows=[FLOW, ASKED])
    assert [flow.sockets().cc for flow in with_field(exp, "flows.cc", "bbr").flows] == ["bbr", "bbr"]
    changed = with_field(exp, "flows.response", "5kB")
    assert changed.flows == (exp.flows[0], exp.flows[1].replace(response=5000))
    with pytest.raises(SpecError, match=r"'respons': no such name or field \(did you mean \"response\"\?\)"):
        with_field(exp, "flows.respons", 1)
