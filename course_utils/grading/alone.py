"""`course grade FILE`: grade one notebook for someone who studies alone.

The lesson comes from the course's own repository, the cases from a fresh seed, so that work which
only remembers the public cases earns nothing.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

from course_utils.authoring.kits import build_kit
from course_utils.authoring.notebook import assemble
from course_utils.authoring.source import lesson_names
from course_utils.errors import UserError
from course_utils.grading.classroom import new_seed
from course_utils.grading.execute import runs_in
from course_utils.grading.feedback import Marks, page_of
from course_utils.grading.grade import Assignment, Graded, grade_submission
from course_utils.grading.graft import parts_of
from course_utils.grading.hand_in import Work, find_work
from course_utils.grading.judging import Item, total
from course_utils.grading.runner import ProcessRunner
from course_utils.grading.submission import Submission
from course_utils.kit import kit_path
from course_utils.quiz.view import amount
from course_utils.words import LANGUAGES, say

SIGNS = {"right": "✓", "part": "◐", "wrong": "✗", "open": "○"}


def grade_alone(what: str | None, folder: Path) -> int:
    """Grade a learner's notebook; prints a table and writes a page beside the notebook."""
    work = find_work(what, folder)
    lang = work.lang if work.lang in LANGUAGES else "en"
    print(say("alone_running", lang, notebook=work.notebook.name), flush=True)
    assignment = assignment_of(work, lang)
    submission = Submission(work.cells, work.answers)
    graded = grade_submission(assignment, submission, "", runs_in(ProcessRunner))
    for line in table(graded.items, lang):
        print(line)
    page = work.notebook.with_name(f"{work.lesson}.feedback.html")
    page.write_text(page_of(graded.notebook, marks_of(graded)), encoding="utf-8")
    print(say("alone_page", lang, page=page))
    return 0


def assignment_of(work: Work, lang: str) -> Assignment:
    """The lesson as the repository has it, with cases from a fresh seed.

    Raises:
        UserError: the course has no such lesson.
    """
    if work.lesson not in lesson_names():
        known = ", ".join(lesson_names())
        raise UserError(
            f"{work.notebook.name} is no lesson of this course. It can grade these: {known}."
        )
    notebook = assemble(work.lesson, lang, solutions=False)
    kit = kit_path(work.lesson, work.notebook.parent)
    return Assignment(
        lesson=work.lesson,
        kit=build_kit(work.lesson, lang, "judge", new_seed()),
        parts=parts_of(notebook),
        metadata=notebook.metadata,
        files={f".course/{kit.name}": kit.read_text("utf-8")} if kit.is_file() else {},
    )


def marks_of(graded: Graded) -> Marks:
    """The marks of work that is in no gradebook."""
    scores = {item.grade_id: item.score for item in graded.items}
    return Marks(graded.student, scores, total(graded.items)[1])


def table(items: list[Item], lang: str) -> list[str]:
    """One line per graded cell and the sum, in columns; then what to read about each."""
    kinds = {"check": say("feedback_exercise", lang), "quiz": say("feedback_question", lang)}
    rows = [
        (f"{SIGNS[item.status]} {kinds[item.kind]} {item.name}", item.score, item.points)
        for item in items
    ]
    rows.append((say("alone_total", lang), *total(items)))
    wide = max(width(name) for name, _, _ in rows)
    lines = [
        f"  {name}{' ' * (wide - width(name))}  {amount(score):>5} / {amount(points)}"
        for name, score, points in rows
    ]
    lines.insert(len(items), "  " + "─" * (wide + 12))
    for item in items:
        if item.kind == "check" and item.status != "right":
            lines += ["", item.text]
    return ["", *lines, ""]


def width(text: str) -> int:
    """How many columns a terminal gives a text: two for a Chinese character."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
