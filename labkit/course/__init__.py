"""Course work that grades itself: assignments with numbers of each student's own, a sandbox, a grader, a
league.

A student's notebook hands in data, in a sandbox; the grader runs nothing of the student's and computes the
truth."""

from __future__ import annotations

from labkit.course.assignment import Assignment, Case
from labkit.course.draw import Draw
from labkit.course.handing_in import hand_in
from labkit.course.rubric import Mark, Question, Rubric

__all__ = ["Assignment", "Case", "Draw", "Mark", "Question", "Rubric", "hand_in"]
