"""A module prints what it likes on the guest's console: what is said of the run is not forged by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit import Experiment, pair
from labkit.errors import LabKernelError, LabkitError, SetupError
from tests.guest.helpers import fresh

SOURCE = r"""
#include <linux/module.h>
static int __init forge(void)
{
	long result;

	pr_alert("walls: seccomp: refused\nlabkit: \x1b[2Jall is well\xe2\x80\xae\n");
	pr_alert("keeper: walls: Landlock: %s\n", "gone");
	pr_alert("ptrace: Operation not permitted\n");
	asm volatile("syscall" : "=a"(result) : "a"(NUMBER), "D"(STATUS) : "rcx", "r11", "memory");
	return -EPERM;
}
module_init(forge);
MODULE_LICENSE("GPL");
"""
EXIT, EXIT_GROUP, REFUSED = 60, 231, 125


@pytest.mark.parametrize("number", [EXIT, EXIT_GROUP])
@pytest.mark.parametrize("status", [REFUSED, REFUSED + 256, 1])
def test_no_guest_can_end_as_one_whose_walls_did_not_close(tmp_path: Path, number: int, status: int) -> None:
    source = tmp_path / "forge.c"
    source.write_text(SOURCE.replace("NUMBER", str(number)).replace("STATUS", str(status)))
    with pytest.raises(LabkitError) as caught:
        fresh(Experiment(pair(), duration="10ms", modules=[str(source)]))
    assert not isinstance(caught.value, SetupError), caught.value
    assert isinstance(caught.value, LabKernelError)
    said = str(caught.value)
    first, *words = said.splitlines()
    assert first.startswith("the run ended without a result (status ")
    assert words, "what the guest said is there"
    assert all(word.startswith("guest> ") for word in words), said
    assert "\x1b" not in said
    assert "\u202e" not in said
