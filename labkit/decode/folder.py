"""A run folder as a folder or as one .zip file: the same bytes for the same run, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from labkit.decode.mapped_file import MappedFile
from labkit.errors import LabkitError
from labkit.schema import foreign_files

MANIFEST = "manifest.json"
MANIFEST_MOST = 256 << 20
"""Bytes: of the largest network some MB."""
MANIFEST_FORMAT = 2
READABLE = (1, 2)
_OWN = "manifest_sha256"
_UNKNOWN = "0" * 64
_SEAL = re.compile(rb'"' + _OWN.encode() + rb'": "([0-9a-f]{64})"\n}\Z')
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say


class ResultFormatError(LabkitError):
    """This is no result, or not one that this version reads, or not whole; says which and what to do."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run folder. Raises ResultFormatError."""
    with _opened(folder) as inside:
        return _read_manifest(folder, inside)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """See foreign_files.folder."""
    try:
        with foreign_files.folder(folder, refused=ResultFormatError) as inside:
            yield inside
    except FileNotFoundError:
        raise ResultFormatError(f"{folder}: no such folder or file: give the folder of a run") from None


def _read_manifest(folder: Path, inside: int | None) -> dict[str, Any]:
    try:
        content = foreign_files.content(
            folder / MANIFEST, MANIFEST_MOST, inside=inside, refused=ResultFormatError
        )
    except FileNotFoundError:
        raise ResultFormatError(f"{folder}: no {MANIFEST} here: give the folder of a run") from None
    return _manifest(content, folder)


def _manifest(content: bytes, folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ResultFormatError(f"{folder / MANIFEST}: not JSON ({error}): run again") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found not in READABLE:
        known = " and ".join(map(str, READABLE))
        text = f"{folder / MANIFEST}: format {found}, this labkit reads {known}"
        raise ResultFormatError(f"{text}: open it with the labkit that wrote it, or run again")
    if (_OWN in manifest or _OWN.encode() in content) and not sealed(content):
        raise ResultFormatError(f"{folder / MANIFEST}: not as it was written: copy it anew, or run again")
    return dict(manifest)


def seal(facts: Mapping[str, Any]) -> bytes:
    """A manifest as bytes. Its last field is the SHA-256 of the whole with zeros in that field's place."""
    text = json.dumps({**facts, _OWN: _UNKNOWN}, indent=1).encode()
    digest = hashlib.sha256(text).hexdigest().encode()
    return text.removesuffix(f'{_UNKNOWN}"\n}}'.encode()) + digest + b'"\n}'


def sealed(content: bytes) -> bool:
    """Is this a manifest that `seal` has made, as it was made? Older ones have no digest: read_manifest."""
    if not (found := _SEAL.search(content)):
        return False
    blank = content[: found.start(1)] + _UNKNOWN.encode() + content[found.end(1) :]
    return hashlib.sha256(blank).hexdigest().encode() == found[1]


def files(manifest: Mapping[str, Any]) -> list[str]:
    """The files of a result: the manifest and what it lists. Raises ResultFormatError for a path."""
    listed = manifest.get("files") or {"raw": {}}
    if not isinstance(listed, dict) or not all(map(_facts, listed.values())):
        raise ResultFormatError(f"{MANIFEST}: files: no list of files with what is known of each: run again")
    names = sorted(listed)
    for name in names:
        if name != os.path.basename(name) or name in ("", ".", "..", MANIFEST) or "\\" in name:
            raise ResultFormatError(f"{MANIFEST}: files: {name!r} is no plain file name: do not trust it")
    return [MANIFEST, *names]


def _facts(known: Any) -> bool:
    """Is this what a manifest says of a file?"""
    kinds = {"size": int, "sha256": str}
    return isinstance(known, dict) and all(
        isinstance(known.get(name, kind()), kind) for name, kind in kinds.items()
    )


def hold(folder: Path) -> tuple[dict[str, Any], dict[str, MappedFile]]:
    """The manifest of a run folder, and its files, opened: they stay what they are, whatever becomes of the
    folder. Raises ResultFormatError."""
    while True:
        with _opened(folder) as inside:
            manifest = _read_manifest(folder, inside)
            held = {name: _held(folder / name, inside) for name in files(manifest)}
        if read_manifest(folder) == manifest:  # the folder of another run may have taken its place meanwhile
            return manifest, held


def _held(path: Path, inside: int | None) -> MappedFile:
    try:
        with foreign_files.opened(path, inside=inside, refused=ResultFormatError) as file:
            return MappedFile(file)
    except FileNotFoundError:
        text = f"{path.parent}: {path.name} is missing: copy the whole folder, or run again"
        raise ResultFormatError(text) from None
    except OSError as error:
        raise ResultFormatError(f"{path.parent}: cannot be opened: {_cure(error)}") from None


def _cure(error: OSError) -> str:
    if error.errno == errno.EMFILE:
        return "too many large results are held at once: keep of each what you need, or raise `ulimit -n`"
    return f"{error.strerror}: copy the whole folder, or run again"


def check(source: Path, manifest: Mapping[str, Any], held: Mapping[str, MappedFile]) -> None:
    """Are all files as they were written? Raises ResultFormatError."""
    for name, facts in (manifest.get("files") or {}).items():
        same_size = facts.get("size", len(held[name].data)) == len(held[name].data)
        if not same_size or ("sha256" in facts and held[name].sha256() != facts["sha256"]):
            raise ResultFormatError(f"{source / name}: not as it was written: copy it anew, or run again")


def sha256(path: Path, *, follow: bool = False) -> str:
    """SHA-256 of a file, in hex; of one that a link leads to, if it may be one. Raises FileNotFoundError,
    ForeignFileError."""
    with foreign_files.opened(path, follow=follow) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pack(held: Mapping[str, MappedFile], target: Path) -> None:
    """One .zip file, replaced as a whole."""
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w+b") as file, zipfile.ZipFile(file, "w") as archive:
            for name, one in held.items():
                info = zipfile.ZipInfo(name, _EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.create_system, info.external_attr = 3, 0o644 << 16
                with archive.open(info, "w", force_zip64=True) as entry:
                    for part in one.parts():
                        entry.write(part)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def hold_packed(source: Path) -> tuple[dict[str, Any], dict[str, MappedFile]]:
    """What `hold` gives, of a .zip file: unpacked into files without a name, which end with this process.
    Raises ResultFormatError."""
    try:
        with (
            foreign_files.opened(source, refused=ResultFormatError) as file,
            zipfile.ZipFile(file) as archive,
        ):
            manifest = _manifest(_entry(archive, source, MANIFEST, MANIFEST_MOST), source)
            room = shutil.disk_usage(tempfile.gettempdir()).free // 2
            held = {}
            for name in files(manifest):
                facts = (manifest.get("files") or {}).get(name, {})
                held[name] = _unpacked(archive, source, name, min(facts.get("size", room), room))
                room -= len(held[name].data)
            return manifest, held
    except FileNotFoundError:
        raise ResultFormatError(f"{source}: no such folder or file: give the folder of a run") from None
    except _NOT_WHOLE as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            text = f"{source}: no room to unpack it in {tempfile.gettempdir()}"
            raise ResultFormatError(f"{text}: make room, or name another: TMPDIR=DIR") from None
        text = f"{source}: not a whole packed result ({error}): copy it anew, or run again"
        raise ResultFormatError(text) from None


_NOT_WHOLE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError, RuntimeError, OSError)
"""What zipfile says of a file that is none, or encrypted, or compressed as no result is."""


def _sized(archive: zipfile.ZipFile, source: Path, name: str, most: int) -> zipfile.ZipInfo:
    """An entry, of which zipfile then unpacks no more than it says here. Raises ResultFormatError for one
    that is larger, or compressed in another way than `pack` does; KeyError."""
    info = archive.getinfo(name)
    if info.file_size > most:
        text = f"{name} would be unpacked to {info.file_size:,} bytes, more than {most:,}"
        raise ResultFormatError(f"{source}: {text}: do not trust it, or make room")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ResultFormatError(f"{source}: {name} is not packed as results are: run again")
    return info


def _entry(archive: zipfile.ZipFile, source: Path, name: str, most: int) -> bytes:
    return archive.read(_sized(archive, source, name, most))


def _unpacked(archive: zipfile.ZipFile, source: Path, name: str, most: int) -> MappedFile:
    info = _sized(archive, source, name, most)
    with archive.open(info) as entry, tempfile.TemporaryFile() as target:
        shutil.copyfileobj(entry, target, 1 << 20)
        return MappedFile(target)


def copy(held: Mapping[str, MappedFile], target: Path) -> None:
    """A new folder, there when it is whole. Raises FileExistsError if there is one that is not empty."""
    if target.is_dir() and any(target.iterdir()):
        raise FileExistsError(f"{target}: this folder has something in it: choose a new name")
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        for name, one in held.items():
            with (temporary / name).open("wb") as file:
                file.writelines(one.parts())
        os.chmod(temporary, 0o755)
        if os.name == "nt" and target.is_dir():  # where a folder takes the place of none
            target.rmdir()
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
