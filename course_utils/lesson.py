"""A lesson as the learner's notebook sees it: one call that hands out `quiz` and `check`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_utils.kit import Kit, find_kit, kits_in
from course_utils.words import LANGUAGES, say

if TYPE_CHECKING:
    from course_utils.exercises.check import Report
    from course_utils.quiz.widget import Quiz


class KitNotFoundError(FileNotFoundError):
    """A lesson's kit is not beside its notebook; shown as a few lines, without a traceback."""

    def __init__(self, lesson: str, folder: Path) -> None:
        told = [say("kit_missing", lang, lesson=lesson, folder=folder) for lang in LANGUAGES]
        super().__init__("\n".join(told))

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def tell_validator(shortcoming: str) -> None:
    """Let nbgrader's Validate button see what is not in order yet, in words.

    While it validates, nbgrader takes what a cell writes to stderr for the reason why it failed.
    """
    if shortcoming and os.environ.get("NBGRADER_EXECUTION") == "validate":
        print(shortcoming, file=sys.stderr)


def open_lesson(lesson: str) -> tuple[Callable[[str], Quiz], Callable[[Callable], Report]]:
    """Return the lesson's ``quiz(question_id)`` and ``check(function)``.

    The lesson's kit (texts, public cases, hints) is looked for in ``.course/`` of the working
    directory, which in Jupyter is the notebook's folder. A missing kit is reported when a
    question or a check first needs it, so that the rest of the notebook still runs.
    """
    folder = Path.cwd()
    kit = find_kit(lesson, folder)
    from course_utils.plots import use_language

    use_language(kit["lang"] if kit else "en")

    def needed_kit() -> Kit:
        found = kit or find_kit(lesson, folder)
        if found is None:
            raise KitNotFoundError(lesson, folder)
        return found

    def quiz(question_id: str) -> Quiz:
        from course_utils.quiz.widget import open_question

        question = open_question(needed_kit(), question_id, folder)
        tell_validator(question.shortcoming)
        return question

    def check(function: Callable[..., Any]) -> Report:
        from course_utils.exercises.check import check_exercise

        report = check_exercise(needed_kit(), function, folder)
        tell_validator("" if report.status == "right" else report.text())
        return report

    return quiz, check


def show_progress() -> Any:
    """Display one row per lesson beside this notebook: points so far, questions still open."""
    from course_utils.quiz.static import progress_panel

    return progress_panel(kits_in(Path.cwd()), Path.cwd())
