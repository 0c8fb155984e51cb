"""Make kits: expected values from the reference solution, questions from the question file."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from course_utils.authoring.source import BuildError, SourceCell, read_lesson
from course_utils.exercises.call import Outcome, call_case
from course_utils.exercises.judge import judge_exercise
from course_utils.exercises.specify import Case, Exercise
from course_utils.exercises.values import encode
from course_utils.kit import KIT_VERSION, REPOSITORY, Kit
from course_utils.quiz.questions import load_questions, question_for_kit

QUIZZES = REPOSITORY / "quizzes"


def build_kit(lesson: str, lang: str, audience: str, seed: int | None = None) -> Kit:
    """The kit of `lesson`.

    Args:
        lesson: e.g. `01_language_models`.
        lang: language of all its texts.
        audience: `practice` (public cases and the key), `graded` (public cases, no key) or
            `judge` (hidden cases drawn from `seed`, and the key).
        seed: only for `judge`.

    Raises:
        BuildError: questions, exercises and source do not fit together, or a known mistake
            passes the cases.
    """
    cells = read_lesson(lesson)
    questions = load_questions_of(lesson)
    exercises = load_exercises(lesson)
    check_names(cells, questions, exercises)
    functions = reference_functions(lesson)
    return {
        "version": KIT_VERSION,
        "lesson": lesson,
        "lang": lang,
        "title": lesson_title(cells, lang),
        "audience": audience,
        "questions": {q["id"]: question_for_kit(q, lang, audience) for q in questions},
        "exercises": {
            exercise.id: exercise_for_kit(
                exercise, functions[exercise.id], lang, _cases(exercise, lesson, audience, seed)
            )
            for exercise in exercises
        },
    }


def lesson_title(cells: Sequence[SourceCell], lang: str) -> str:
    """The H1 of the first text cell."""
    first = next((cell for cell in cells if cell.kind == "text"), None)
    line = first.text[lang].strip().partition("\n")[0] if first else ""
    if not line.startswith("# "):
        raise BuildError("The first text cell must begin with the lesson's title: `# Title`.")
    return line[2:].strip()


def load_questions_of(lesson: str) -> list[dict[str, Any]]:
    """The lesson's questions; none where it has no question file."""
    path = QUIZZES / f"{lesson}.yml"
    return load_questions(path) if path.exists() else []


@cache
def load_exercises(lesson: str) -> tuple[Exercise, ...]:
    """The lesson's exercises; none where it has no file of them."""
    path = QUIZZES / f"{lesson}.py"
    if not path.exists():
        return ()
    module = _module_from(path)
    return tuple(module.EXERCISES)


def _module_from(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"quizzes_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BuildError(f"{path.name} cannot be imported.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_names(
    cells: Sequence[SourceCell],
    questions: Sequence[dict[str, Any]],
    exercises: Sequence[Exercise],
) -> None:
    """Every exercise has one exercise cell and one check; every question one quiz cell.

    Raises:
        BuildError: naming what is missing or too much.
    """
    stated = {
        "exercise": [exercise.id for exercise in exercises],
        "check": [exercise.id for exercise in exercises],
        "quiz": [question["id"] for question in questions],
    }
    for kind, names in stated.items():
        found = [cell.name for cell in cells if cell.kind == kind]
        if sorted(found) != sorted(names):
            raise BuildError(
                f"The source's {kind} cells are {sorted(found)}, but quizzes/ states "
                f"{sorted(names)}. Each needs exactly one cell."
            )


@cache
def reference_functions(lesson: str) -> dict[str, Callable[..., Any]]:
    """The reference solutions, run from the source's import cell and solution cells alone."""
    cells = read_lesson(lesson)
    code = [cell for cell in cells if cell.kind == "demo"][:1]
    code += [cell for cell in cells if cell.kind == "exercise"]
    namespace: dict[str, Any] = {"__name__": f"reference_{lesson}"}
    for cell in code:
        try:
            exec(compile(cell.code, cell.place, "exec"), namespace)
        except Exception as problem:
            raise BuildError(
                f"{cell.place}: raised {type(problem).__name__}: {problem}. A solution may use "
                "names of the import cell and of earlier exercise cells only."
            ) from problem
    return {cell.name: namespace[cell.name] for cell in cells if cell.kind == "exercise"}


def _cases(exercise: Exercise, lesson: str, audience: str, seed: int | None) -> Sequence[Case]:
    if audience != "judge":
        return exercise.public
    if seed is None:
        raise ValueError("hidden cases need a seed")
    digest = hashlib.sha256(f"{seed}:{lesson}:{exercise.id}".encode()).digest()
    return exercise.hidden(np.random.default_rng(int.from_bytes(digest[:8], "big")))


def exercise_for_kit(
    exercise: Exercise, reference: Callable[..., Any], lang: str, cases: Sequence[Case]
) -> dict[str, Any]:
    """An exercise's entry: its cases with the reference's values and every mistake's outcome.

    Raises:
        BuildError: the reference fails on a case, or a known mistake passes all of them.
    """
    entries = [_case_for_kit(exercise, reference, one, lang) for one in cases]
    entry: dict[str, Any] = {
        "points": exercise.points,
        "rtol": exercise.rtol,
        "atol": exercise.atol,
        "cases": entries,
        "hints": {mistake.id: mistake.hint[lang] for mistake in exercise.mistakes},
    }
    for mistake in exercise.mistakes:
        outcomes = [case["mistakes"][mistake.id] for case in entries]
        if judge_exercise(exercise.id, entry, outcomes, lang).status == "right":
            raise BuildError(
                f"Exercise {exercise.id}: the known mistake {mistake.id!r} passes every case. "
                "Add a case that tells it from the right answer."
            )
    return entry


def _case_for_kit(
    exercise: Exercise, reference: Callable[..., Any], case: Case, lang: str
) -> dict[str, Any]:
    args, gradients = [encode(argument) for argument in case.args], list(case.gradients)
    right = _quiet_call(reference, args, gradients)
    if "value" not in right or "changed" in right:
        raise BuildError(
            f"Exercise {exercise.id}: the reference solution gives no clean value on the case "
            f"{case.note['en']!r}: {right}."
        )
    entry = {
        "note": case.note[lang],
        "args": args,
        "gradients": gradients,
        "expected": right["value"],
        "mistakes": {
            mistake.id: _trimmed(_quiet_call(mistake.function, args, gradients))
            for mistake in exercise.mistakes
        },
    }
    if gradients:
        entry["expected_gradients"] = right["gradients"]
    return entry


def _trimmed(outcome: Outcome) -> Outcome:
    """A mistake's outcome without what varies from machine to machine (messages, lines)."""
    if "error" in outcome:
        return {"error": {"type": outcome["error"]["type"]}}
    return outcome


def _quiet_call(function: Callable[..., Any], args: list, gradients: list[int]) -> Outcome:
    """Call without the warnings that wrong code likes to make."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), _silent():
        warnings.simplefilter("ignore")
        return call_case(function, args, gradients)


@contextmanager
def _silent() -> Iterator[None]:
    """Drop what the called function prints."""
    import contextlib

    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        yield
