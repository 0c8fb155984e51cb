"""How a class plugs into nbgrader: called by the class's own `nbgrader_config.py`.

`nbgrader autograde`, formgrader's button and `course grade` run the same `driver`. nbgrader has
no setting for the class that autogrades, and its own would copy links out of a submission, skip
renamed notebooks and stop at a duplicated cell before any preprocessor is asked; so `configure`
puts `CourseAutograde` in its place. For assignments that are no lesson of a class it does what
nbgrader does.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbconvert.exporters import Exporter
from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, GetGrades

from course_utils.errors import UserError
from course_utils.grading import database
from course_utils.grading.classroom import (
    is_class,
    read_assignment,
    read_class,
)
from course_utils.grading.confined import Runners
from course_utils.grading.driver import LOG, Event, Places, Plan, Summary, grade_class
from course_utils.grading.exchange import CourseCollect, CourseReleaseFeedback
from course_utils.grading.export import CourseExport
from course_utils.grading.feedback import feedback_page
from course_utils.grading.prose import TEMPLATES
from course_utils.grading.record import Recorder
from course_utils.grading.submission import shown_name, students_of
from course_utils.grading.zip_collect import CourseCollector, CourseExtractor

if TYPE_CHECKING:
    from course_utils.grading.cluster import Cluster


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
    c.HTMLExporter.extra_template_basedirs = TEMPLATES  # the grading page, without a network
    c.HTMLExporter.filters = {"markdown2html": "course_utils.grading.prose.prose_to_html"}
    c.ExchangeFactory.collect = CourseCollect
    c.ExchangeFactory.release_feedback = CourseReleaseFeedback
    c.ExportApp.plugin_class = CourseExport
    c.ZipCollectApp.extractor_plugin = CourseExtractor
    c.ZipCollectApp.collector_plugin = CourseCollector
    database.configured()
    for module in (autogradeapp, api):
        if not issubclass(module.Autograde, Autograde):
            raise UserError("This version of nbgrader is not the one that the course knows.")
        module.Autograde = CourseAutograde


def runners_of(scheduler: str, unconfined: bool, hidden: Sequence[Path]) -> Runners | Cluster:
    """What runs learners' code: this machine, or the cluster of a Dask scheduler."""
    if not scheduler:
        return Runners(unconfined, hidden)
    from course_utils.grading.cluster import Cluster

    return Cluster(scheduler, unconfined, hidden)


class CourseAutograde(Autograde):
    """nbgrader's autograde, with the lessons of a class graded by the course's own driver."""

    plan = Plan()

    def start(self) -> None:
        """Grade the submissions that nbgrader's options name."""
        folder, lesson = Path(self.coursedir.root), self.coursedir.assignment_id
        if not is_class(folder) or lesson not in read_class(folder).lessons:
            super().start()
            return
        LOG.parent = self.log
        plan = replace(self.plan, force=self.force, notice=self._notice)
        try:
            summary = self.grade(plan)
        except UserError as problem:
            self.log.error("%s", problem)
            raise NbGraderException(str(problem)) from problem
        counts = [summary.count(status) for status in ("graded", "skipped", "failed")]
        self.log.info("Graded %d submissions; %d had nothing new; %d failed", *counts)
        if summary.failures:
            raise NbGraderException("some submissions could not be graded")

    def grade(self, plan: Plan, students: Sequence[str] | None = None) -> Summary:
        """Grade by `plan` what the options name, or these students' submissions.

        Raises:
            UserError: it cannot be done; the text says what to do.
        """
        folder, lesson = Path(self.coursedir.root), self.coursedir.assignment_id
        assignment = read_assignment(folder, lesson, self.path("release", "."))
        late = AssignLatePenalties(parent=self)
        late.init_plugin()
        places = Places(
            lambda student: self.path("submitted", student),
            lambda student: self.path("autograded", student),
            int(str(self.permissions), 8),
        )
        students = self.students(lesson) if students is None else students
        settings = read_class(folder)
        hidden = [folder, *([Path(settings.exchange)] if settings.exchange else [])]
        with (
            runners_of(plan.scheduler, settings.unconfined, hidden) as runners,
            database.open_gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook,
        ):
            recorder = Recorder(gradebook, lesson, late, self.create_student)
            return grade_class(assignment, students, places, recorder, runners, plan)

    def path(self, step: str, student: str) -> Path:
        """The lesson's folder of a student at one of nbgrader's steps."""
        name = getattr(self.coursedir, f"{step}_directory")
        return Path(self.coursedir.format_path(name, student, self.coursedir.assignment_id))

    def students(self, lesson: str) -> list[str]:
        """Who handed in, as far as `--student` asks for them (a name or a pattern)."""
        asked = self.coursedir.student_id
        excluded = set(self.coursedir.student_id_exclude.split(","))
        found = list(students_of(self.path("submitted", "*").parent.parent, lesson))
        named = [s for s in found if s == asked] or fnmatch.filter(found, asked)
        if not named:
            raise UserError(f"No submission of {lesson} by {asked!r} is in the submitted folder.")
        return [student for student in named if student not in excluded]

    def _notice(self, event: Event) -> None:
        name = shown_name(event.student)
        if event.status == "graded":
            self.log.info("%s: %g of %g points", name, event.score, event.points)
        elif event.status == "failed":
            self.log.error("%s could not be graded: %s", name, event.problem)


class FeedbackExporter(Exporter):
    """Turns a graded notebook into the course's feedback page."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> Any:
        """The page of a notebook whose cells carry scores and comments (see GetGrades)."""
        notebook, resources = super().from_notebook_node(nb, resources, **options)
        return feedback_page(notebook, resources.get("nbgrader", {})), resources
