"""A public name that is called otherwise goes on for one release, with a warning that says the new one."""

from __future__ import annotations

import re

import pytest

import labkit
import labkit.models
from labkit.models import arguments


def test_an_old_name_warns_and_is_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(labkit._OLD_NAMES, "two_hosts", ("pair", "0.2"))
    for _ in range(2):  # the second time as well
        with pytest.warns(DeprecationWarning, match=r"labkit\.two_hosts is labkit\.pair since 0\.2") as said:
            found = labkit.two_hosts
        assert found is labkit.pair
        assert said[0].filename == __file__


def test_old_names_are_no_new_ones_and_lead_to_one() -> None:
    assert not labkit._OLD_NAMES.keys() & set(labkit.__all__)
    assert {new for new, _ in labkit._OLD_NAMES.values()} <= set(labkit.__all__)
    assert all(re.fullmatch(r"\d+\.\d+", since) for _, since in labkit._OLD_NAMES.values())


def test_an_old_name_of_a_models_module_warns_and_is_the_new_one() -> None:
    with pytest.warns(
        DeprecationWarning, match=r"models\.given is labkit\.models\.arguments since 0\.2"
    ) as said:
        found = labkit.models.given
    assert found is arguments
    assert said[0].filename == __file__
    with pytest.raises(AttributeError, match=r"module 'labkit\.models' has no attribute 'taken'"):
        _ = labkit.models.taken


def test_a_name_that_never_was_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'labkit' has no attribute 'two_hosts'"):
        _ = labkit.two_hosts
