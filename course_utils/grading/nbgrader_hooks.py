"""How a class plugs into nbgrader: called by the class's own `nbgrader_config.py`.

`nbgrader autograde`, formgrader's button and `course grade` run the same `driver`. nbgrader has
no setting for the class that autogrades, and its own would copy links out of a submission, skip
renamed notebooks and stop at a duplicated cell before any preprocessor is asked; so `configure`
puts `CourseAutograde` in its place. For assignments that are no lesson of a class it does what
nbgrader does.
"""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbgrader.api import Gradebook
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, GetGrades

from course_utils.errors import UserError
from course_utils.grading.classroom import is_class, read_assignment, read_class
from course_utils.grading.driver import Places, Summary, grade_class
from course_utils.grading.feedback import feedback_page
from course_utils.grading.record import Recorder
from course_utils.grading.submission import students_of


def configure(c: Any, config_file: str) -> None:
    """Set up nbgrader for the class whose `nbgrader_config.py` calls this.

    Args:
        c: nbgrader's configuration object.
        config_file: path of that file.
    """
    folder = Path(config_file).resolve().parent
    settings = read_class(folder)
    c.CourseDirectory.root = str(folder)
    c.CourseDirectory.course_id = settings.course_id
    if settings.exchange:
        c.Exchange.root = settings.exchange
    c.ClearSolutions.code_stub = {"python": settings.code_stub}
    c.GenerateFeedback.exporter_class = FeedbackExporter
    c.GenerateFeedback.preprocessors = [GetGrades]
    c.GenerateFeedback.force = True
    for module in (autogradeapp, api):
        if not issubclass(module.Autograde, Autograde):
            raise UserError("This version of nbgrader is not the one that the course knows.")
        module.Autograde = CourseAutograde


class CourseAutograde(Autograde):
    """nbgrader's autograde, with the lessons of a class graded by the course's own driver."""

    def start(self) -> None:
        """Grade the submissions that nbgrader's options name."""
        folder, lesson = Path(self.coursedir.root), self.coursedir.assignment_id
        if not is_class(folder) or lesson not in read_class(folder).lessons:
            super().start()
            return
        try:
            summary = self._grade(folder, lesson)
        except UserError as problem:
            self.log.error("%s", problem)
            raise NbGraderException(str(problem)) from problem
        self._report(summary)

    def _grade(self, folder: Path, lesson: str) -> Summary:
        assignment = read_assignment(folder, lesson, self._path("release", "."))
        late = AssignLatePenalties(parent=self)
        late.init_plugin()
        places = Places(
            lambda student: self._path("submitted", student),
            lambda student: self._path("autograded", student),
            int(str(self.permissions), 8),
        )
        students = self._students(lesson)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            recorder = Recorder(gradebook, lesson, late, self.create_student)
            return grade_class(
                assignment, students, places, recorder, force=self.force, log=self.log
            )

    def _path(self, step: str, student: str) -> Path:
        name = getattr(self.coursedir, f"{step}_directory")
        return Path(self.coursedir.format_path(name, student, self.coursedir.assignment_id))

    def _students(self, lesson: str) -> list[str]:
        """Who handed in, as far as `--student` asks for them (a name or a pattern)."""
        asked = self.coursedir.student_id
        excluded = set(self.coursedir.student_id_exclude.split(","))
        found = list(students_of(self._path("submitted", "*").parent.parent, lesson))
        named = [s for s in found if s == asked] or fnmatch.filter(found, asked)
        if not named:
            raise UserError(f"No submission of {lesson} by {asked!r} is in the submitted folder.")
        return [student for student in named if student not in excluded]

    def _report(self, summary: Summary) -> None:
        self.log.info(
            "Graded %d submissions; %d had nothing new; %d failed",
            len(summary.graded),
            len(summary.skipped),
            len(summary.failed),
        )
        if summary.failed:
            for student, problem in summary.failed.items():
                self.log.error("%s could not be graded: %s", student, problem)
            raise NbGraderException("some submissions could not be graded")


class FeedbackExporter(Exporter):
    """Turns a graded notebook into the course's feedback page."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> Any:
        """The page of a notebook whose cells carry scores and comments (see GetGrades)."""
        notebook, resources = super().from_notebook_node(nb, resources, **options)
        return feedback_page(notebook, resources.get("nbgrader", {})), resources
