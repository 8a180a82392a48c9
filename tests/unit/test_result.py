"""Result: a view over a run folder. The data is a recorded run of the lab kernel (200 kB of Reno and some
UDP over 10 Mbit/s with 1 % loss, a queue of ten packets, seed 3)."""

from __future__ import annotations

import errno
import hashlib
import json
import pickle
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from labkit.decode.folder import ResultFormatError
from labkit.decode.mapped_file import MappedFile, forget
from labkit.decode.raw import RawFormatError
from labkit.program.structs import Kind
from labkit.results import hooks
from labkit.results.replay import ReplayError
from labkit.results.result import ProbeMissingError, Result, table_units

RECORDED = Path(__file__).parent / "data/small-run.zip"
NOT_HERE = ("goodput", "trace", "packet_table", "retransmit", "cc_info")  # not plain tables, or not recorded
TABLES = [name for name in table_units() if name not in NOT_HERE]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "run"
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(made)
    return made


def rewrite(folder: Path, **changes: object) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))


@pytest.fixture(scope="module")
def result() -> Result:
    return Result.load(RECORDED)


def test_it_says_what_ran(result: Result) -> None:
    assert result.experiment.flows[0].cc == "reno"
    assert result.seed == 3
    assert result.kernel.startswith("6.12")
    assert result.end_reason == "complete"
    assert result.virtual_s == pytest.approx(0.61, abs=1e-3)
    assert result.wall_s > 0


def test_a_run_that_was_cut_off_without_an_end_tells_all_that_it_wrote(folder: Path, result: Result) -> None:
    rewrite(folder, virtual_s=None, end={"reason": "stopped"})
    cut = Result(folder)
    pd.testing.assert_frame_equal(cut.drops, result.drops)
    assert f"{cut.virtual_s:.6g} s, stopped" in repr(cut) and 0 < cut.virtual_s <= result.virtual_s


def test_flows_came_to_their_end(result: Result) -> None:
    assert list(result.flows.index) == ["left-right", "left-right#2"]
    tcp = result.flows.loc["left-right"]
    assert tcp["received_bytes"] == tcp["sent_bytes"] == 200_000
    assert tcp["complete"]
    assert 0 < tcp["established_s"] < tcp["first_byte_s"] < tcp["last_byte_s"] < tcp["end_s"]
    assert result.retransmits()["left-right"] == tcp["retransmits"] > 0


def test_goodput_is_below_the_rate_of_the_bottleneck(result: Result) -> None:
    rate = result.goodput()["left-right"]
    tcp = result.flows.loc["left-right"]
    assert rate == pytest.approx(8e-6 * 200_000 / (tcp["last_byte_s"] - tcp["start_s"]))
    assert 0 < rate < 10


def test_the_tables_agree_with_each_other(result: Result) -> None:
    counted = result.counters.set_index(["host", "name"])["delta"]
    assert counted["left", "TcpRetransSegs"] == result.retransmits()["left-right"]
    last = result.tcp_info[result.tcp_info["side"] == "sender"].iloc[-1]
    assert last["bytes_acked"] == 200_001  # the SYN counts
    assert last["time_s"] == result.flows.loc["left-right", "end_s"]
    probe = result.tcp_probe
    assert probe["time_s"].is_monotonic_increasing
    assert probe["time_s"].between(0, result.virtual_s).all()
    assert probe["flow"].unique().tolist() == ["left-right"]
    assert probe["snd_cwnd"].iloc[0] == 10
    assert len(result.trace("tcp:tcp_probe")) == len(probe)


def test_the_queue_is_the_leaf_under_the_shaper(result: Result) -> None:
    bottleneck = result.backlog[(result.backlog["host"] == "r1") & (result.backlog["peer"] == "r2")]
    assert bottleneck["kind"].unique().tolist() == ["pfifo"]
    assert bottleneck["backlog_packets"].max() <= 10
    assert bottleneck["sent_packets"].is_monotonic_increasing


def test_a_command_has_its_output_and_status(result: Result) -> None:
    assert result.output("left") == result.output(0) == "hello\n"
    assert result.commands.loc[0, ["status", "stderr"]].tolist() == [3, "oops\n"]
    with pytest.raises(KeyError, match="no command: there are 0 on left"):
        result.output("nowhere")


@pytest.mark.parametrize("name", TABLES)
def test_every_column_has_a_unit(result: Result, name: str) -> None:
    table = getattr(result, name).reset_index()
    assert set(table.columns) - {"index", "level_0"} <= set(result.units(name))
    assert table.attrs["units"] == result.units(name)


def test_an_unknown_table_has_no_units(result: Result) -> None:
    with pytest.raises(KeyError, match=r'the tables are flows.*did you mean "flows"'):
        result.units("flow")
    with pytest.raises(KeyError, match="the tables are flows"):
        result.table("goodput")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_goes_by_its_name_as_well(result: Result, name: str) -> None:
    assert result.table(name) is getattr(result, name)
    assert name in dir(result)


def test_a_table_that_is_misspelt_is_no_attribute(result: Result) -> None:
    with pytest.raises(
        AttributeError, match=r'Result has no .retransmision. .did you mean "retransmissions"'
    ):
        result.retransmision  # noqa: B018


def test_what_was_not_recorded_is_named_with_its_cure(folder: Path) -> None:
    experiment = json.loads((folder / "manifest.json").read_text())["experiment"]
    rewrite(folder, experiment=experiment | {"probes": []}, place="host")
    for probe in ("tcp_info", "backlog", "queue"):
        cure = rf'{probe}: not recorded.*write .*probes=\{{"{probe}"\}}'
        with pytest.raises(ProbeMissingError, match=cure):
            getattr(Result(folder), probe)
    with pytest.raises(ProbeMissingError, match=r"net/netif_rx was not traced: traced are \['qdisc/"):
        Result(folder).trace("net:netif_rx")


def test_an_open_laboratory_is_not_run_again(folder: Path) -> None:
    rewrite(folder, wall_s=None)
    with pytest.raises(ProbeMissingError, match=r'open laboratory: write Lab\(..., capture=\["r1"\]\)'):
        Result(folder).packet_table("r1")


def test_a_run_again_that_is_another_run_is_refused(
    result: Result, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "rerun", lambda exp: result)
    raw = bytearray((folder / "raw").read_bytes())
    at = int(result.raw.records(Kind.FLOW).offset[0])
    raw[at + 8] ^= 1  # bytes sent
    (folder / "raw").write_bytes(raw)
    said = r"r1: not recorded, and the run again was another one: of flow .* sent was .* now it is"
    with pytest.raises(ReplayError, match=said):
        Result(folder).packet_table("r1")


def test_flows_need_no_probe(folder: Path) -> None:
    before = Result(folder).goodput()
    experiment = json.loads((folder / "manifest.json").read_text())["experiment"]
    rewrite(folder, experiment=experiment | {"probes": []})
    pd.testing.assert_series_equal(Result(folder).goodput(), before)


def test_lost_trace_events_are_said_aloud(folder: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Result(folder).tcp_probe  # noqa: B018
    raw = bytearray((folder / "raw").read_bytes())
    raw[-8:] = (41).to_bytes(8, "little")
    (folder / "raw").write_bytes(raw)
    hurt = Result(folder)
    assert hurt.lost_trace_events == 41
    with pytest.warns(UserWarning, match="41 trace events were lost"):
        hurt.tcp_probe  # noqa: B018


@pytest.mark.parametrize("name", ["saved.zip", "saved"])
def test_saving_loses_nothing(result: Result, tmp_path: Path, name: str) -> None:
    result.save(tmp_path / name)
    again = Result.load(tmp_path / name)
    assert again.digest() == result.digest()
    assert again.manifest == result.manifest
    pd.testing.assert_frame_equal(again.flows, result.flows)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_same_result_gives_the_same_file(folder: Path, tmp_path: Path) -> None:
    Result(folder).save(tmp_path / "a.zip")
    Result.load(tmp_path / "a.zip").save(tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_zip_file_leaves_no_file_that_a_kill_could_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    again = Result.load(RECORDED)
    assert not list(tmp_path.iterdir())
    assert again.flows["complete"].all()


def test_a_folder_with_something_in_it_is_not_overwritten(result: Result, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(FileExistsError, match="choose a new name"):
        result.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_result_goes_to_another_process(result: Result) -> None:
    again = pickle.loads(pickle.dumps(result))
    assert again.digest() == result.digest()


def test_a_damaged_copy_is_refused(folder: Path) -> None:
    raw = bytearray((folder / "raw").read_bytes())
    raw[1000] ^= 1
    (folder / "raw").write_bytes(raw)
    with pytest.raises(ResultFormatError, match="raw: not as it was written: copy it anew"):
        Result.load(folder)
    (folder / "raw").unlink()
    with pytest.raises(ResultFormatError, match="raw is missing"):
        Result.load(folder)


def test_half_a_zip_file_is_refused(tmp_path: Path) -> None:
    half = tmp_path / "half.zip"
    half.write_bytes(RECORDED.read_bytes()[:5000])
    with pytest.raises(ResultFormatError, match="not a whole packed result"):
        Result.load(half)


def test_a_zip_file_cannot_write_elsewhere(folder: Path, tmp_path: Path) -> None:
    rewrite(folder, files={"../escaped": {}})
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(evil, "w") as archive:
        archive.write(folder / "manifest.json", "manifest.json")
        archive.writestr("../escaped", "x")
    with pytest.raises(ResultFormatError, match="no plain file name"):
        Result.load(evil)


def test_a_newer_format_is_refused_by_name(folder: Path) -> None:
    rewrite(folder, format=3)
    with pytest.raises(ResultFormatError, match="format 3, this labkit reads 1 and 2"):
        Result(folder)


def test_a_folder_without_manifest_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ResultFormatError, match=r"no manifest\.json here"):
        Result(tmp_path)


def test_a_cut_run_keeps_what_it_has(folder: Path) -> None:
    raw = (folder / "raw").read_bytes()
    (folder / "raw").write_bytes(raw[: len(raw) // 4])
    rewrite(folder, virtual_s=None)
    cut = Result(folder)
    assert cut.raw.truncated
    assert not cut.flows["complete"].any()
    assert cut.goodput().isna().all()
    assert cut.counters["after"].isna().all()
    assert cut.virtual_s == cut.raw.last_ns / 1e9 > 0


def test_damage_in_the_middle_is_named(folder: Path) -> None:
    raw = bytearray((folder / "raw").read_bytes())
    raw[0:2] = b"\xff\xff"
    (folder / "raw").write_bytes(raw)
    with pytest.raises(RawFormatError, match="byte 0"):
        Result(folder).flows  # noqa: B018


def test_a_notebook_shows_goodput_and_end(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["layout"]["flows"][0]["name"] = "<b>"
    rewrite(folder, layout=manifest["layout"])
    shown = Result(folder)._repr_html_()
    assert "goodput, Mbit/s" in shown
    assert "complete" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    shutil.rmtree(folder)


def test_figures_are_at_hand_without_importing_them_and_loaded_when_the_first_is_drawn() -> None:
    code = f"""
import sys
from labkit import Result
result = Result.load({str(RECORDED)!r})
print("altair" in sys.modules)
print(result.charts.goodput().to_dict()["usermeta"]["labkit"]["name"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "goodput"]


def another(folder: Path) -> None:
    """Another run's result takes the place of this one's, as a run once more may do."""
    raw = (folder / "raw").read_bytes()
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "raw").write_bytes(raw[: len(raw) // 2 & ~7])
    (folder / "manifest.json").write_text(json.dumps({"format": 2}))


@pytest.mark.parametrize("fate", [another, shutil.rmtree])
def test_a_held_result_never_changes(folder: Path, fate: Callable[[Path], None], tmp_path: Path) -> None:
    whole, held = Result(folder), Result(folder)
    digest, flows, probe = whole.digest(), whole.flows, whole.tcp_probe
    fate(folder)
    assert held.digest() == digest
    pd.testing.assert_frame_equal(held.flows, flows)
    pd.testing.assert_frame_equal(held.tcp_probe, probe)
    held.save(tmp_path / "kept.zip")
    assert Result.load(tmp_path / "kept.zip").digest() == digest


def test_a_large_result_is_held_too_and_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(bytes(range(256)) * 8192)
    held = MappedFile(tmp_path / "raw")
    digest = held.sha256()
    (tmp_path / "raw").unlink()
    assert held.sha256() == digest == hashlib.sha256(bytes(range(256)) * 8192).hexdigest()
    forget(held.data[5:])
    assert bytes(held.data[:4]) == b"\0\1\2\3"


def test_a_pickled_result_whose_place_another_has_taken_is_refused(folder: Path) -> None:
    pickled = pickle.dumps(Result(folder))
    raw = (folder / "raw").read_bytes()
    (folder / "raw").unlink()
    (folder / "raw").write_bytes(raw + raw[-40:])
    rewrite(folder, files={"raw": {}})
    with pytest.raises(ResultFormatError, match="another run's result has taken its place"):
        pickle.loads(pickled)


def test_too_many_large_results_are_refused_by_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.EMFILE, "Too many open files", str(path))

    monkeypatch.setattr("labkit.decode.folder.MappedFile", full)
    with pytest.raises(ResultFormatError, match="too many large results are held at once"):
        Result(folder)
