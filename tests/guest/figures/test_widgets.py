"""Widgets in a running notebook, as their front end meets them: messages asked, messages answered."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import altair as alt
import pytest
from ipywidgets.embed import embed_data

from labkit import (
    Experiment,
    Flow,
    LabkitError,
    Result,
    Slider,
    SpecError,
    dumbbell,
    explore,
    predict,
    run,
)
from labkit.charts import EmptyFigureError
from labkit.results.capture_files import read
from labkit.widgets.face import Face
from labkit.widgets.live_explorer import LiveExplorer

LONG = "3000s"  # of virtual time: some twenty seconds, unless it is cancelled
PATIENCE_S = 60.0


def made(cc: str = "reno", loss: str = "0%", seconds: str = "3s", **more: Any) -> Experiment:
    network = dumbbell(rate="10mbit", delay="10ms", queue="50p", loss=loss)
    return Experiment(network, flows=[Flow("left", "right", cc=cc, duration=seconds)], **more)


def cwnd(result: Result) -> alt.Chart:
    table = result.tcp_probe[["time_s", "snd_cwnd"]].iloc[::50]
    what = f"{result.experiment.flows[0].cc}"
    return alt.Chart(table).mark_line().encode(x="time_s", y="snd_cwnd").properties(description=what)


class Front:
    """A front end of one widget. said: every message that it was sent; files: their bytes."""

    def __init__(self, live: Face) -> None:
        self.live, self.said, self.files = live, list[dict[str, Any]](), list[Any]()
        self.number = 0
        self.live.send = self._told  # type: ignore[method-assign]

    def _told(self, content: dict[str, Any], buffers: Any = None) -> None:
        self.said.append(content)
        self.files += buffers or ()

    def ask(self, **asked: Any) -> None:
        """By a message, as it comes."""
        self.live._handle_custom_msg(asked, [])

    def run(self, *, wait: bool = True, **asked: Any) -> None:
        """A run, and until it is over."""
        self.number += 1
        self.ask(run=self.number, **{"words": "", **asked} if "values" in asked else asked)
        if wait:
            self.settle()

    def settle(self) -> None:
        assert self.live.runner.join(PATIENCE_S)

    @property
    def failed(self) -> list[str]:
        return [one["failed"] for one in self.said if "failed" in one]

    def file(self, kind: str, table: str = "", of: int | None = None) -> dict[str, Any]:
        """A file, and until it is there: its bytes are `files`' last."""
        before = len(self.said)
        self.ask(file=1, of=self.number if of is None else of, kind=kind, table=table)
        for _ in range(int(10 * PATIENCE_S)):
            if len(self.said) > before:
                return self.said[-1]
            time.sleep(0.1)
        raise AssertionError("no answer")


def explorer(experiment: Any = made, **settings: Any) -> Front:
    settings = {
        "cc": ["reno", "cubic"],
        "loss": Slider("0%", "1%"),
        "chart": cwnd,
        "start": "button",
        **settings,
    }
    live = explore(experiment, **settings).live
    assert isinstance(live, LiveExplorer)
    return Front(live)


def test_a_run_is_answered_with_its_chart_rows_and_words() -> None:
    front = explorer()
    front.run(values={"cc": 1}, seed=None)
    latest = front.live.latest
    assert (latest["runs"], latest["values"], latest["seed"]) == ([1], {"cc": 1}, None)
    point = latest["point"]
    assert point["description"] == "cubic"
    assert point["summary"][0][0] == "Goodput" and point["summary"][0][1].startswith("9.")
    assert "datasets" not in point["chart"] and point["data"]["data-1"][""] > 10
    assert not front.failed


def test_what_is_told_of_it_says_which_numbers_may_be_typed() -> None:
    loss = explorer().live.asked["knobs"][1]
    assert (loss["label"], loss["typed"]["low"], loss["typed"]["high"]) == ("Loss", 0, 100)
    assert explorer().live.asked["knobs"][0]["typed"] is None


def test_a_number_between_two_values_and_a_seed_are_run() -> None:
    front = explorer()
    front.run(values={"loss": "0.7"}, seed=4)
    assert front.live.results[0].experiment == made(loss="0.7%", seed=4)


def test_it_begins_when_it_is_shown_or_by_button() -> None:
    at_once = explorer(start="change")
    at_once.settle()
    assert at_once.live.latest["point"]["description"] == "reno"
    assert not explorer().live.runner.busy


def test_a_cancelled_run_leaves_nothing_and_says_so() -> None:
    front = explorer(seconds=["3s", LONG])
    started = threading.Event()
    told = front._told

    def hear(content: dict[str, Any], buffers: Any = None) -> None:
        told(content, buffers)
        if content.get("time", 0) > 1:
            started.set()

    front.live.send = hear  # type: ignore[method-assign]
    front.run(values={"seconds": 1}, seed=None, wait=False)
    assert started.wait(PATIENCE_S)
    assert front.said[-1]["of"] == 3000
    front.ask(cancel=7)
    assert front.live.runner.busy, "it is of another view"
    front.ask(cancel=1)
    front.settle()
    assert front.failed == ["Cancelled."]
    assert front.live.latest == {}


def test_the_next_run_takes_the_place_of_one_under_way() -> None:
    front = explorer(seconds=["3s", LONG])
    front.run(values={"seconds": 1}, seed=None, wait=False)
    front.run(values={"seconds": 0}, seed=None)
    assert front.live.latest["runs"] == [2]
    assert front.failed == ["Another run was asked for."]


def test_views_that_ask_for_the_same_wait_for_one_run() -> None:
    front = explorer()
    front.run(values={"cc": 1}, seed=None, wait=False)
    front.run(values={"cc": 1}, seed=None)
    assert front.live.latest["runs"] == [1, 2]
    assert not front.failed


def test_what_goes_wrong_in_a_run_is_one_message_and_the_next_run_works() -> None:
    front = explorer(time_limit=["1s", "9s"])
    front.run(values={"time_limit": 0}, seed=None)
    assert "LimitReached: not finished after 1 s of virtual time" in front.failed[0]
    front.run(values={"time_limit": 1}, seed=None)
    assert front.live.latest["point"]["description"] == "reno"


def test_what_goes_wrong_in_a_chart_is_one_message() -> None:
    def wrong(result: Result) -> alt.Chart:
        raise KeyError("no such column")

    front = explorer(chart=wrong)
    front.run(values={}, seed=None)
    assert front.failed == ["KeyError: 'no such column'"]


def test_a_figure_of_nothing_says_why() -> None:
    def nothing(result: Result) -> alt.Chart:
        raise EmptyFigureError("losses: nothing was lost")

    front = explorer(chart=nothing)
    front.run(values={}, seed=None)
    assert front.live.latest["point"]["empty"] == "losses: nothing was lost"
    assert not front.failed


def test_values_that_do_not_go_together_are_one_message() -> None:
    def picky(cc: str, loss: str) -> Experiment:
        if (cc, loss) == ("cubic", "1%"):
            raise SpecError("not these two")
        return made(cc, loss)

    front = explorer(picky)
    front.run(values={"cc": 1, "loss": 1}, seed=None)
    assert front.failed == ["SpecError: not these two"]


def test_a_function_may_raise_what_it_likes() -> None:
    """Which numbers may be typed is tried far from the knob's values."""

    def small(cc: str, loss: str) -> Experiment:
        assert float(loss.removesuffix("%")) <= 2, "too much"
        return made(cc, loss)

    front = explorer(small)
    assert front.live.asked["knobs"][1]["typed"]["high"] == 1
    front.run(values={"loss": "3"}, seed=None)
    assert front.failed[0].startswith("AssertionError: too much")


def test_files_of_the_latest_run(tmp_path: Path) -> None:
    front = explorer()
    gone = "this run is not at hand any more: run it again"
    assert front.file("tables")["failed"] == gone
    front.run(values={}, seed=None)
    result = front.live.results[0]
    assert {"flows", "tcp_probe"} <= set(front.file("tables")["tables"])
    front.file("zip")
    (tmp_path / "run.zip").write_bytes(front.files[-1])
    assert Result.load(tmp_path / "run.zip").digest() == result.digest()
    front.file("csv", "flows")
    assert front.files[-1].decode().splitlines()[1].startswith("left-right,")
    front.file("pcapng")
    (tmp_path / "run.pcapng").write_bytes(front.files[-1])
    assert len(read(tmp_path / "run.pcapng")) > 1000
    assert front.file("png")["failed"] == "SpecError: 'png' is no kind of file: zip, pcapng or csv"
    assert "is no table: they are flows, " in front.file("csv", "flow")["failed"]
    front.run(values={"cc": 1}, seed=None)
    assert front.file("zip", of=1)["failed"] == gone


def test_watching_a_run_does_not_change_it() -> None:
    seen: list[float] = []
    watched = run(made(loss="1%", seconds="300s"), cache=False, progress=seen.append)
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= 300
    assert watched.digest() == run(made(loss="1%", seconds="300s"), cache=False).digest()


def test_who_watches_can_end_a_run() -> None:
    def enough(virtual_s: float) -> None:
        if virtual_s > 10:
            raise LabkitError("enough")

    with pytest.raises(LabkitError, match="enough"):
        run(made(seconds=LONG), cache=False, progress=enough)


def test_a_prediction_is_measured_when_it_is_committed() -> None:
    ran: list[Result] = []

    def measure(result: Result) -> float:
        ran.append(result)
        return float(result.goodput().iloc[0])

    asked = predict("How much?", made(loss="5%"), measure, unit="Mbit/s", between=(0, 10), after="So it is.")
    front = Front(asked.live)
    told = front.live.asked
    assert (told["question"], told["after"], told["low"], told["high"]) == ("How much?", "So it is.", 0, 10)
    assert "measured" not in told and not ran
    front.run(seed=None)
    assert len(ran) == 1
    assert 0 < front.live.latest["measured"] < 10 and front.live.latest["spread"] is None


def test_other_seeds_are_run_after_the_answer_and_their_spread_is_told() -> None:
    asked = predict("How much?", made(loss="5%", seconds="1s"), lambda r: r.goodput().iloc[0], unit="Mbit/s")
    front = Front(asked.live)
    assert front.live.asked["repeats"]
    front.run(seed=None)
    measured = front.live.latest["measured"]
    front.run(repeat=True)
    latest = front.live.latest
    assert (latest["runs"], latest["measured"]) == ([2], measured)
    assert "Repeated with 20 different seeds: " in latest["spread"]["words"]
    values = [row["value"] for row in latest["spread"]["rows"]]
    assert len(values) == 20 and len(set(values)) > 10 and values[0] == measured
    assert front.said[-1]["said"] == "Seed 20 of 20"


def test_a_word_is_measured_with_any_seed() -> None:
    asked = predict("How much?", made(loss="5%", seconds="1s"), "goodput", between=(0, 10), chart=cwnd)
    front = Front(asked.live)
    assert not front.live.asked["repeats"]
    front.run(seed=None)
    first = front.live.latest
    front.run(seed=7)
    assert front.live.latest["measured"] != first["measured"]
    assert front.live.results[0].experiment.seed == 7
    assert first["result"]["description"] == "reno"


def test_several_runs_tell_which_is_under_way() -> None:
    runs = {loss: made(loss=loss) for loss in ("0%", "5%")}
    told = {"0%": "As you see.", "5%": "Look again."}
    asked = predict("Faster?", runs, lambda r: max(r, key=lambda k: r[k].goodput().iloc[0]), choices=told)
    front = Front(asked.live)
    front.run(seed=None)
    assert front.live.latest["measured"] == 0
    assert {one["said"] for one in front.said if "time" in one} == {"Run 1 of 2", "Run 2 of 2"}


def test_a_curve_has_an_answer_for_each_x() -> None:
    runs = [made(loss=loss) for loss in ("0%", "5%")]
    front = Front(predict("How?", runs, "goodput", x=["0%", "5%"], between=(0, 10)).live)
    front.run(seed=None)
    low, high = sorted(front.live.latest["measured"])
    assert front.live.latest["measured"] == [high, low]


def test_a_cancelled_prediction_says_so() -> None:
    front = Front(predict("How much?", made(seconds=LONG), lambda r: 1.0).live)
    front.run(seed=None, wait=False)
    front.ask(cancel=1)
    front.settle()
    assert front.failed == ["Cancelled."] and front.live.latest == {}


def test_a_saved_notebook_keeps_the_latest_run() -> None:
    """As nbconvert and a notebook's own "save widget state" have it."""
    front = explorer(start="change")
    front.settle()
    assert front.live.latest["words"] == "Congestion control reno, Loss 0%"
    assert front.live.shown_as("an explorer")[0]["text/plain"] == "an explorer"
    state = embed_data([front.live], drop_defaults=False)["manager_state"]["state"][front.live.model_id][
        "state"
    ]
    assert state["asked"]["knobs"][0]["label"] == "Congestion control"
    assert state["latest"]["point"]["description"] == "reno"
    assert state["_esm"].startswith("// Made by web/build.mjs")
