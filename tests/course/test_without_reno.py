"""Ways to have the kernel do what assignment 07 asks for: none earns a point, since what is in the kernel
grows and backs off by other numbers, and what is called by its name is seen in the compiled module."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit.course.assignment import load
from labkit.course.controls import objection
from labkit.course.draw import Draw
from labkit.course.imports import ARITHMETIC, PARTS_OF_RENO, imports, refusal
from labkit.execute.guest.custom_cc.compiling import compiled
from tests.course.whole import only_whole

FOLDER = Path(__file__).parents[2] / "assignments/07-write-reno"
CALLS = """
static u32 mine_ssthresh(struct sock *sk)
{
	return SSTHRESH(sk);
}

static void mine_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	CONG_AVOID(sk, ack, acked);
}
"""
TYPES = """
typedef u32 (*ssthresh_t)(struct sock *);
typedef void (*cong_avoid_t)(struct sock *, u32, u32);
"""
BY_OPS = """
#define SSTHRESH(sk) kernels(sk)->ssthresh(sk)
#define CONG_AVOID(sk, ack, acked) kernels(sk)->cong_avoid(sk, ack, acked)
"""
NAMED = "#define SSTHRESH tcp_reno_ssthresh\n#define CONG_AVOID tcp_reno_cong_avoid\n"
BY_NAME = {
    "called": NAMED + CALLS,
    "in a table": (
        'static struct tcp_congestion_ops table = { .name = "mine", .owner = THIS_MODULE, .ssthresh = '
        "tcp_reno_ssthresh, .cong_avoid = tcp_reno_cong_avoid, .undo_cwnd = tcp_reno_undo_cwnd,\n};\n"
    ),
    "declared by hand": (
        "extern void tcp_slow_start_of(struct tcp_sock *tp);\n#define SSTHRESH(sk) 2\n"
        "#define CONG_AVOID(sk, ack, acked) tcp_slow_start(tcp_sk(sk), acked)\n" + CALLS
    ),
    "looked up": (
        TYPES + '#define SSTHRESH(sk) ((ssthresh_t)__symbol_get("tcp_ren" "o_ssthresh"))(sk)\n'
        '#define CONG_AVOID(...) ((cong_avoid_t)__symbol_get("tcp_ren" "o_cong_avoid"))(__VA_ARGS__)\n'
        + CALLS
    ),
    "looked up by a macro": (
        TYPES
        + "#define SSTHRESH(sk) symbol_get(tcp_reno_ssthresh)(sk)\n#define CONG_AVOID(...) ({})\n"
        + CALLS
    ),
    "of another algorithm": (
        "#define SSTHRESH(sk) 2\n"
        "#define CONG_AVOID(sk, ack, acked) tcp_cong_avoid_ai(tcp_sk(sk), 10, acked)\n" + CALLS
    ),
}
AT_RUN_TIME = {
    "the list of algorithms": """
static struct tcp_congestion_ops *kernels(struct sock *sk)
{
	struct tcp_congestion_ops *mine = (void *)inet_csk(sk)->icsk_ca_ops, *one;

	list_for_each_entry(one, &mine->list, list)
		if (one->name[0] == 'r' && one->name[1] == 'e' && one->name[2] == 'n' && one->name[3] == 'o')
			return one;
	return mine;
}
"""
    + BY_OPS
    + CALLS,
    "the namespace's default": """
static const struct tcp_congestion_ops *kernels(struct sock *sk)
{
	return sock_net(sk)->ipv4.tcp_congestion_control;
}
"""
    + BY_OPS
    + CALLS,
    "the socket is handed over": """
static void mine_init(struct sock *sk)
{
	struct tcp_congestion_ops *mine = (void *)inet_csk(sk)->icsk_ca_ops, *one;

	list_for_each_entry(one, &mine->list, list)
		if (one->name[0] == 'r' && one->name[1] == 'e' && one->name[2] == 'n' && one->name[3] == 'o')
			inet_csk(sk)->icsk_ca_ops = one;
}
#define SSTHRESH(sk) 2
#define CONG_AVOID(sk, ack, acked) tcp_snd_cwnd_set(tcp_sk(sk), tcp_snd_cwnd(tcp_sk(sk)) + 1)
"""
    + CALLS,
}
REFUSED_AS_TEXT = {
    "a name on two lines": NAMED.replace("tcp_reno_cong", "tcp_re\\\nno_cong") + CALLS,
    "with a blank between": NAMED.replace("tcp_reno_cong", "tcp_re\\ \t \nno_cong") + CALLS,
    "a trigraph": NAMED.replace("tcp_reno_cong", "tcp_re??/\nno_cong") + CALLS,
    "a file": '#/**/ include "tcp_cong.c"\n' + CALLS,
    "a file by a digraph": '%: include "tcp_cong.c"\n' + CALLS,
    "a pragma": '#pragma GCC dependency "x"\n' + CALLS,
    "assembler": 'void f(void) { __asm__ volatile("call tcp_reno_cong_avoid"); }\n' + CALLS,
    "assembler by a macro of the kernel's": 'void f(void) { asm_inline("nop"); }\n' + CALLS,
}


@cache
def one() -> tuple[Any, Any, dict[str, Any]]:
    assignment = load(FOLDER)
    case = assignment.case(Draw(b"\7" * 32, assignment.name, "ada", 0))
    return assignment, case, assignment.truth(case)


@pytest.mark.parametrize("source", BY_NAME.values(), ids=BY_NAME)
def test_what_a_module_takes_by_name_is_in_its_symbol_table(source: str) -> None:
    assert not objection(source)
    assert refusal(source)


@pytest.mark.parametrize("source", REFUSED_AS_TEXT.values(), ids=REFUSED_AS_TEXT)
def test_what_reads_otherwise_than_it_compiles_is_not_compiled(source: str) -> None:
    assert objection(source)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, id=name, marks=[] if name == "the list of algorithms" else only_whole)
        for name, source in {**AT_RUN_TIME, **BY_NAME, **REFUSED_AS_TEXT}.items()
    ],
)
def test_reno_of_the_kernel_earns_nothing_however_it_is_reached(source: str) -> None:
    assignment, case, truth = one()
    assert [assignment.share(name, case, truth, source)[0] for name in assignment.rubric.questions] == [
        0,
        0,
        0,
    ]


def test_no_algorithm_of_the_kernels_has_a_students_numbers() -> None:
    """8/16 is Reno's, 11.2 CUBIC's, 12.8 Veno's, 14 Scalable's share of the window after a loss."""
    assignment = load(FOLDER)
    cases = [assignment.case(Draw(bytes([i]) * 32, assignment.name, "ada", i)) for i in range(100)]
    assert all(8 not in (case.start, case.grow, case.keep) for case in cases)
    assert not {case.keep for case in cases} & {8, 11, 13, 14}
    assert len({(case.start, case.grow, case.keep) for case in cases}) > 40


def test_the_published_solution_takes_nothing() -> None:
    assignment, case, _ = one()
    source = assignment._published(case)
    assert objection(source) == refusal(source) == ""
    taken = imports(compiled("mine", source)[1])
    assert "tcp_register_congestion_control" in taken, "which every module must"
    assert not taken & PARTS_OF_RENO
    assert not ARITHMETIC & PARTS_OF_RENO
