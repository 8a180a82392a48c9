"""What is made of the agent's headers is what they say now; the compiler lays their structs out the same way;
what this cannot read in a header is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import c_header, formats
from scripts.c_header import Header, HeaderError


@pytest.fixture(scope="module")
def headers() -> tuple[Header, Header]:
    return formats.headers()


@pytest.mark.parametrize("path", formats.made(), ids=lambda path: path.name)
def test_what_is_made_of_the_headers_is_current(path: Path) -> None:
    assert path.read_text() == formats.made()[path], "run: python -m scripts.formats"


def test_a_compiler_has_every_field_and_number_of_the_headers_where_this_has_it(
    headers: tuple[Header, Header],
) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler here: apt-get install gcc libc6-dev")
    claims = ['#include "raw_format.h"']
    for header in headers:
        for name, struct in header.structs.items():
            claims.append(f"IS({name}, {struct.size});")
            for field in struct.fields:
                claims.append(f"AT({name}, {field.name}, {field.at});")
                claims.append(_claim(f"sizeof(((struct {name} *)0)->{field.name}) == {field.size}"))
        numbers = [*header.constants.values(), *(one for enum in header.enums.values() for one in enum)]
        claims += [_claim(f"{one.name} == {one.value}") for one in numbers]
    assert len(claims) > 400
    command = ["cc", "-std=gnu11", f"-I{formats.SOURCES}", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input="\n".join(claims), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _claim(text: str) -> str:
    return f'_Static_assert({text}, "");'


def test_every_type_of_record_that_begins_with_a_struct_says_which(headers: tuple[Header, Header]) -> None:
    _, raw = headers
    without = [one.name for one in raw.enums[formats.RAW] if not one.about.startswith("struct ")]
    assert without == ["R_TRACE", "R_DROP"], "the comment of the others names it"


@pytest.mark.parametrize("gone", ["<!-- formats: numbers of a raw file -->", "<!-- formats: end -->"])
def test_a_table_that_has_no_place_in_the_reference_is_missed(
    headers: tuple[Header, Header], gone: str
) -> None:
    page = formats.REFERENCE.read_text().replace(gone, "")
    with pytest.raises(
        HeaderError, match=r"FORMAT\.md: no <!-- formats: .* --> \.\.\. <!-- formats: end -->"
    ):
        formats.reference(page, *headers)


GOOD = """
/* Of several structs. */
#define FEW 1
struct inner {
	uint32_t a, b; /* of both */
};
#define MANY 2
/* Above the
 * struct. */
struct outer {
	struct inner inner;
	uint64_t list[MANY];
	union {
		uint32_t one; /* the first */
		uint32_t other;
	};
	char name[4];
};
enum kind { A = 3, /* of A */
	B };
IS(outer, 32); AT(outer, list, 8);
"""


def test_fields_have_their_places_and_comments() -> None:
    header = c_header.read(GOOD)
    outer = header.structs["outer"]
    assert [(one.name, one.type, one.count, one.at, one.size, one.again) for one in outer.fields] == [
        ("inner", "inner", 1, 0, 8, False),
        ("list", "uint64_t", 2, 8, 16, False),
        ("one", "uint32_t", 1, 24, 4, False),
        ("other", "uint32_t", 1, 24, 4, True),
        ("name", "char", 4, 28, 4, False),
    ]
    assert (outer.size, outer.about) == (32, "Above the struct.")
    assert header.structs["inner"].about == ""
    assert header.beside[outer.fields[2].line] == "the first"
    assert [(one.name, one.value, one.about) for one in header.enums["kind"]] == [
        ("A", 3, "of A"),
        ("B", 4, ""),
    ]
    assert header.constants["MANY"].value == 2


def test_a_struct_that_another_header_has_is_known() -> None:
    header = c_header.read("struct more { struct inner inner; uint64_t n[MANY]; };", c_header.read(GOOD))
    assert header.structs["more"].size == 24


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("struct x { uint8_t a; uint32_t b; };", "line 1: b lies at 1: in C there is a gap before it"),
        ("struct x { uint64_t a; uint32_t b; };", "line 1: a struct of 12 bytes: in C there is a gap"),
        ("struct x {\n\tunsigned a;\n};", "line 2: a: unsigned is of no fixed width"),
        ("struct x {\n\tuint32_t *a;\n};", "line 2: a: no plain field"),
        ("struct x { uint32_t a : 3; };", "line 1: a: no plain field"),
        ("union x { uint32_t a; };", "line 1: neither a struct nor an enum"),
        ("#define DOUBLED(x) 2 * x", "line 1: .*a constant is #define NAME NUMBER"),
        ("struct x { uint32_t a; };\nIS(x, 8);", "struct x: its size: 4, asserted: 8"),
        ("struct x { uint32_t a, b; };\nAT(x, b, 8);", "struct x: b: 4, asserted: 8"),
        ("IS(x, 8);", "struct x is asserted, and there is none"),
        ("struct x { union { uint32_t a; uint64_t b; }; };", "line 1: b is not as long as a"),
    ],
)
def test_what_is_not_read_here_is_refused_with_its_line(wrong: str, said: str) -> None:
    with pytest.raises(HeaderError, match=said):
        c_header.read(wrong)


def test_names_that_do_not_count_from_zero_are_refused() -> None:
    header = c_header.read("#define RULE_A 0\n#define RULE_B 2\nenum program_type { P_A };")
    raw = c_header.read("enum raw_type { R_A };")
    with pytest.raises(HeaderError, match=r"RULE_\*: they count from 0"):
        formats.python(header, raw)
