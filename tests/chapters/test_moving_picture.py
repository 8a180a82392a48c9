"""The README's moving picture is of the experiment that its script has, and is drawn the same again."""

from __future__ import annotations

import pytest

from labkit import run
from labkit.execute.guest.kernel.build import kernel
from scripts import moving_picture


def test_the_picture_is_drawn_the_same_again() -> None:
    kept = moving_picture.FILE.read_text(encoding="utf-8")
    if f"Linux {kernel().release}:" not in kept:
        pytest.skip("the picture is of another kernel's run")
    assert moving_picture.picture(run(moving_picture.EXPERIMENT)) == kept, "python -m scripts.moving_picture"
