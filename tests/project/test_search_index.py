"""What the search is given of a page."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from tests.site import extension

PAGE = """
Title
=====

A sentence with :math:`2/\\ln 2` in it.

After this chapter you can
--------------------------

- say something;

Section
-------

::

    code

=======  =====
a table  cells
=======  =====

jitter
  See *delay variation* and *reordering*.

queue
  A place to wait. See also *buffer*.
"""


@pytest.fixture
def page() -> nodes.document:
    return publish_doctree(PAGE)


def test_pages_are_titles_terms_and_sentences(page: nodes.document) -> None:
    assert list(extension("search_index").prose(page)) == [
        "<p>A sentence with 2/ln 2 in it.</p>",
        '<h1 id="section" data-pagefind-weight="10">Section</h1>',
        '<dt data-pagefind-weight="6">jitter</dt>',
        "<p>See delay variation and reordering.</p>",
        '<dt data-pagefind-weight="6">queue</dt>',
        "<p>A place to wait. See also buffer.</p>",
    ]


def test_a_number_is_found_with_its_unit_though_no_line_parts_them() -> None:
    page = publish_doctree("Of 5\nMbit/s it loses 5 %.")
    extension("unit_spaces").Join(page).run()
    assert "\N{NO-BREAK SPACE}%" in page.astext()
    assert list(extension("search_index").prose(page)) == ["<p>Of 5 Mbit/s it loses 5 %.</p>"]


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"2/\ln 2 = 2.885", "2/ln 2 = 2.885"),
        (r"\gamma = 1", "γ = 1"),
        (r"\frac{W}{2}", "W/2"),
        (r"W = \text{BDP} + Q", "W = BDP + Q"),
        (r"q \approx 10\,\%", "q ≈ 10 %"),
    ],
)
def test_formulas_are_typed(formula: str, text: str) -> None:
    assert extension("search_index").typed(formula) == text


def test_other_names_lead_to_every_term_that_is_meant(page: nodes.document) -> None:
    assert extension("search_index").other_names(page) == {"jitter": ["delay variation", "reordering"]}
