"""Put grades into nbgrader's gradebook and folders. Only this module writes there.

Order makes a crash harmless: the gradebook's transaction first, then the learner's page, then the
graded notebook's folder, each moved into place in one step. A submission counts as graded once
that folder stands, so whatever is cut off between is done again, with the same result.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader import api
from sqlalchemy.orm import with_polymorphic

from course_utils.errors import UserError
from course_utils.grading.database import patiently
from course_utils.grading.feedback import Marks
from course_utils.grading.grade import Graded


@dataclass
class Recorder:
    """Writes grades of one lesson.

    Attributes:
        gradebook: open, and kept open for all submissions.
        lesson: nbgrader's assignment id.
        late: nbgrader's preprocessor that knows the class's late penalties, or None.
        may_create: whether students that the gradebook does not know are added.
    """

    gradebook: api.Gradebook
    lesson: str
    late: Any = None
    may_create: bool = True

    def assignment(self) -> api.Assignment:
        """The lesson's row.

        Raises:
            UserError: it was not generated yet.
        """
        query = self.gradebook.db.query(api.Assignment)
        row = query.filter(api.Assignment.name == self.lesson).one_or_none()
        if row is None or not row.notebooks:
            raise UserError(
                f"The gradebook has no assignment {self.lesson}: run "
                f"`nbgrader generate_assignment {self.lesson}` first."
            )
        return row

    def record(self, graded: Graded) -> Marks:
        """Put one submission's scores and comments into the gradebook, in one transaction.

        A gradebook that another program has locked is waited for.

        Returns:
            What the gradebook says now, with what people gave.
        """
        return patiently(lambda: self._record(graded))

    def _record(self, graded: Graded) -> Marks:
        """One attempt. A score that a person gave stays; the cell is then marked for another
        look, as nbgrader does."""
        db = self.gradebook.db
        try:
            cells = self._cells()  # held to the end
            submission = self._submission(graded)
            submission.timestamp = graded.timestamp
            notebook = next(n for n in submission.notebooks if n.name == self.lesson)
            scores = {item.grade_id: item.score for item in graded.items}
            for grade in notebook.grades:
                grade.auto_score = scores.get(grade.name)
                grade.needs_manual_grade = (
                    grade.auto_score is None or grade.manual_score is not None
                )
            for comment in notebook.comments:
                blank = comment.name in graded.blank
                comment.auto_comment = "No response." if blank else None
            db.flush()
            self._penalise(submission, notebook, graded)
            marks = _marks(graded.student, notebook)
            db.commit()
            del cells
            return marks
        except BaseException:
            db.rollback()
            raise

    def _cells(self) -> list[api.BaseCell]:
        """The lesson's cells: while somebody holds them, SQLAlchemy does not ask for each anew."""
        every = with_polymorphic(api.BaseCell, "*")
        query = self.gradebook.db.query(every).join(
            api.Notebook, every.notebook_id == api.Notebook.id
        )
        return list(query.filter(api.Notebook.name == self.lesson))

    def _submission(self, graded: Graded) -> api.SubmittedAssignment:
        """The submission's row, made with all its grades and comments where it is new."""
        db, assignment = self.gradebook.db, self.assignment()
        student = db.get(api.Student, graded.student)
        if student is None:
            if not self.may_create:
                raise UserError(f"The gradebook has no student {graded.student}.")
            student = api.Student(id=graded.student)
            db.add(student)
        query = db.query(api.SubmittedAssignment).filter_by(
            assignment_id=assignment.id, student_id=graded.student
        )
        return query.one_or_none() or self._new_submission(assignment, student)

    def _new_submission(
        self, assignment: api.Assignment, student: api.Student
    ) -> api.SubmittedAssignment:
        with self.gradebook.db.no_autoflush:
            submission = api.SubmittedAssignment(assignment=assignment, student=student)
            for notebook in assignment.notebooks:
                row = api.SubmittedNotebook(notebook=notebook, assignment=submission)
                for cell in [*notebook.grade_cells, *notebook.task_cells]:
                    api.Grade(cell_id=cell.id, notebook=row)
                for cell in [*notebook.solution_cells, *notebook.task_cells]:
                    api.Comment(cell_id=cell.id, notebook=row)
            self.gradebook.db.add(submission)
        self.gradebook.db.flush()
        return submission

    def _penalise(
        self, submission: api.SubmittedAssignment, notebook: api.SubmittedNotebook, graded: Graded
    ) -> None:
        """Apply the class's late penalty, as nbgrader's own autograde does."""
        notebook.late_submission_penalty = None
        late = submission.total_seconds_late
        if self.late is None or late <= 0:
            return
        self.gradebook.db.refresh(notebook)
        penalty = self.late.plugin_inst.late_submission_penalty(
            graded.student, notebook.score, late
        )
        if penalty is not None:
            notebook.late_submission_penalty = self.late._check_late_penalty(notebook, penalty)


def _marks(student: str, notebook: api.SubmittedNotebook) -> Marks:
    """What the gradebook holds of a submission: a person's word before the judge's."""
    scores, comments = {}, {}
    for grade in notebook.grades:
        given = grade.auto_score if grade.manual_score is None else grade.manual_score
        scores[grade.name] = float(given or 0) + float(grade.extra_credit or 0)
    for comment in notebook.comments:
        comments[comment.name] = comment.manual_comment or comment.auto_comment or ""
    most = sum(float(grade.cell.max_score) for grade in notebook.grades)
    penalty = float(notebook.late_submission_penalty or 0)
    return Marks(student, scores, most, comments, penalty)


def write_graded(graded: Graded, folder: Path, lesson: str, permissions: int) -> None:
    """Put the graded notebook into `autograded/<student>/<lesson>` (`folder`), in one step."""
    put_folder(folder, {f"{lesson}.ipynb": graded.notebook} | _papers(graded), permissions)


def write_page(graded: Graded, page: str, folder: Path, lesson: str) -> None:
    """Put a feedback page into `feedback/<student>/<lesson>` (`folder`), in one step."""
    put_folder(folder, {f"{lesson}.html": page} | _papers(graded), 0o644)


def _papers(graded: Graded) -> dict[str, str]:
    """The small files by which nbgrader knows a submission again when it hands back feedback."""
    papers = {"submission_secret.txt": graded.secret}
    if graded.timestamp is not None:
        papers["timestamp.txt"] = f"{graded.timestamp:%Y-%m-%d %H:%M:%S.%f} UTC"
    return papers


def put_folder(folder: Path, contents: Mapping[str, str], permissions: int) -> None:
    """Replace a folder by one with these files, in one step as far as a reader can tell."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making, old = (folder.with_name(f".{folder.name}.{what}") for what in ("new", "old"))
    for left in (making, old):
        shutil.rmtree(left, ignore_errors=True)
    making.mkdir()
    for name, text in contents.items():
        path = making / name
        path.write_text(text, encoding="utf-8")
        path.chmod(permissions)
    if folder.exists():
        os.replace(folder, old)
    os.replace(making, folder)
    shutil.rmtree(old, ignore_errors=True)


def recorded_digest(folder: Path, lesson: str) -> str:
    """The digest under which `autograded/<student>/<lesson>` was graded; empty where it is not."""
    try:
        notebook = json.loads((folder / f"{lesson}.ipynb").read_text(encoding="utf-8"))
        return str(notebook["metadata"]["course"]["graded"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
