"""What is tried of both lab kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labkit.errors import SetupError
from labkit.execute.default_place import SETTING
from labkit.execute.wasm.engine import engine


@pytest.fixture(scope="module", params=["guest", "wasm"])
def each_kernel(request: pytest.FixtureRequest, own_cache: object) -> Iterator[str]:
    """Experiments that name no place run there."""
    if request.param == "wasm":
        try:
            engine()
        except SetupError as none:
            pytest.skip(str(none))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, request.param)
        yield request.param
