"""The lesson that the instructor's handbook writes out is built and judged from its pages."""

import importlib.util
import re
import warnings

import nbformat
import numpy as np
import pytest

from course_utils.authoring import build, kits, source
from course_utils.authoring.notebook import assemble
from course_utils.exercises.call import call_case
from course_utils.exercises.judge import judge_exercise
from course_utils.kit import REPOSITORY, read_kit
from course_utils.quiz.scoring import judge_answer
from tests.authoring.conftest import forget

LESSON, EXERCISE = "08_surprise", "mean_surprise"
FILE = re.compile(r"^`([\w/]+\.(?:py|yml))`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("docs/handbook.md", "docs/handbook.zh.md")


def files_in(page):
    """The files that a page writes out, by path."""
    return dict(FILE.findall((REPOSITORY / page).read_text(encoding="utf-8")))


@pytest.fixture
def written(tmp_path, monkeypatch):
    """A repository with what the handbook says, and nothing else."""
    for name, text in files_in(PAGES[0]).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(source, "SOURCES", tmp_path / "notebooks/source")
    monkeypatch.setattr(kits, "QUIZZES", tmp_path / "quizzes")
    for name, place in {"QUIZZES": "quizzes", "NOTEBOOKS": "notebooks", "REPOSITORY": "."}.items():
        monkeypatch.setattr(build, name, tmp_path / place)
    forget()
    yield tmp_path
    forget()


def variants(folder):
    spec = importlib.util.spec_from_file_location(
        "variants", folder / f"tests/variants/{LESSON}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.VARIANTS[EXERCISE]


def verdict(entry, function):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcomes = [call_case(function, c["args"], c["gradients"]) for c in entry["cases"]]
    return judge_exercise(EXERCISE, entry, outcomes, "en")


def test_both_languages_write_out_the_same_files():
    english, chinese = map(files_in, PAGES)
    assert english == chinese
    assert sorted(english) == [f"notebooks/source/{LESSON}.py", f"quizzes/{LESSON}.py",
                               f"quizzes/{LESSON}.yml", f"tests/variants/{LESSON}.py"]  # fmt: skip


def test_the_lesson_builds_and_is_in_step(written):
    build.build([LESSON], lambda line: None)
    assert build.out_of_step([LESSON]) == []
    notebook = nbformat.read(written / f"notebooks/zh/{LESSON}.ipynb", as_version=4)
    assert notebook.cells[0].source.startswith("# 惊讶")
    printed = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
    assert "probability 0.125: 3 bits" in printed
    assert read_kit(written / f"notebooks/en/.course/{LESSON}.kit.json")["title"] == "Surprise"
    assert "log2(probs)" not in str(notebook.cells)
    assert "log2(probs)" in str(assemble(LESSON, "zh", solutions=True).cells)


def test_the_exercise_judges_as_the_page_says(written):
    (exercise,) = kits.load_exercises(LESSON)
    right = [kits.reference_functions(LESSON)[EXERCISE], *variants(written)]
    for seed in (None, 1, 2, 3):
        kit = kits.build_kit(LESSON, "en", "judge" if seed else "practice", seed)
        entry = kit["exercises"][EXERCISE]
        assert [verdict(entry, function).score for function in right] == [exercise.points] * 5
        for mistake in exercise.mistakes:
            report = verdict(entry, mistake.function)
            assert report.score < exercise.points
            assert report.hint == mistake.hint["en"]


def test_the_questions_score_as_the_page_says(written):
    questions = kits.build_kit(LESSON, "en", "judge", 1)["questions"]
    assert questions
    for answer, points in (("four", 1), ("nats", 0)):
        assert judge_answer(questions["sixteenth"], answer).points == points
    for answer, points in ((8, 1), (8.005, 1), (2, 0)):
        assert judge_answer(questions["four_words"], answer).points == points
