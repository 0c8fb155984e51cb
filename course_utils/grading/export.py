"""nbgrader's table of grades, with every field quoted where it must be.

nbgrader joins fields with commas as they are, so a student's name that holds a line break could
add a row of its own making.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from nbgrader import api
from nbgrader.plugins import CsvExportPlugin

STUDENT = ("last_name", "first_name", "email")
COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    *STUDENT,
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


class CourseExport(CsvExportPlugin):
    """Writes the same columns as nbgrader's own exporter."""

    def export(self, gradebook: api.Gradebook) -> None:
        """Write one row for each assignment and student."""
        target = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", target)
        with open(target, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._rows(gradebook))

    def _rows(self, gradebook: api.Gradebook) -> Iterator[dict[str, Any]]:
        """All rows that were asked for; who handed nothing in has 0."""
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in map(str, self.assignment):
                continue
            handed_in = {work.student_id: work for work in assignment.submissions}
            for student in gradebook.students:
                if not self.student or student.id in map(str, self.student):
                    yield _row(assignment, student, handed_in.get(student.id))


def _row(
    assignment: api.Assignment, student: api.Student, work: api.SubmittedAssignment | None
) -> dict[str, Any]:
    score = work.score if work else 0.0
    penalty = work.late_submission_penalty if work else 0.0
    about = {name: getattr(student, name) or "" for name in STUDENT}
    return about | {
        "assignment": assignment.name,
        "duedate": assignment.duedate or "",
        "timestamp": (work.timestamp if work else None) or "",
        "student_id": student.id,
        "raw_score": score,
        "late_submission_penalty": penalty,
        "score": max(0.0, score - penalty),
        "max_score": assignment.max_score,
    }
