"""Grade one submission: graft, run, judge, and the notebook that shows what came of it.

`grade_submission` is one function of data and files: the loop over a class, a pool of processes
and a cluster all map it. It raises for faults of the machine or the course, never because of
what a learner sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_markdown_cell, new_output

from course_utils.grading.execute import Job, Ran, Run, inputs_of
from course_utils.grading.graft import Grafted, Part, graft
from course_utils.grading.judging import Item, cell_trouble, judge_submission
from course_utils.grading.limits import Limits
from course_utils.grading.submission import Submission, read_submission
from course_utils.kit import Kit
from course_utils.quiz.markup import to_html
from course_utils.words import say

NOTED = ("name", "kind", "status", "score", "points", "mistake")


@dataclass(frozen=True)
class Assignment:
    """What grading a lesson takes; the same for all submissions.

    Attributes:
        lesson: e.g. `01_language_models`.
        kit: with the cases that count, their expected values and the key.
        parts, metadata: the instructor's notebook, as released.
        files: what a learner's code finds in its folder (the released kit), by relative name.
        limits, demos: how a submission is run.
        mark: changes when a submission must be graded again though it is the same.
    """

    lesson: str
    kit: Kit
    parts: list[Part]
    metadata: dict[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    demos: bool = False
    mark: str = ""

    @property
    def known(self) -> set[str]:
        """The grade ids of the lesson."""
        return {part.grade_id for part in self.parts if part.grade_id}


@dataclass(frozen=True)
class Graded:
    """What came of one submission; plain data, so that it can cross to the writer's process.

    Attributes:
        student: whose it is.
        items: the verdicts.
        remarks: what the learner is told about the submission as a whole.
        notebook: the graded notebook, as JSON.
        blank: grade ids of exercise cells that the learner left as they were.
        digest: of submission and assignment; the same digest gives the same grade.
        timestamp, secret: as handed in.
        cpu_seconds: processor time of its runners.
    """

    student: str
    items: list[Item]
    remarks: list[str]
    notebook: str
    blank: frozenset[str]
    digest: str
    timestamp: datetime | None
    secret: str
    cpu_seconds: float = 0.0


def read_for(assignment: Assignment, folder: Path, notebook: str = "") -> Submission:
    """Read the submission in `folder`."""
    lang = assignment.kit["lang"]
    return read_submission(folder, assignment.lesson, assignment.known, lang, notebook)


def digest_of(assignment: Assignment, submission: Submission) -> str:
    """What a grade depends on: the submission, the cases, the course."""
    return f"{assignment.mark}:{submission.digest}"


def grade_submission(
    assignment: Assignment, submission: Submission, student: str, run: Run
) -> Graded:
    """Graft, run and judge one submission; `run` runs it, here or on another machine."""
    kit = assignment.kit
    grafted = graft(assignment.parts, submission.cells, kit["lang"])
    job = Job(grafted, inputs_of(kit), assignment.limits, assignment.files, assignment.demos)
    ran = run(job)
    items = judge_submission(kit, grafted, ran, submission, student)
    digest = digest_of(assignment, submission)
    notebook = shown_notebook(assignment, grafted, ran, items, submission.remarks, digest)
    return Graded(
        student=student,
        items=items,
        remarks=submission.remarks,
        notebook=nbformat.writes(notebook),
        blank=_blank(assignment.parts, grafted),
        digest=digest,
        timestamp=submission.timestamp,
        secret=submission.secret,
        cpu_seconds=ran.cpu_seconds,
    )


def _blank(master: list[Part], grafted: Grafted) -> frozenset[str]:
    """Exercise cells whose text is still the instructor's."""
    before = {part.grade_id: part.cell.source for part in master if part.role == "exercise"}
    own = [part for part in grafted.parts if part.role == "exercise"]
    return frozenset(part.grade_id for part in own if part.cell.source == before[part.grade_id])


def shown_notebook(
    assignment: Assignment,
    grafted: Grafted,
    ran: Ran,
    items: list[Item],
    remarks: list[str],
    digest: str,
) -> nbformat.NotebookNode:
    """The grafted notebook with what its cells printed and the verdicts as outputs."""
    lang = assignment.kit["lang"]
    verdicts = {item.grade_id: item for item in items}
    for position, part in enumerate(grafted.parts):
        if part.cell.cell_type == "code":
            part.cell.execution_count = None
            part.cell.outputs = _outputs(ran.cells.get(position), lang)
        if part.grade_id in verdicts:
            part.cell.outputs = [_verdict_output(verdicts[part.grade_id])]
    _make_inert(grafted.parts)
    course = {"lesson": assignment.lesson, "lang": lang, "remarks": remarks, "graded": digest}
    course["items"] = [_noted(item) for item in items]
    notebook = grafted.notebook(assignment.metadata | {"course": course})
    if remarks:
        notes = "\n".join(f"- {escape(remark)}" for remark in remarks)
        text = f"**{say('feedback_remarks', lang)}**\n\n{notes}"
        notebook.cells.insert(0, new_markdown_cell(text, id="course-remarks"))
    return notebook


def _make_inert(parts: list[Part]) -> None:
    """Turn what learners wrote beside code into markup that can do nothing.

    nbgrader's grading page shows prose and raw cells with whatever HTML they hold, scripts
    included, and it is opened with an instructor's rights. The text itself stays in the metadata.
    """
    for part in parts:
        if part.role == "added" and part.cell.cell_type != "code":
            part.cell.metadata["course"]["text"] = part.cell.source
            part.cell.cell_type, part.cell.source = "markdown", to_html(part.cell.source)


def _noted(item: Item) -> dict[str, Any]:
    """What a report on the class reads later."""
    return {key: getattr(item, key) for key in NOTED}


def _outputs(result: dict[str, Any] | None, lang: str) -> list[nbformat.NotebookNode]:
    """A cell's printed text and its error or the reason why it stopped."""
    if result is None:
        return []
    outputs = []
    if result.get("printed"):
        outputs.append(new_output("stream", name="stdout", text=result["printed"]))
    trouble = cell_trouble(result, lang)
    if trouble:
        outputs.append(new_output("stream", name="stderr", text=trouble))
    return outputs


def _verdict_output(item: Item) -> nbformat.NotebookNode:
    """The panel for eyes; the plain text is the score, as nbgrader reads it."""
    data = {"text/html": item.html, "text/plain": repr(item.score)}
    return new_output("execute_result", data=data, execution_count=None)
