"""The one fake of a Result that tests share is one that figures may be drawn of."""

from __future__ import annotations

from labkit.results.protocol import Run
from tests.ran import Ran


def test_it_has_all_that_figures_read() -> None:
    ran = Ran(packets={"left": Ran().drops})
    members = [name for name in vars(Run) if not name.startswith("_")]
    assert len(members) > 8
    for name in members:
        value = getattr(ran, name)
        table = value(*["left"] * (name == "packet_table")) if callable(value) else value
        assert table is not None
