"""Every exercise of every lesson: right ways pass, known mistakes fail with their hint."""

import importlib.util
import re
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from course_utils.authoring.kits import (
    QUIZZES,
    build_kit,
    load_exercises,
    reference_functions,
)
from course_utils.exercises.call import call_case
from course_utils.exercises.judge import judge_exercise

pytestmark = pytest.mark.xdist_group("exercises")  # they share their cases

SEEDS = (1, 2, 3)
LESSONS = sorted(path.stem for path in QUIZZES.glob("[0-9][0-9]_*.py"))
EXERCISES = [(lesson, exercise) for lesson in LESSONS for exercise in load_exercises(lesson)]
NAMES = [f"{lesson}-{exercise.id}" for lesson, exercise in EXERCISES]

each_exercise = pytest.mark.parametrize(("lesson", "exercise"), EXERCISES, ids=NAMES)
each_set = pytest.mark.parametrize(
    "seed", [None, *SEEDS], ids=lambda s: f"seed{s}" if s else "public"
)


@cache
def kit_entries(lesson, seed):
    audience = "practice" if seed is None else "judge"
    return build_kit(lesson, "en", audience, seed)["exercises"]


@cache
def variants(lesson):
    path = Path(__file__).parent.parent / "variants" / f"{lesson}.py"
    spec = importlib.util.spec_from_file_location(f"variants_{lesson}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.VARIANTS


def verdict(entry, exercise, function):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcomes = [call_case(function, c["args"], c["gradients"]) for c in entry["cases"]]
    return judge_exercise(exercise.id, entry, outcomes, "en")


@each_exercise
@each_set
def test_the_reference_solution_gets_full_points(lesson, exercise, seed):
    entry = kit_entries(lesson, seed)[exercise.id]
    report = verdict(entry, exercise, reference_functions(lesson)[exercise.id])
    assert report.score == exercise.points


@each_exercise
@each_set
def test_differently_written_right_solutions_get_full_points(lesson, exercise, seed):
    functions = variants(lesson)[exercise.id]
    assert len(functions) >= 4
    for function in functions:
        report = verdict(kit_entries(lesson, seed)[exercise.id], exercise, function)
        assert report.score == exercise.points, f"{function.__name__}: {report.text()}"


@each_exercise
@each_set
def test_every_known_mistake_is_rejected_and_gets_its_own_hint(lesson, exercise, seed):
    assert len(exercise.mistakes) >= 6
    for mistake in exercise.mistakes:
        report = verdict(kit_entries(lesson, seed)[exercise.id], exercise, mistake.function)
        assert report.score < exercise.points, mistake.id
        assert report.hint == mistake.hint["en"], mistake.id


@each_exercise
def test_points_notes_and_hints_are_stated_in_both_languages(lesson, exercise):
    assert exercise.points > 0
    texts = [case.note for case in exercise.public] + [m.hint for m in exercise.mistakes]
    for text in texts:
        assert text["en"].strip()
        wordless = not re.search("[A-Za-z]{2}", text["en"])  # such as "k = 0"
        assert wordless or any("\u4e00" <= letter <= "\u9fff" for letter in text["zh"]), text


@each_exercise
def test_hidden_cases_are_not_the_public_ones(lesson, exercise):
    public = [case["args"] for case in kit_entries(lesson, None)[exercise.id]["cases"]]
    hidden = [case["args"] for case in kit_entries(lesson, 1)[exercise.id]["cases"]]
    assert len(hidden) >= 4
    fresh = [args for args in hidden if args not in public]
    assert len(fresh) > len(hidden) / 2
