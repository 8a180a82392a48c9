"""What a notebook keeps of a chart."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from jupyterlab.commands import get_app_dir

from labkit.charts import vega

TABLE = pd.DataFrame({"time_s": [0.0, 1.0], "cwnd": [10, 20]})


def chart(**properties: object) -> alt.Chart:
    return alt.Chart(TABLE).mark_line().encode(x="time_s", y="cwnd").properties(**properties)


@pytest.fixture
def shown() -> object:
    before = alt.renderers.active
    vega.enable()
    yield
    alt.renderers.enable(before)


@pytest.mark.usefixtures("shown")
def test_a_chart_is_kept_as_json_and_in_words_and_as_nothing_else() -> None:
    data, _ = chart(description="It\ndoubles.")._repr_mimebundle_()
    assert data.keys() == {vega.MIME, "text/plain"}
    assert data[vega.MIME]["mark"] == {"type": "line"}
    assert data["text/plain"] == "It doubles."


def test_jupyterlab_draws_what_is_so_marked() -> None:
    scripts = Path(get_app_dir()).glob("static/*.js")
    assert any(vega.MIME in script.read_text(encoding="utf-8") for script in scripts)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"title": "Queue"}, "Queue"),
        ({"title": {"text": ["Queue", "and delay"]}}, "Queue and delay"),
        ({}, "A chart without a description"),
    ],
)
def test_without_a_description_the_title_speaks(spec: dict[str, object], said: str) -> None:
    assert vega.words(spec) == said


@pytest.mark.usefixtures("shown")
def test_data_keeps_its_name_when_its_values_change() -> None:
    other = alt.Chart(TABLE.assign(cwnd=[10, 21])).mark_line().encode(x="time_s", y="cwnd")
    kept = [one._repr_mimebundle_()[0][vega.MIME] for one in (chart(), other)]
    assert [list(spec["datasets"]) for spec in kept] == [["data-1"], ["data-1"]]
    assert [spec["data"] for spec in kept] == [{"name": "data-1"}] * 2
    assert kept[0]["datasets"] != kept[1]["datasets"]
