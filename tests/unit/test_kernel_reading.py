"""kernel_source: definitions found in a tree that looks like the kernel's."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from labkit.errors import SetupError, SpecError
from labkit.execute.guest.kernel import reading

HEADER = """struct other;

/* A table.
 * Of callbacks.
 */
struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
} ____cacheline_aligned_in_smp;

int after(void);
"""
SOURCE = """static const int bbr_pacing_gain[] = {
	5, 3,
};

static void helper(struct sock *sk);

/* Half of it. */
__bpf_kfunc u32 tcp_reno_ssthresh(struct sock *sk)
{
	if (sk) {
		helper(sk);
	}
	return max(cwnd >> 1U, 2U);
}

static void helper(struct sock *sk)
{
}
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder, name, text in (("include/net", "tcp.h", HEADER), ("net/ipv4", "tcp_cong.c", SOURCE)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(text)
    monkeypatch.setattr(reading, "kernel", lambda: SimpleNamespace(tree=tmp_path))
    return tmp_path


def test_a_whole_file_is_its_text() -> None:
    assert reading.kernel_source("tcp_cong.c") == SOURCE


def test_a_struct_comes_with_the_comment_before_it_and_ends_where_it_ends() -> None:
    text = reading.kernel_source("tcp.h", "tcp_congestion_ops")
    assert text.startswith("/* A table.") and text.endswith("} ____cacheline_aligned_in_smp;\n")


def test_a_function_has_its_whole_body() -> None:
    text = reading.kernel_source("tcp_cong.c", "tcp_reno_ssthresh")
    assert text.startswith("/* Half of it. */") and text.endswith("2U);\n}\n")


def test_an_array_is_a_definition_and_a_declaration_is_none() -> None:
    assert reading.kernel_source("tcp_cong.c", "bbr_pacing_gain").endswith("};\n")
    assert reading.kernel_source("tcp_cong.c", "helper") == "static void helper(struct sock *sk)\n{\n}\n"


@pytest.mark.parametrize(
    ("file", "name", "said"),
    [
        ("tcp_cong.c", "tcp_reno", "does not define tcp_reno"),
        ("tcp_new.c", None, "there are tcp_cong.c"),
        ("../../x.c", None, "no such file"),
    ],
)
def test_what_is_not_there_is_named(file: str, name: str | None, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        reading.kernel_source(file, name)


def test_a_kernel_without_its_source_says_how_to_get_it(tree: Path) -> None:
    (tree / "net/ipv4/tcp_cong.c").unlink()
    (tree / "net/ipv4").rmdir()
    with pytest.raises(SetupError, match="labkit kernel build"):
        reading.kernel_source("tcp.h")
