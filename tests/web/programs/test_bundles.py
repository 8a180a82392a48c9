"""What the site has of each widget: its experiments as lab programs, to the byte, as a page reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from live import bundles, slices
from live.planned import Plan, plan, until_s, with_needs

from labkit.compile.compiler import compile_experiment
from labkit.errors import UnsupportedError
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.execute.wasm.unsupported import PAGE_LARGEST_MB, lacks, too_large
from labkit.spec import Experiment, Flow, custom_cc
from labkit.spec.topologies import pair
from tests.web.programs.page import Page, same

STEMS = slices.stems()
LARGEST_BYTES = 200_000


@pytest.mark.parametrize("stem", STEMS)
def test_recorded_points_have_the_programs_that_labkit_compiles(stem: str, page: Page) -> None:
    with slices.forgetting():
        for name, recorded in slices.recorded(stem).items():
            asked = page.ask(stem, name)
            assert asked["kind"] == recorded.kind
            found = bundles.source(stem, recorded)
            assert asked["refused"] is None or asked["refused"].startswith(found.lacks)
            if found.lacks:
                continue
            for key, make in found.experiments.items():
                turned = zip(found.knobs, key.split(","), strict=False)  # a prediction has none
                values = {knob["name"]: knob["texts"][int(i)] for knob, i in turned}
                exps = [with_needs(exp, found.needs) for exp in make()]
                if any(list(lacks(exp, (*BUILT_IN, *custom_cc.names()))) for exp in exps):
                    with pytest.raises(
                        LookupError, match=r"KnobError: it takes more than a browser tab has: .* rocket"
                    ):
                        page.ask(stem, name, values=values)
                    continue
                compiled = [compile_experiment(exp) for exp in exps]
                needs = [Needs.of(exp, one) for exp, one in zip(exps, compiled, strict=True)]
                assert not any(too_large(one, PAGE_LARGEST_MB) for one in needs)
                planned = page.ask(stem, name, values=values)
                assert len(planned) == len(exps)
                for exp, one, need, found_plan in zip(exps, compiled, needs, planned, strict=True):
                    assert found_plan["by"] == "site"
                    described = {"experiment": json.loads(exp.to_json()), "layout": one.layout}
                    same(found_plan, Plan(one.program, described, memory_mb(need), until_s(exp)))


def test_one_chapter_takes_a_kernel_of_its_own_and_says_what_is_in_it(page: Page) -> None:
    found = {stem: page.ask(stem, name)["own"] for stem in STEMS for name in slices.recorded(stem)}
    assert {stem for stem, own in found.items() if own} == {"23-write-your-own"}
    widgets = {name: page.ask("23-write-your-own", name) for name in slices.recorded("23-write-your-own")}
    assert {name: one["own"] for name, one in widgets.items()} == {
        "predict-three-quarters": [],
        "explore-two-numbers": ["mine"],
    }


@pytest.mark.parametrize("stem", STEMS)
def test_a_chapters_file_is_small(stem: str, lab: Path) -> None:
    assert (lab / f"chapters/{stem}.json").stat().st_size < LARGEST_BYTES


def test_a_widgets_chart_is_the_recorded_one_without_data(page: Page) -> None:
    chart = page.ask(STEMS[0], "window")["chart"]
    assert chart["usermeta"]["labkit"]["name"]
    assert "datasets" not in chart
    assert page.ask(STEMS[0], "guess-A")["chart"] is None


def test_what_a_chapter_has_not_is_null(page: Page) -> None:
    assert page.ask(STEMS[0], "windy") is None
    with pytest.raises(LookupError, match="not to be had: 404"):
        page.ask("99-nothing", "windy")


def test_a_value_that_is_not_on_a_knob_is_refused_with_what_it_has(page: Page) -> None:
    with pytest.raises(LookupError, match=r"KnobError: Congestion control: tahoe .* it has cubic, reno"):
        page.ask(STEMS[0], "window", values={"cc": "tahoe"})


def test_what_a_figure_needs_besides_is_recorded_and_nothing_is_lost() -> None:
    exp = Experiment(pair(), flows=[Flow("left", "right", size="1kB")], capture=["left"])
    needs = {"probes": ["drops"], "capture": [{"host": "left", "snap": 128}, {"host": "right", "snap": 128}]}
    more = with_needs(exp, needs)
    assert more.probes == exp.probes | {"drops"}
    assert [(one.host, one.snap) for one in more.capture] == [("left", None), ("right", 128)]
    assert with_needs(more, needs) is more


def test_a_run_has_as_much_memory_as_anywhere_or_is_refused_in_words() -> None:
    asked = Experiment(pair(), flows=[Flow("left", "right", size="1kB")], memory="700MiB")
    assert plan(asked, BUILT_IN).memory_mb == 700
    with pytest.raises(
        UnsupportedError, match="a page is too small: 1500 MiB of memory, of 1024 at most, for"
    ):
        plan(asked.replace(memory="1500MiB"), BUILT_IN)
