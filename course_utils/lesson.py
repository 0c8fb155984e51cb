"""A lesson as the learner's notebook sees it: one call that hands out `quiz` and `check`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_utils.kit import Kit, find_kit, kits_in
from course_utils.words import say

if TYPE_CHECKING:
    from course_utils.exercises.check import Report
    from course_utils.quiz.widget import Quiz


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
            raise FileNotFoundError(say("kit_missing", "en", lesson=lesson, folder=folder))
        return found

    def quiz(question_id: str) -> Quiz:
        from course_utils.quiz.widget import open_question

        return open_question(needed_kit(), question_id, folder)

    def check(function: Callable[..., Any]) -> Report:
        from course_utils.exercises.check import check_exercise

        return check_exercise(needed_kit(), function, folder)

    return quiz, check


def show_progress() -> Any:
    """Display one row per lesson beside this notebook: points so far, questions still open."""
    from course_utils.quiz.static import progress_panel

    return progress_panel(kits_in(Path.cwd()), Path.cwd())
