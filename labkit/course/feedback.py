"""`labkit course feedback`: a page per student, one file without a script, with the figures of their own
network."""

from __future__ import annotations

import re
from pathlib import Path

from labkit.course.at_once import each
from labkit.course.course_folder import Course
from labkit.course.grading import Graded, kept

_PAGE = Path(__file__).with_name("feedback.html.j2")


def pages(course: Course, *, workers: int | None = None, progress: bool = True) -> list[Path]:
    """feedback/STUDENT.html for the whole class, of the last grading. Raises CourseError, LabkitError."""
    folder = course.part("feedback")

    def one(graded: Graded, slot: int) -> Path:
        path = folder / f"{graded.student.student}.html"
        path.write_text(page(course, graded))
        return path

    return each(kept(course), one, workers, "written", progress)


def page(course: Course, graded: Graded) -> str:
    """The HTML of one student's page: text that a notebook made is text there, whatever it contains."""
    import jinja2
    import vl_convert

    from labkit.charts import theme

    theme.enable()
    case = course.case(graded.student)
    figures = [
        (figure.said, _numbered(vl_convert.vegalite_to_svg(figure.chart.to_dict(), show_warnings=False), n))
        for n, figure in enumerate(course.assignment.figures(case, course.assignment.truth(case)))
    ]
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _PAGE.read_text()
    )
    return template.render(
        rubric=course.assignment.rubric, graded=graded, figures=figures, student=graded.student
    )


def _numbered(svg: str, figure: int) -> str:
    """Its clips have names by their place on the page, not by how many figures this process drew before."""
    names: dict[str, str] = {}
    return re.sub(r"\bclip\d+", lambda found: names.setdefault(found[0], f"clip{figure}-{len(names)}"), svg)
