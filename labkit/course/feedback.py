"""`labkit course feedback`: a page per student, one file without a script, with the figures of their own
network."""

from __future__ import annotations

import re
from pathlib import Path

from labkit.course.assignment import Figure
from labkit.course.course_folder import Course
from labkit.course.grading import Failure, Graded, kept
from labkit.course.parallel import each

_PAGE = Path(__file__).with_name("feedback.html.j2")


def pages(
    course: Course, *, workers: int | None = None, progress: bool = True
) -> tuple[list[Path], tuple[Failure, ...]]:
    """feedback/STUDENT.html for the whole class, of the last grading; and who has none, and why. Raises
    CourseError, OSError."""
    folder, class_ = course.part("feedback"), kept(course)

    def one(graded: Graded, slot: int) -> Path | Failure:
        path = folder / f"{graded.student.student}.html"
        try:
            path.write_text(page(course, graded))
        except Exception as error:  # of the lab or the assignment: reported, by name
            return Failure.of(graded.student, error)
        return path

    found = each(class_.graded, one, workers, "written", progress)
    failed = [row for row in found if isinstance(row, Failure)]
    return [row for row in found if isinstance(row, Path)], (*class_.failed, *failed)


def page(course: Course, graded: Graded) -> str:
    """The HTML of one student's page: text that a notebook made is text there, whatever it contains."""
    import jinja2

    from labkit.charts import theme

    theme.enable()
    case = course.case(graded.student)
    figures = [
        {"said": figure.said, "text": _words(figure), "svg": _numbered(_svg(figure), number)}
        for number, figure in enumerate(course.assignment.figures(case, course.assignment.truth(case)))
    ]
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _PAGE.read_text()
    )
    return template.render(
        rubric=course.assignment.rubric, graded=graded, figures=figures, student=graded.student
    )


def _svg(figure: Figure) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(figure.chart.to_dict(), show_warnings=False)
    return svg


def _words(figure: Figure) -> str:
    """For who cannot see it: a figure of labkit's says what is to be seen."""
    said = figure.chart.description
    return said if isinstance(said, str) else figure.said


def _numbered(svg: str, figure: int) -> str:
    """Its clips have names by their place on the page, not by how many figures this process drew before."""
    names: dict[str, str] = {}
    return re.sub(r"\bclip\d+", lambda found: names.setdefault(found[0], f"clip{figure}-{len(names)}"), svg)
