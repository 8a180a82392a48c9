"""Figures of a run by name, with units: what a sweep measures, a widget sums up and a question asks for.

Each is made once in Python and once, for pages, in `web/measures/`; vocabulary.py has all of them.
"""

from __future__ import annotations

from labkit.measures.vocabulary import ALL_UNITS, as_measure
from labkit.measures.word import Word, as_words

__all__ = ["ALL_UNITS", "Word", "as_measure", "as_words"]
