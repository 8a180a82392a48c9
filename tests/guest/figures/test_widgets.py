"""The face of the widgets in a running notebook, driven in this process: turn, run, watch, cancel, save."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from labkit import Experiment, Flow, LabkitError, Result, Slider, SpecError, dumbbell, explore, predict, run
from labkit.results.capture_files import read
from labkit.widgets.live import LiveExplorer

VEGA = "application/vnd.vegalite.v5+json"
LONG = "3000s"  # of virtual time: some twenty seconds, unless it is cancelled
PATIENCE_S = 60.0


def made(cc: str = "reno", loss: str = "0%", seconds: str = "3s", **more: Any) -> Experiment:
    network = dumbbell(rate="10mbit", delay="10ms", queue="50p", loss=loss)
    return Experiment(network, flows=[Flow("left", "right", cc=cc, duration=seconds)], **more)


def cwnd(result: Result) -> alt.Chart:
    table = result.tcp_probe[["time_s", "snd_cwnd"]].iloc[::50]
    what = f"{result.experiment.flows[0].cc}"
    return alt.Chart(table).mark_line().encode(x="time_s", y="snd_cwnd").properties(description=what)


def explorer(**settings: Any) -> LiveExplorer:
    settings = {
        "cc": ["reno", "cubic"],
        "loss": Slider("0%", "1%"),
        "chart": cwnd,
        "start": "button",
        **settings,
    }
    live = explore(made, **settings).live
    assert isinstance(live, LiveExplorer)
    return live


def settled(live: Any) -> Any:
    assert live.runner.join(PATIENCE_S)
    return live


def shown(live: Any) -> dict[str, Any]:
    """The chart that is in the picture."""
    spec: dict[str, Any] = live.picture.outputs[0]["data"][VEGA]
    return spec


def test_turning_a_knob_runs_and_draws() -> None:
    live = settled(explorer(start="change"))
    assert shown(live)["description"] == "reno"
    live.knobs["cc"].value = "cubic"
    settled(live)
    assert shown(live)["description"] == "cubic"
    assert set(shown(live)["datasets"]) == {"data-1", "data-1@1"}
    assert [run.point for run in live.shown] == [(1, 0), (0, 0)]
    assert "Congestion control cubic, Loss 0%. Goodput: 9." in live.legend.value


def test_by_button_nothing_runs_until_it_is_pressed() -> None:
    live = explorer()
    live.knobs["cc"].value = "cubic"
    assert not live.runner.busy
    live.run_button.click()
    assert shown(settled(live))["description"] == "cubic"


def test_three_runs_are_shown_and_then_one() -> None:
    live = explorer()
    for cc, loss in [("reno", "0%"), ("cubic", "0%"), ("cubic", "1%"), ("reno", "1%")]:
        live.set(cc=cc, loss=loss)
        live.run()
        settled(live)
    assert [run.point for run in live.shown] == [(0, 1), (1, 1), (1, 0)]
    assert set(shown(live)["datasets"]) == {"data-1", "data-1@1", "data-1@2"}
    live.forget_button.click()
    assert set(shown(live)["datasets"]) == {"data-1"}
    assert live.forget_button.disabled


def test_a_cancelled_run_leaves_nothing_and_says_so() -> None:
    live = explorer(seconds=["3s", LONG])
    live.set(seconds=LONG)
    started = threading.Event()
    live.clock.observe(lambda change: started.set() if change["new"].startswith("1") else None, "value")
    live.run()
    assert started.wait(PATIENCE_S)
    assert live.clock.value.endswith("of 3000 s of virtual time")
    assert live.progress.value > 0
    live.cancel_button.click()
    settled(live)
    assert "Cancelled." in live.message.value
    assert not live.shown
    assert live.cancel_button.disabled


def test_the_next_turn_takes_the_place_of_a_run_under_way() -> None:
    live = explorer(seconds=["3s", LONG], start="change")
    live.set(seconds=LONG)
    live.set(seconds="3s")
    settled(live)
    assert [run.point for run in live.shown] == [(0, 0, 0)]
    assert live.message.value == ""


def test_what_goes_wrong_in_a_run_is_one_message_and_the_next_run_works() -> None:
    live = explorer(time_limit=["1s", "9s"])
    live.run()
    assert "LimitReached: not finished after 1 s of virtual time" in settled(live).message.value
    live.set(time_limit="9s")
    live.run()
    assert settled(live).message.value == ""
    assert shown(live)["description"] == "reno"


def test_what_goes_wrong_in_a_chart_is_one_message() -> None:
    def wrong(result: Result) -> alt.Chart:
        raise KeyError("no such column")

    live = explorer(chart=wrong)
    live.run()
    assert "KeyError: " in settled(live).message.value
    assert live.cancel_button.disabled


def test_values_that_do_not_go_together_are_one_message() -> None:
    def picky(cc: str, loss: str) -> Experiment:
        if (cc, loss) == ("cubic", "1%"):
            raise SpecError("not these two")
        return made(cc, loss)

    live = explore(picky, cc=["reno", "cubic"], loss=["0%", "1%"], chart=cwnd, start="button").live
    live.set(cc="cubic", loss="1%")
    live.run()
    assert "SpecError: not these two" in settled(live).message.value


def test_a_knob_refuses_what_is_not_on_it() -> None:
    live = explorer()
    with pytest.raises(SpecError, match="knob 'loss': '7%' is not on this knob: it has 0%, 1%"):
        live.set(loss="7%")


def test_the_result_is_saved_beside_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    live = explorer(name="cut")
    live.run()
    settled(live).downloads.result_button.click()
    assert [path.name for path in tmp_path.iterdir()] == ["cut-reno-0_.zip"]
    assert Result.load(tmp_path / "cut-reno-0_.zip").digest() == live.shown[0].result.digest()
    assert 'href="cut-reno-0_.zip"' in live.downloads.link.outputs[0]["data"]["text/html"]
    assert live.downloads.capture_button not in live.downloads.buttons.children


def test_a_capture_is_saved_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    captured = made().replace(capture=["right"])
    live = explore(captured, {"flows.cc": ["reno", "cubic"]}, chart=cwnd, start="button").live
    live.run()
    settled(live)
    assert live.downloads.capture_button in live.downloads.buttons.children
    live.downloads.capture_button.click()
    assert len(read(tmp_path / "run-reno.pcapng")) > 1000


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    live = explorer()
    live.run()
    settled(live)
    gone.rmdir()
    live.downloads.result_button.click()
    assert "Not saved: " in live.downloads.link.outputs[0]["data"]["text/plain"]


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


def test_a_prediction_runs_only_when_it_is_committed() -> None:
    ran: list[Result] = []

    def measure(result: Result) -> float:
        ran.append(result)
        return float(result.goodput().iloc[0])

    live = predict(
        "How much?", made(loss="5%"), measure, unit="Mbit/s", between=(0, 10), after="So it is."
    ).live
    live.asked.repeated = list  # other seeds have a test of their own
    live.commit_button.click()
    assert "Say a number (0 to 10) first." in live.message.value
    live.inputs[0].value = "95"
    live.commit_button.click()
    assert "Say a number" in live.message.value
    assert not ran
    live.inputs[0].value = "9.5"
    live.commit_button.click()
    settled(live)
    assert len(ran) == 1
    assert "You said 9.5 Mbit/s; measured " in live.message.value
    assert live.message.value.endswith("So it is.</div>")
    assert [row["who"] for row in shown(live)["datasets"]["answers"]] == ["you", "measured"]
    assert live.inputs[0].disabled
    live.again_button.click()
    assert not live.inputs[0].disabled
    assert live.picture.outputs == ()


def test_other_seeds_are_run_after_the_answer_and_their_spread_is_told() -> None:
    live = predict(
        "How much?", made(loss="5%", seconds="1s"), lambda r: r.goodput().iloc[0], unit="Mbit/s"
    ).live
    live.inputs[0].value = "9.5"
    live.commit_button.click()
    settled(live)
    settled(live)  # the job of the other seeds, which the first one started
    assert "Repeated with 20 different seeds: " in live.message.value
    assert "Seed 20 of 20" not in live.message.value
    values = [row["value"] for row in shown(live)["datasets"]["spread"]]
    assert len(values) == 20 and len(set(values)) > 10
    assert live.cancel_button.disabled


def test_a_word_is_measured_once() -> None:
    live = predict("How much?", made(loss="5%", seconds="1s"), "goodput", between=(0, 10)).live
    live.inputs[0].value = "9.5"
    live.commit_button.click()
    settled(live)
    assert "Mbit/s" in live.message.value and "seeds" not in live.message.value
    assert "spread" not in shown(live)["datasets"]


def test_a_choice_gets_its_feedback() -> None:
    runs = {loss: made(loss=loss) for loss in ("0%", "5%")}
    told = {"0%": "As you see.", "5%": "Look again."}
    live = predict("Faster?", runs, lambda r: max(r, key=lambda k: r[k].goodput().iloc[0]), choices=told).live
    live.commit_button.click()
    assert "Choose an answer first." in live.message.value
    live.inputs[0].index = 1
    live.commit_button.click()
    assert "You said 5%; measured: 0%.\nLook again." in settled(live).message.value


def test_a_curve_is_set_against_the_measured_one() -> None:
    runs = [made(loss=loss) for loss in ("0%", "5%")]
    asked = predict(
        "How?", runs, lambda results: [r.goodput().iloc[0] for r in results], x=["0%", "5%"], between=(0, 10)
    )
    live = asked.live
    live.inputs[1].value = 8.0
    assert shown(live)["datasets"]["answers"][1] == {"who": "you", "x": "5%", "value": 8.0}
    live.commit_button.click()
    settled(live)
    assert len(shown(live)["datasets"]["answers"]) == 4
    assert "Farthest off where x is " in live.message.value


def test_a_cancelled_prediction_can_be_changed() -> None:
    live = predict("How much?", made(seconds=LONG), lambda r: 1.0).live
    live.inputs[0].value = "1"
    live.commit_button.click()
    live.cancel_button.click()
    assert "Cancelled." in settled(live).message.value
    assert not live.commit_button.disabled
