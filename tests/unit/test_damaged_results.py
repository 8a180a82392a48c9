"""A result that is not as it was written is noticed, wherever it was changed: its raw file, its manifest."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.decode.folder import MANIFEST, ResultFormatError, read_manifest, sealed
from labkit.execute.artifacts import store
from labkit.execute.run.execution import write_manifest

FACTS = {
    "format": 2,
    "seed": 1,
    "versions": {"labkit": "0.2", "python": "3.12"},
    "layout": {"hosts": {"left": {"ns": 0, "address": "10.0.1.1"}}, "ways": list(range(40))},
    "experiment": {"topology": {"links": [{"a": "left", "b": "right", "rate": 1e7}]}, "manifest_sha256": "x"},
    "virtual_s": 0.25,
    "end": {"reason": "complete"},
}
HOW: dict[str, Callable[[bytearray, random.Random], object]] = {
    "a bit is another": lambda b, r: b.__setitem__(at := r.randrange(len(b)), b[at] ^ 1 << r.randrange(8)),
    "a byte is another": lambda b, r: b.__setitem__(
        at := r.randrange(len(b)), (b[at] + r.randrange(1, 256)) % 256
    ),
    "a byte is gone": lambda b, r: b.__delitem__(r.randrange(len(b))),
    "a byte is more": lambda b, r: b.insert(r.randrange(len(b) + 1), r.randrange(256)),
    "the end is gone": lambda b, r: b.__delitem__(slice(r.randrange(len(b)), None)),
    "only zeros": lambda b, r: b.__setitem__(slice(None), bytes(len(b))),
    "longer": lambda b, r: b.extend(b"\n"),
}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    return make(tmp_path / "made", FACTS)


def make(folder: Path, facts: dict[str, object]) -> dict[str, bytes]:
    folder.mkdir()
    (folder / "raw").write_bytes(bytes(range(256)) * 8)
    write_manifest(folder, facts)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put(kept: dict[str, bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "name"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in kept.items():
        (folder / name).write_bytes(content)
    return folder


def test_what_is_whole_is_found_and_read(kept: dict[str, bytes], tmp_path: Path) -> None:
    folder = put(kept, tmp_path)
    assert store.find("name") == folder
    manifest = read_manifest(folder)
    assert {name: manifest[name] for name in FACTS} == FACTS
    assert list(manifest)[-1] == "manifest_sha256"


@pytest.mark.parametrize("file", ["raw", MANIFEST])
@pytest.mark.parametrize("how", HOW)
def test_each_of_200_damages_is_noticed(how: str, file: str, kept: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(how + file)
    for _ in range(200):
        damaged = bytearray(kept[file])
        HOW[how](damaged, chance)
        folder = put({**kept, file: bytes(damaged)}, tmp_path)
        assert store.find("name") is None
        assert not folder.exists()


@pytest.mark.parametrize("how", ["a bit is another", "a byte is gone", "longer"])
def test_a_saved_result_with_a_damaged_manifest_is_refused(
    how: str, kept: dict[str, bytes], tmp_path: Path
) -> None:
    chance = random.Random(how)
    for _ in range(50):
        damaged = bytearray(kept[MANIFEST])
        at = damaged.rindex(b'"manifest_sha256"')
        facts = damaged[:at]
        HOW[how](facts, chance)
        folder = put({**kept, MANIFEST: bytes(facts + damaged[at:])}, tmp_path)
        with pytest.raises(ResultFormatError, match=r"not JSON|not as it was written|format"):
            read_manifest(folder)


def test_a_manifest_from_before_there_was_a_digest_is_read_but_not_served(tmp_path: Path) -> None:
    old = json.dumps({**FACTS, "experiment": {}}, indent=1).encode()
    folder = put({MANIFEST: old, "raw": b""}, tmp_path)
    assert read_manifest(folder)["seed"] == 1
    assert not sealed(old)
