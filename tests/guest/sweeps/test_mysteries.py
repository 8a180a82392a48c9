"""Mystery networks on the lab kernel: the tree names cause and place of each from what the tools print.

Here every cause is tried at every place, at one severity on one network of five. A digest of the case and of
the package's sources says which, so that a change tries others. LABKIT_MYSTERIES=all (`make mysteries`): at
every severity, on all five.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

import labkit.mysteries
from labkit import SpecError
from labkit.mysteries import CAUSES, NOTHING, Mystery, diagnose, healthy, mystery, play, solve
from tests.ran import recording

SEEDS = range(1, 6)
Case = tuple[str, str, str, int]


def sources() -> bytes:
    """All that the package's files hold."""
    folder = Path(labkit.mysteries.__file__).parent
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))


def cases() -> list[Case]:
    """cause, place, severity, seed."""
    if os.environ.get("LABKIT_MYSTERIES") == "all":
        return [
            (name, place, by, seed)
            for name, one in CAUSES.items()
            for place in one.places
            for by in one.severities
            for seed in SEEDS
        ]
    return [drawn(name, place) for name, one in CAUSES.items() for place in one.places]


def drawn(cause: str, place: str) -> Case:
    """With a severity and a seed by the digest."""
    digest = hashlib.sha256(hashlib.sha256(sources()).digest() + f"{cause}|{place}".encode()).digest()
    severities = CAUSES[cause].severities
    return cause, place, severities[digest[0] % len(severities)], SEEDS[digest[1] % len(SEEDS)]


def network(case: Case) -> Mystery:
    cause, place, severity, seed = case
    return mystery(seed, cause=cause, place=place, severity=severity)


@pytest.mark.parametrize("case", cases(), ids=lambda case: "-".join(map(str, case)).replace(" ", "_"))
def test_the_tree_finds_cause_and_place_from_the_tools_alone(case: Case) -> None:
    sick = network(case)
    found = solve(sick.examine())
    assert (found.cause, found.place) == case[:2]
    assert found.asked[-1].cause == case[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_finds_nothing_wrong_with_a_healthy_network(seed: int) -> None:
    found = solve(healthy(seed).examine())
    assert (found.cause, found.place) == (NOTHING, "")


@pytest.mark.parametrize("cause", CAUSES)
def test_what_is_said_to_show_a_cause_was_printed(cause: str) -> None:
    sick, well = mystery(1, cause=cause), healthy(1)
    truth = sick._secret[1]
    assert truth is not None
    shown = [(witness.lines(sick.examine()), witness.lines(well.examine())) for witness in truth.witnesses()]
    assert all(lines for lines, _ in shown)
    assert any(lines != before for lines, before in shown)


def test_a_mystery_is_the_same_again_and_another_seed_another_one() -> None:
    assert dict(mystery(3).examine()) == dict(mystery(3).examine())
    assert dict(mystery(3).examine()) != dict(mystery(4).examine())


def test_a_command_shows_what_it_would_have_shown_in_the_examination() -> None:
    sick = mystery(1, cause="ring overrun")
    seen = str(sick.run("right", "ethtool -S eth0 | grep missed", "after"))
    (whole,) = re.findall(r"rx_missed_errors: (\d+)", sick.examine()["after", "right", "ethtool -S eth0"])
    (alone,) = re.findall(r"rx_missed_errors: (\d+)", seen)
    assert int(alone) > 0
    assert int(whole) > 0


def test_nobody_is_told_what_a_card_did_itself() -> None:
    said = str(mystery(1, cause="memory errors").run("right", "ethtool -S eth0", "after"))
    assert "rx_crc_errors" in said
    assert "bit_errors" not in said


def test_a_diagnosis_says_the_truth_and_counts_the_first_time_only() -> None:
    sick = mystery(1, cause="policer", place="r2")
    right = diagnose(sick, "policer", "r2")
    assert right.right
    assert right.placed
    assert right.points == 15
    assert "ingress" in right.said
    assert set(right.lost.cause) >= {"filtered"}
    assert sick.diagnose("policer", "r2").points == 0
    wrong = diagnose(mystery(1, cause="policer", place="r2"), "bit errors", "left-r1")
    assert not wrong.right
    assert wrong.points == 0
    assert "policer at r2" in repr(wrong)
    elsewhere = diagnose(mystery(1, cause="policer", place="r2"), "policer", "r1")
    assert (elsewhere.right, elsewhere.placed, elsewhere.points) == (True, False, 10)


def test_commands_beyond_ten_cost_points() -> None:
    sick = mystery(2, cause="slow port")
    sick.looks = 12
    assert sick.diagnose("slow port", sick.truth()["place"]).points == 13


def test_a_healthy_network_is_diagnosed_as_such() -> None:
    assert healthy(1).diagnose(NOTHING).points == 15
    assert "nothing is wrong" in healthy(2).diagnose("bit errors", "left-r1").said


def test_a_diagnosis_of_something_unknown_is_refused() -> None:
    with pytest.raises(SpecError, match=r'cause=.bit error.: there is none.*"bit errors"'):
        mystery(1).diagnose("bit error")
    with pytest.raises(SpecError, match="place='r9': there is none"):
        mystery(1).diagnose("policer", "r9")


def test_a_recorded_game_gives_nothing_away() -> None:
    sick = mystery(1, cause="MTU black hole")
    with recording():
        bundle = play(sick)._repr_mimebundle_()
    payload = bundle["application/vnd.labkit.mystery+json"]
    text = json.dumps({key: value for key, value in payload.items() if key != "causes"})
    assert "black hole" not in text
    assert "black hole" not in repr(sick) + bundle["text/plain"]
    assert any(re.fullmatch(r" *\[and \d+ like it\]", line) for line in payload["lines"])


def test_a_game_in_a_notebook_is_played_to_its_points() -> None:
    live = play(mystery(1, cause="policer", place="r1"), mystery(2)).live
    live.host.value, live.moment.value = "r1", "after"
    live.command.value = "tc -s qdisc"
    live.type_button.click()
    assert "ingress" in live.screen.value
    live.command.value = "tc qdisc del dev eth1 root"
    live.type_button.click()
    assert "look only" in live.screen.value
    live.diagnose_button.click()
    assert "Choose a cause first" in live.message.value
    live.cause.value, live.place.value = "policer", "r1"
    live.diagnose_button.click()
    assert "Points: 15 of 15" in live.message.value
    assert "15 of 30 points" in live.message.value
