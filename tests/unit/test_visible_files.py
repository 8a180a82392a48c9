"""files=: where commands may see files of the user's, and what an experiment without them is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labkit import Command, Experiment, pair
from labkit.errors import SpecError
from labkit.execute.run import visible_files

NET = pair(delay="1ms")


def with_files(files: Any) -> Experiment:
    return Experiment(NET, duration="1ms", files=files)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"/usr/share/data": "x"}, "would hide /usr of the system"),
        ({"/etc": "x"}, "would hide /etc"),
        ({"/home": "x"}, "would hide /home: choose a place in it"),
        ({"/": "x"}, "a whole path"),
        ({"data": "x"}, "a whole path"),
        ({"/data/../etc": "x"}, "a whole path"),
        ({"/data/": "x"}, "a whole path"),
        ({"/data": "x", "/data/more": "y"}, "lies in /data"),
        ({"/data": ""}, "must be the path"),
        ("/data", "must be like"),
    ],
)
def test_places_that_hide_something_are_refused(files: Any, what: str) -> None:
    with pytest.raises(SpecError, match=what):
        with_files(files)


def test_an_experiment_without_them_is_known_as_before() -> None:
    plain = Experiment(NET, commands=[Command("left", "true")])
    assert plain.digest() == "914b2d45f3c4016bedc483d11001348b8110d13b70464fe62884befbb5764360"
    assert "files" not in plain.to_json() and "privileged" not in plain.to_json()
    assert (
        with_files({"/data": "x"}).digest() != with_files({"/data": "y"}).digest() != with_files({}).digest()
    )


def test_the_digest_is_of_names_contents_and_what_runs(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    exp = with_files({"/data": tmp_path})
    seen = [visible_files.digests(exp)]
    (tmp_path / "a").chmod(0o755)
    seen.append(visible_files.digests(exp))
    (tmp_path / "a").write_text("2")
    seen.append(visible_files.digests(exp))
    (tmp_path / "a").rename(tmp_path / "b")
    seen.append(visible_files.digests(exp))
    (tmp_path / "c").symlink_to("b")
    seen.append(visible_files.digests(exp))
    assert len({digest["/data"] for digest in seen}) == 5
    assert visible_files.digests(exp) == seen[-1]


def test_what_changes_while_a_run_begins_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    exp = with_files({"/data": tmp_path / "a"})
    lay = visible_files.contents(exp, visible_files.digests(exp))["shown0"]
    (tmp_path / "a").write_text("2")
    assert callable(lay)
    with pytest.raises(SpecError, match="changed while the run began"):
        lay(tmp_path / "copy")


def test_too_much_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visible_files, "MOST_BYTES", 3)
    (tmp_path / "a").write_text("1234")
    with pytest.raises(SpecError, match="larger than"):
        visible_files.digests(with_files({"/data": tmp_path}))
    monkeypatch.setattr(visible_files, "MOST_FILES", 1)
    with pytest.raises(SpecError, match="more than 1 files"):
        visible_files.digests(with_files({"/data": tmp_path}))
