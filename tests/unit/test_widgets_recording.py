"""What a recording holds of a widget: its shape, its size, its sameness. Runs are replaced by settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from labkit import Experiment, Slider, SpecError, charts, explore, predict
from labkit.charts import EmptyFigureError
from labkit.widgets import payload
from labkit.widgets.drawing import named
from labkit.widgets.payload import PayloadTooLargeError, columns, fewer
from tests import ran
from tests.ran import Ran, made, saw

EXPLORER = "application/vnd.labkit.explorer+json"
PREDICT = "application/vnd.labkit.predict+json"
VEGA = "application/vnd.vegalite.v5+json"


@pytest.fixture(autouse=True)
def recording() -> Iterator[list[Experiment]]:
    """The experiments that were "run" while recording."""
    with ran.recording() as done:
        yield done


def bundle(**settings: Any) -> dict[str, Any]:
    settings = {
        "chart": saw,
        "cc": ["reno", "cubic"],
        "loss": Slider("0%", "1%", "5%", default="1%"),
        **settings,
    }
    found: dict[str, Any] = explore(made, **settings)._repr_mimebundle_()
    return found


def test_a_recording_holds_every_point_of_the_grid(recording: list[Experiment]) -> None:
    held = bundle()[EXPLORER]
    assert len(recording) == 6
    assert list(held["points"]) == ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2"]
    assert (held["format"], held["name"], held["caption"]) == (2, "explore-saw", "A saw.")
    assert held["knobs"][1] == {
        "name": "loss", "label": "Loss", "kind": "slider", "texts": ["0%", "1%", "5%"], "default": 1,
    }  # fmt: skip
    point = held["points"]["1,2"]
    assert point["description"] == "cubic, lost: 0.05."
    assert point["summary"] == [["Goodput", "9.5 Mbit/s"], ["Retransmitted", "50 segments"]]
    assert point["data"]["mean"] == {"": 1, "mean": {"is": 17}}
    [chart] = held["charts"]
    assert chart.keys().isdisjoint({"datasets", "description", "usermeta"})
    assert {held["points"][key]["chart"] for key in held["points"]} == {0}


def test_the_table_behind_the_fold_is_the_grid() -> None:
    table = bundle()[EXPLORER]["table"]
    assert [title for title, _ in table["columns"]] == [
        "Congestion control",
        "Loss",
        "Goodput",
        "Retransmitted",
    ]
    assert table["rows"][5] == ["cubic", "5%", "9.5 Mbit/s", "50 segments"]
    assert len(table["rows"]) == 6


def test_beside_it_stands_the_default_point_as_a_chart() -> None:
    shown = bundle()
    still = shown[VEGA]
    assert still["description"] == "reno, lost: 0.01."
    assert vl_convert.vegalite_to_svg(still).count("mark-line") > 0
    assert shown["text/plain"] == "<explore: Congestion control: reno; Loss: 1%>\nreno, lost: 0.01."


def test_a_recording_is_the_same_each_time() -> None:
    assert json.dumps(bundle()) == json.dumps(bundle())


def test_a_readers_own_chart_gets_names_that_stay() -> None:
    def own(result: Ran) -> alt.Chart:
        table = pd.DataFrame({"x": [0, 1], "y": [result.loss, 1]})
        return alt.Chart(table).mark_line().encode(x="x", y="y")

    held = bundle(chart=own, name="mine")[EXPLORER]
    assert held["name"] == "mine"
    assert {name for point in held["points"].values() for name in point["data"]} == {"data-1"}


def test_a_chart_that_differs_is_held_once() -> None:
    def titled(result: Ran) -> alt.LayerChart:
        return saw(result).properties(title=f"{result.loss:g}")

    held = bundle(chart=titled)[EXPLORER]
    assert [chart["title"] for chart in held["charts"]] == ["0", "0.01", "0.05"]
    assert [point["chart"] for point in held["points"].values()] == [0, 1, 2, 0, 1, 2]


def test_a_run_without_a_figure_says_why() -> None:
    def sometimes(result: Ran) -> alt.LayerChart:
        if not result.loss:
            raise EmptyFigureError("saw: nothing was lost")
        return saw(result)

    points = bundle(chart=sometimes)[EXPLORER]["points"]
    assert points["0,0"]["empty"] == "saw: nothing was lost"
    assert "data" in points["0,1"]
    with pytest.raises(EmptyFigureError, match="no run gives a figure: saw: nothing was lost"):
        bundle(chart=sometimes, loss=["0%", "0.0%"])


def test_large_charts_are_thinned_until_all_fit() -> None:
    shown = bundle(chart=lambda result: saw(result, 3000))
    size = sum(len(json.dumps(shown[kind], separators=(",", ":"))) for kind in (EXPLORER, VEGA))
    assert 50_000 < size <= 150_000
    held = shown[EXPLORER]["points"]["0,0"]["data"]["cwnd"]["cwnd"]["n"]
    heights = [float(text) for text in held.split()]
    assert (min(heights), max(heights)) == (10, 40)


def test_a_grid_that_does_not_fit_says_what_to_reduce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "LIMIT_BYTES", 15_000)
    with pytest.raises(PayloadTooLargeError, match=r"12 recorded runs take \d+ kB.*15: use fewer knobs"):
        bundle(loss=[f"{i / 10}%" for i in range(6)], chart=lambda result: saw(result, 300))


def test_columns_say_a_constant_once() -> None:
    rows = [{"t": i / 3, "flow": "a", "kind": "xy"[i % 2]} for i in range(4)]
    assert columns(rows) == {
        "": 4,
        "t": {"n": "0 0.33333 0.66667 1"},
        "flow": {"is": "a"},
        "kind": {"of": ["x", "y"], "at": "0 1 0 1"},
    }
    assert columns([{"a": float("nan")}, {"a": 1}, {}]) == {"": 3, "a": {"n": "- 1 -"}}
    assert columns([{"a": True}, {"a": "x"}]) == {"": 2, "a": [True, "x"]}
    assert columns([]) == {"": 0}


def test_thinning_keeps_the_extremes_of_every_column() -> None:
    rows = [{"t": i, "low": -abs(i - 70), "high": abs(i - 300), "flow": "a"} for i in range(1000)]
    kept = fewer(rows, 100, {"t"})
    assert len(kept) <= 110
    for name in ("low", "high"):
        assert min(row[name] for row in kept) == min(row[name] for row in rows)
        assert max(row[name] for row in kept) == max(row[name] for row in rows)


def test_a_prediction_holds_question_answer_and_words() -> None:
    asked = predict(
        "How much?", made(loss="5%"), lambda r: r.goodput().iloc[0], unit="Mbit/s", between=(0, 10)
    )
    held = asked._repr_mimebundle_()[PREDICT]
    assert (held["kind"], held["measured"], held["low"], held["high"]) == ("value", 9.5, 0, 10)
    assert held["answers"]["layer"][0]["encoding"]["x"]["title"] == "Mbit/s"
    assert asked._repr_mimebundle_()["text/plain"] == "<predict: How much?>"


def test_a_word_has_its_unit_and_one_run(recording: list[Experiment]) -> None:
    held = predict("How much?", made(loss="5%"), "goodput", between=(0, 10))._repr_mimebundle_()[PREDICT]
    assert (held["measured"], held["unit"], held["spread"], len(recording)) == (9.5, "Mbit/s", None, 1)


def test_a_word_of_several_runs_is_their_mean_and_a_curve_has_each() -> None:
    runs = [made(loss=loss) for loss in ("0%", "5%", "10%")]
    mean = predict("How much?", runs, "goodput")._repr_mimebundle_()[PREDICT]
    assert mean["measured"] == pytest.approx(9.5)
    curve = predict("How?", runs, "goodput", x=[0, 5, 10], between=(0, 10))._repr_mimebundle_()[PREDICT]
    assert curve["measured"] == pytest.approx([10, 9.5, 9])


def test_what_is_no_word_is_recorded_under_twenty_seeds(recording: list[Experiment]) -> None:
    """The measure is the seed itself: 7 and 19 others, as far apart as none of a question's own are."""
    asked = predict("Which?", made().replace(seed=7), lambda r: r.experiment.seed, between=(0, 1e5))
    held = asked._repr_mimebundle_()[PREDICT]
    assert [exp.seed for exp in recording] == [7 + 1000 * i for i in range(20)]
    assert held["measured"] == 7
    assert held["spread"] == {
        "words": "Repeated with 20 different seeds: 7 to 19,007, with a median of 9,507.",
        "rows": [{"who": "measured", "value": exp.seed} for exp in recording],
    }
    data = {"answers": [{"who": "measured", "value": 7}], "spread": held["spread"]["rows"]}
    assert vl_convert.vegalite_to_svg({**held["answers"], "datasets": data}).count("aria-label") >= 21


def test_seeds_that_change_nothing_are_said_to() -> None:
    held = predict("How much?", made(), lambda r: 3.0)._repr_mimebundle_()[PREDICT]
    same = "Repeated with 20 different seeds, the answer is the same each time."
    assert held["spread"] == {"words": same, "rows": []}
    assert vl_convert.vegalite_to_svg({**held["answers"], "datasets": {"answers": [], "spread": []}})


def test_choices_and_curves_say_how_seeds_differ() -> None:
    odd = lambda r: "odd" if (r.experiment.seed // 1000) % 4 == 0 else "even."  # noqa: E731
    choice = predict("Which?", made(), odd, choices=["odd", "even."])._repr_mimebundle_()[PREDICT]
    assert choice["spread"]["words"] == "Repeated with 20 different seeds: 15 times even; 5 times odd."
    wide = lambda rs: [r.experiment.seed // 1000 * i for i, r in enumerate(rs)]  # noqa: E731
    runs = [made(), made(), made()]
    curve = predict("How?", runs, wide, x=["a", "b", "c"], between=(0, 9))._repr_mimebundle_()[PREDICT]
    assert curve["spread"]["rows"][2] == {"x": "c", "low": 0, "high": 38}
    assert curve["spread"]["words"] == (
        "Repeated with 20 different seeds, they differ most where x is c: 0 to 38."
    )
    data = {"answers": [], "spread": curve["spread"]["rows"]}
    assert "mark-area" in vl_convert.vegalite_to_svg({**curve["answers"], "datasets": data})


@pytest.mark.parametrize(
    ("word", "settings", "said"),
    [
        ("goodputt", {}, r"measure='goodputt': no such figure \(did you mean \"goodput\"\?\)"),
        ("goodput, far", {}, 'a word is written "goodput", or "goodput of far"'),
        ("jain of left", {}, "jain is of the whole run: leave out the flow"),
        ("goodput_in_second", {}, "many rows of a run, and no word"),
        ("goodput", {"choices": ["a", "b"]}, "for choices give a function"),
        ("goodput of none", {}, "this run has no such number"),
    ],
)
def test_a_word_that_there_is_not_is_refused(word: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        predict("?", made(), word, **settings)


def test_a_summary_is_words_and_a_chart_is_known_by_its_name() -> None:
    held = bundle(summary=["goodput of left-right", "duration"])[EXPLORER]
    assert held["points"]["0,0"]["summary"] == [["Goodput of left-right", "10 Mbit/s"], ["Duration", "2 s"]]
    cwnd = {"name": "cwnd", "options": {"ssthresh": False}}
    assert named(partial(charts.cwnd, ssthresh=False)) == [cwnd]
    assert named([charts.cwnd, partial(charts.queue, at=("a", "b"))]) == [
        {"name": "cwnd", "options": {}},
        {"name": "queue", "options": {"at": ("a", "b")}},
    ]
    assert named(saw) is None and named([charts.cwnd, saw]) is None
    with pytest.raises(SpecError, match="chart: give a figure such as"):
        bundle(chart=["cwnd"])


def test_a_choice_is_measured_by_its_text() -> None:
    runs = {cc: made(cc) for cc in ("reno", "cubic")}
    told = {"reno": "No.", "cubic": "Yes."}
    held = predict("Which?", runs, lambda results: list(results)[1], choices=told)._repr_mimebundle_()[
        PREDICT
    ]
    assert (held["kind"], held["measured"], held["choices"]) == (
        "choice",
        1,
        [["reno", "No."], ["cubic", "Yes."]],
    )
    with pytest.raises(SpecError, match="measured 'bbr', which is none of the choices reno, cubic"):
        predict("Which?", runs, lambda results: "bbr", choices=told)


def test_a_curve_has_a_value_for_each_x() -> None:
    runs = [made(loss=f"{loss}%") for loss in (0, 1, 5)]

    def curve(x: list[int]) -> Any:
        measure = lambda results: [r.goodput().iloc[0] for r in results]  # noqa: E731
        asked = predict("How?", runs, measure, x=x, x_title="Loss (%)", y_title="Goodput", between=(0, 10))
        return asked._repr_mimebundle_()[PREDICT]

    held = curve([0, 1, 5])
    assert (held["measured"], held["x"], held["x_values"]) == ([10, 9.9, 9.5], ["0", "1", "5"], [0, 1, 5])
    with pytest.raises(SpecError, match="3 values measured for 2 values of x"):
        curve([0, 1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"x": [1, 2]}, r"a curve needs the range of its y axis: between=\(0, 10\)"),
        ({"between": (3, 1)}, "the lower end comes first"),
        ({"choices": ["a"]}, "two different ones"),
        ({"choices": ["a", "b"], "x": [1]}, "one kind of answer"),
    ],
)
def test_a_crooked_question_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        predict("?", made(), float, **settings)


def test_a_prediction_of_no_experiment_is_refused() -> None:
    with pytest.raises(SpecError, match="7 is no Experiment"):
        predict("?", [made(), 7], float)  # type: ignore[list-item]


def test_nothing_runs_unless_recording(recording: list[Experiment], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LABKIT_RECORD")
    assert repr(explore(made, cc=["reno", "cubic"], chart=saw)) == "<explore: Congestion control: reno>"
    assert repr(predict("How much?", made(), float)) == "<predict: How much?>"
    assert not recording
