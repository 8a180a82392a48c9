"""The glossary: a term that a page links is defined, once; a chapter links terms where they first come."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import pytest
import yaml

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*-*.md"))
PAGES = sorted((ROOT / "book").glob("*.md"))
GLOSSARY = ROOT / "book" / "glossary.md"
FEWEST = 10  # terms that a chapter links; the fewest of those read again so far is twelve

LINK = re.compile(r"\{term\}`([^`]+)`")
UNREAD = re.compile(
    r"<!--.*?-->|^```.*?^```$|^:::\{(?:quiz|solution)\}.*?^:::$|^## After this chapter.*?^(?=#)"
    r"|^#.*?$|^:[\w-]+:.*?$|^%.*?$",
    re.DOTALL | re.MULTILINE,
)
"""Not running text: comments, code and figures, quizzes, what is folded, goals, headings, options."""


def entries(glossary: str) -> dict[str, str]:
    """term -> its definition. A term that is defined twice is a fault of the page."""
    found: dict[str, str] = {}
    for block in re.findall(r"^```\{glossary\}\n(.*?)^```$", glossary, re.DOTALL | re.MULTILINE):
        for term, definition in re.findall(r"^(\S.*)\n((?:  .*\n|\n)+)", block, re.MULTILINE):
            assert term.casefold() not in map(str.casefold, found), f"{term}: defined twice"
            found[term] = " ".join(definition.split())
    return found


def linked(text: str) -> list[tuple[str, str]]:
    """(as it is written, the term that is meant) of each link to the glossary, in their order."""
    inner = [" ".join(one.split()) for one in LINK.findall(text)]
    parts = [re.fullmatch(r"(.*?)\s*<(.+)>", one) for one in inner]
    return [(p[1], p[2]) if p else (one, one) for one, p in zip(inner, parts, strict=True)]


def prose(source: str) -> str:
    """A chapter's running text."""
    cells = jupytext.reads(source, fmt="md:myst").cells
    return UNREAD.sub("", "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))


def fault(source: str) -> str:
    """What is wrong with a chapter's links to the glossary; "" if nothing is."""
    text = prose(source)
    links = linked(text)
    terms = [term.casefold() for _, term in links]
    if len(terms) < FEWEST:
        return f"links {len(terms)} terms of the glossary, {FEWEST} are the fewest: {{term}}`...`"
    if twice := sorted({term for term in terms if terms.count(term) > 1}):
        return f"links more than once, and once is enough: {', '.join(twice)}"
    if late := [term for written, term in links if comes_before_its_link(written, text)]:
        return f"links not where they first come: {', '.join(late)}"
    return ""


def comes_before_its_link(written: str, text: str) -> bool:
    """Whether the text has these words, as words, somewhere before the link that has them."""
    flat = re.sub(r"\s+", " ", text)
    link = re.search(r"\{term\}`" + re.escape(written) + r"\s*[`<]", flat)
    before = LINK.sub("", flat[: link.start()]) if link else flat
    return bool(re.search(rf"(?<![\w-]){re.escape(written)}(?![\w-])", before, re.IGNORECASE))


def test_every_linked_term_has_an_entry() -> None:
    known = {term.casefold() for term in entries(GLOSSARY.read_text(encoding="utf-8"))}
    for page in [*CHAPTERS, *PAGES]:
        terms = [term for _, term in linked(page.read_text(encoding="utf-8"))]
        assert not [term for term in terms if term.casefold() not in known], page.name


def test_entries_stand_in_the_order_of_the_alphabet_below_their_letters() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    terms = list(entries(text))
    assert terms == sorted(terms, key=str.casefold)
    for section in text.split("\n## ")[1:]:
        assert {term[0].upper() for term in entries(section)} == {section[0]}


def test_a_definition_is_a_few_sentences() -> None:
    for term, definition in entries(GLOSSARY.read_text(encoding="utf-8")).items():
        assert definition.endswith((".", ")")), term
        assert len(re.findall(r"\.(?= [A-Z{`]|$)", definition)) <= 4, term


def test_another_name_points_at_a_definition() -> None:
    all_entries = entries(GLOSSARY.read_text(encoding="utf-8"))
    by_name = {term.casefold(): definition for term, definition in all_entries.items()}
    names = {t: d for t, d in all_entries.items() if re.fullmatch(r"See \{term\}`[^`]+`.*", d)}
    assert len(names) > 40
    for term, definition in names.items():
        (_, target), *_ = linked(definition)
        assert target.casefold() != term.casefold()
        assert not by_name[target.casefold()].startswith("See {term}"), f"{term} -> {target} -> another name"


def test_glossary_and_index_are_in_the_contents() -> None:
    contents = yaml.safe_load((ROOT / "book/_toc.yml").read_text(encoding="utf-8"))
    reference = next(part for part in contents["parts"] if part["caption"] == "Reference")
    assert {"book/glossary", "genindex"} <= {entry["file"] for entry in reference["chapters"]}


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_links_its_terms_each_once_where_it_first_comes(source: Path) -> None:
    found = fault(source.read_text(encoding="utf-8"))
    assert not found, found


def test_no_source_is_in_the_bibliography_twice() -> None:
    keys = re.findall(
        r"^@\w+\{([^,]+),", (ROOT / "book/references.bib").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert not sorted({key for key in keys if keys.count(key) > 1})


# The rules, on chapters that are made up

HEAD = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n---\n\n"
TEN = " ".join(f"{{term}}`t{n}`" for n in range(9)) + " and {term}`the {tenth} ones <t9>`.\n"


def test_ten_links_are_enough() -> None:
    assert fault(HEAD + TEN) == ""
    assert "links 9 terms" in fault(HEAD + TEN.replace("{term}`t0`", "t0"))


def test_a_term_is_linked_once() -> None:
    assert fault(f"{HEAD}{TEN}\n{{term}}`more <T3>`\n") == "links more than once, and once is enough: t3"


def test_a_term_is_linked_where_it_first_comes() -> None:
    assert fault(f"{HEAD}T3 first.\n\n{TEN}") == "links not where they first come: t3"
    unread = ":::{quiz} T3?\n- [x] t3\n:::\n\n## After this chapter you can\n\n- t3;\n\n## On\n"
    assert fault(f"{HEAD}{unread}\n{TEN}") == ""
    assert fault(f"{HEAD}```{{code-cell}} ipython3\nt3\n```\n\n{TEN}") == ""
