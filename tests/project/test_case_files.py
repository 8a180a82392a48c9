"""Case files: what was published, the files of sweeps, kept rows, the page: of one piece. Runs nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.project.test_tree import ROOT, script

CASES = script("cases")
FILES = [(case, name) for case in CASES.CASES.values() for name in case.names()]
NAMED = [f"{case.name}-{name}" for case, name in FILES]
PAGES = list(CASES.CASES.values())


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), FILES, ids=NAMED)
def test_the_kept_rows_are_of_this_file(case, name: str) -> None:
    planned = CASES.plan(case.file(name))
    digests = {planned.experiment(key).digest() for key in list(planned.keys())}
    swept = CASES.kept(case, name)
    assert set(swept.table["spec_digest"]) == digests, f"scripts/cases.py {case.name} {name}"
    assert (swept.table["error"] == "").all()


@pytest.mark.parametrize(("case", "name"), FILES, ids=NAMED)
def test_of_several_sized_flows_each_says_whether_it_arrived(case, name: str) -> None:
    file = case.file(name)
    sized = [flow for flow in file.template.flows if getattr(flow, "size", None)]
    assert len(sized) < 2 or "complete" in file.measure


@pytest.mark.slow
@pytest.mark.parametrize("case", PAGES, ids=lambda case: case.name)
def test_the_pages_tables_are_of_the_kept_rows(case) -> None:
    page = case.page.read_text(encoding="utf-8")
    assert page == CASES.filled(case, page), f"scripts/cases.py {case.name} --tables"


@pytest.mark.parametrize("case", PAGES, ids=lambda case: case.name)
def test_the_page_has_every_file(case) -> None:
    page = case.page.read_text(encoding="utf-8")
    assert {match[2] for match in case.block.finditer(page)} == set(case.names())
    assert set(re.findall(r"([\w-]+)\.yaml", page)) == set(case.names())


def test_the_case_files_are_part_seven() -> None:
    parts = re.findall(r"- caption: (.*)", (ROOT / "book/_toc.yml").read_text())
    part = (ROOT / "book/_toc.yml").read_text().split("- caption: Case files\n")[1].split("- caption")[0]
    assert re.findall(r"file: (\S+)", part) == [
        f"book/{name}" for name in ("thesis", "geni", "caia", "sjtu", "ucl", "cottrell")
    ]
    assert parts.index("Case files") < parts.index("Reference")


# The thesis: whatever book/data/thesis.json has of it stands in a file of sweeps, and nothing else stands
# there.

THESIS = CASES.CASES["thesis"]
SOURCE = json.loads((ROOT / "book/data/thesis.json").read_text())
DATA, ACKS = "links.router-A.forward.loss", "links.router-C.forward.loss"
SETTINGS = {  # how thesis.json says it -> in which files, and what an axis says there
    "all four variables off": ("20-few-acks-lost", "21-acks-lost", "22-30-older-rules"),
    "conclusion (": ("conclusion-acks-lost",),
    "tcp_window_scaling=1": ("22-25-variables-acks-lost", "22-30-older-rules"),
    "tcp_adv_win_scale=2 (section 5.2.3)": ("22-25-variables-acks-lost",),
    "tcp_adv_win_scale=2 (section 6.2)": ("conclusion-acks-lost",),
    "tcp_ecn=2": ("22-25-variables-acks-lost",),
    "tcp_no_metrics_save=0": ("22-25-metrics-acks-lost", "22-30-older-rules"),
    "all four at their defaults": ("30-defaults-acks-lost", "22-30-older-rules"),
    "25 MB transfer": ("acks-lost-100mbit",),
    "conclusion: constant until 60 %, then 0": ("acks-lost-100mbit",),
    "conclusion": ("acks-lost-100mbit",),
    "SSH over UDP": ("01-02-ssh-over-udp",),
    "30 s transfer": ("07-cubic-30s",),
    "25 MB transfer (same": ("11-reno-25mb",),
}


def known() -> Iterator[tuple[tuple[str, ...], str, float, set[str], float]]:
    """Of each published figure: its files, what is lost, how much, its algorithms, its value."""
    for row in SOURCE["data_loss_10mbit"]:
        yield ("26-data-lost",), DATA, row["loss_percent"], {row["cc"]}, row["goodput_mbit_s"]
    for row in SOURCE["sysctls_reno_10mbit"]:
        files = ("19-metrics",) if "metrics" in row["variable_on"] else ("16-variables",)
        yield files, DATA, row["loss_percent"], {"reno"}, row["goodput_mbit_s"]
    for row in SOURCE["data_loss_100mbit"]:
        said = max((s for s in SETTINGS if row["experiment"].startswith(s)), key=len)
        ccs = {row["cc"]} - {"unknown"}
        yield SETTINGS[said], DATA, row["loss_percent"], ccs, row["goodput_mbit_s"]
    for row in SOURCE["ack_loss"]:
        said = max((s for s in SETTINGS if row["setting"].startswith(s)), key=len)
        ccs = set(row["cc"].split("|"))
        yield SETTINGS[said], ACKS, row["ack_loss_percent"], ccs, row["goodput_mbit_s"]


def rows_with(name: str, axis: str, percent: float, ccs: set[str], value: float) -> list[dict]:
    """Rows of a file's published figures that are this one."""
    file = THESIS.file(name)
    always = {flow.cc for flow in file.template.flows}
    found = []
    for row in file.published.rows:
        lost = float(str(row[axis]).rstrip("%")) if axis in row else None
        named = {row["flows.cc"]} if "flows.cc" in row else set(file.grid.get("flows.cc", always))
        named = {"reno" if cc in ("reno2013", "Reno of 2013", "today's Reno") else cc for cc in named}
        if lost == percent and row["goodput"] == value and named >= ccs:
            found.append(row)
    return found


@pytest.mark.parametrize(("files", "axis", "percent", "ccs", "value"), list(known()))
def test_each_published_figure_stands_beside_ours(
    files: tuple[str, ...], axis: str, percent: float, ccs: set[str], value: float
) -> None:
    assert any(rows_with(name, axis, percent, ccs, value) for name in files), files


@pytest.mark.parametrize("name", THESIS.names())
def test_no_file_has_a_figure_that_the_thesis_has_not(name: str) -> None:
    published = {(axis, percent, value) for _, axis, percent, _, value in known()}
    for row in THESIS.file(name).published.rows:
        lost = [(axis, float(str(row[axis]).rstrip("%"))) for axis in (DATA, ACKS) if axis in row]
        if lost:
            assert (*lost[0], row["goodput"]) in published
        else:  # a file at one loss rate: 26-queue-and-round-trip, at 5 %
            assert (DATA, 5, row["goodput"]) in published


def test_each_figure_of_the_thesis_that_we_know_of_has_its_place_on_the_page() -> None:
    page = THESIS.page.read_text(encoding="utf-8")
    said: set[str] = set()
    for heading in re.findall(r"^#+ Figures? (.*)", page, re.MULTILINE):
        numbers = heading.split(":")[0]
        for first, last in re.findall(r"(\d+) to (\d+)", numbers):
            said |= {str(number) for number in range(int(first), int(last) + 1)}
        said |= set(re.findall(r"\d+", numbers))
    assert said == set(SOURCE["figures"])
    for number in SOURCE["figures_unknown_to_us"]:
        assert re.search(
            rf"figure {number}\b[^.]*(?:no values|do\s+not know)|(?:no values|do\s+not know)"
            rf"[^.]*figure {number}\b",
            page,
            re.IGNORECASE,
        ), number
    assert re.search(r"^### Appendix 2", page, re.MULTILINE)
    assert re.search(r"repeated three\s+times", page)
    for conclusion in SOURCE["conclusions"]:
        assert f'### "{conclusion}"\n' in page
