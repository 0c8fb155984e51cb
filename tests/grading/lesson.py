"""A small lesson of two exercises and two questions, and hands that fill it in."""

import json
import sqlite3
import textwrap
from contextlib import closing
from pathlib import Path

import nbformat

from course_utils.authoring import build, kits, notebook, source
from course_utils.authoring.kits import build_kit
from course_utils.authoring.notebook import CODE_STUB, assemble
from course_utils.grading.classroom import ClassSettings, LessonFiles, create_class
from course_utils.kit import answers_path, kit_path, write_kit

LESSON = "01_mini"

SOURCE = '''
# %% [markdown] lang="en"
# # Doubling
#
# We double $x$.

# %% [markdown] lang="zh"
# # 加倍
#
# 把 $x$ 加倍。

# %%
import numpy as np

from course_utils import open_lesson

quiz, check = open_lesson("01_mini")

# %%
factor = 2
demo = np.arange(3) * factor
print(demo)

# %% [markdown] lang="en"
# ## Your turn

# %% [markdown] lang="zh"
# ## 轮到你了

# %% exercise="double"
def double(x):
    """Twice x, an array of any shape."""
    ### BEGIN SOLUTION
    return 2 * np.asarray(x)
    ### END SOLUTION

# %% check="double"
check(double)

# %% exercise="total"
def total(x):
    """The sum of x's entries as a float."""
    ### BEGIN SOLUTION
    return float(np.sum(x))
    ### END SOLUTION

# %% check="total"
check(total)

# %% quiz="twice"
quiz("twice")

# %% quiz="even"
quiz("even")
'''.lstrip()

QUESTIONS = """
questions:
  - id: twice
    kind: single
    points: 1
    text: {en: "What is twice two?", zh: "二的两倍是多少？"}
    choices:
      - {id: four, text: {en: "4", zh: "4"}, right: true, why: {en: "Yes.", zh: "对。"}}
      - {id: two, text: {en: "2", zh: "2"}, why: {en: "That is once.", zh: "那是一倍。"}}
      - {id: six, text: {en: "6", zh: "6"}, why: {en: "That is thrice.", zh: "那是三倍。"}}
  - id: even
    kind: multiple
    points: 2
    text: {en: "Which are even? $2 x$", zh: "哪些是偶数？$2 x$"}
    choices:
      - {id: ten, text: {en: "10", zh: "10"}, right: true, why: {en: "Even.", zh: "偶数。"}}
      - {id: dozen, text: {en: "12", zh: "12"}, right: true, why: {en: "Even.", zh: "偶数。"}}
      - {id: odd, text: {en: "13", zh: "13"}, why: {en: "Odd.", zh: "奇数。"}}
"""

EXERCISES = """
import numpy as np
from course_utils.exercises.specify import Exercise, Mistake, case


def squared(x):
    return np.asarray(x) ** 2


def mean(x):
    return float(np.mean(x))


def hidden(rng):
    return [case(rng.normal(size=n), en=f"{n} numbers", zh=f"{n} 个数") for n in (2, 3, 4, 5)]


EXERCISES = [
    Exercise(
        id="double",
        points=3,
        public=[case(np.array([1.0, 5.0]), en="two numbers", zh="两个数")],
        hidden=hidden,
        mistakes=[
            Mistake("squared", squared, en="You squared instead of doubling.", zh="你求了平方。")
        ],
    ),
    Exercise(
        id="total",
        points=2,
        public=[case(np.array([1.0, 5.0]), en="two numbers", zh="两个数")],
        hidden=hidden,
        mistakes=[Mistake("mean", mean, en="You took the mean.", zh="你求了平均数。")],
    ),
]
"""

DOUBLE = "def double(x):\n    return np.asarray(x) + np.asarray(x)"
SQUARED = "def double(x):\n    return np.asarray(x) ** 2"
TOTAL = "def total(x):\n    return float(sum(x))"
RIGHT = {"twice": "four", "even": ["ten", "dozen"]}


def write_repository(folder: Path) -> None:
    """The lesson's source, questions and exercises, as a repository holds them."""
    for name in ("notebooks/source", "quizzes"):
        (folder / name).mkdir(parents=True)
    texts = {
        f"notebooks/source/{LESSON}.py": SOURCE,
        f"quizzes/{LESSON}.yml": QUESTIONS,
        f"quizzes/{LESSON}.py": EXERCISES,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def use_repository(folder: Path, monkeypatch) -> None:
    """Let the authoring side read its lessons from `folder`."""
    monkeypatch.setattr(source, "SOURCES", folder / "notebooks/source")
    monkeypatch.setattr(kits, "QUIZZES", folder / "quizzes")
    monkeypatch.setattr(build, "QUIZZES", folder / "quizzes")
    monkeypatch.setattr(build, "NOTEBOOKS", folder / "notebooks")
    for remembered in (kits.load_exercises, kits.reference_functions, notebook.points_of):
        remembered.cache_clear()


def lesson_files(lang: str, audience: str = "practice", seed: int = 1) -> LessonFiles:
    """The lesson as it is put into a class."""
    return LessonFiles(
        LESSON,
        nbformat.writes(assemble(LESSON, lang, solutions=True)),
        build_kit(LESSON, lang, audience),
        build_kit(LESSON, lang, "judge", seed),
    )


def make_class(folder: Path, lang: str = "en", gradebook: str = "", **settings) -> None:
    """A class with the lesson."""
    stated = ClassSettings(lang=lang, course_id="mini", seed=1, code_stub=CODE_STUB, **settings)
    create_class(folder, stated, [lesson_files(lang)], gradebook)


def release(folder: Path, lang: str = "en") -> None:
    """Put into the class's release folder what `nbgrader generate_assignment` would."""
    place = folder / "release" / LESSON
    write_kit(build_kit(LESSON, lang, "practice"), kit_path(LESSON, place))
    text = nbformat.writes(assemble(LESSON, lang, solutions=False))
    (place / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")


def blank(lang: str = "en") -> nbformat.NotebookNode:
    """The learner's notebook before any work."""
    return assemble(LESSON, lang, solutions=False)


def work(cells: dict[str, str], lang: str = "en") -> nbformat.NotebookNode:
    """The learner's notebook with these texts in its exercise cells."""
    filled = blank(lang)
    for cell in filled.cells:
        if cell.id in cells:
            cell.source = textwrap.dedent(cells[cell.id])
    return filled


def grades(gradebook: Path) -> list[tuple]:
    """Student, cell, automatic score, manual score, whether a person must look: all of a file's."""
    with closing(sqlite3.connect(gradebook)) as base:
        return base.execute(
            "SELECT s.student_id, c.name, g.auto_score, g.manual_score, g.needs_manual_grade "
            "FROM grade AS g JOIN submitted_notebook AS n ON g.notebook_id = n.id "
            "JOIN submitted_assignment AS s ON s.id = n.assignment_id "
            "JOIN base_cell AS c ON c.id = g.cell_id ORDER BY 1, 2"
        ).fetchall()


def hand_in(folder: Path, notebook, answers: dict | None = None, time: str = "") -> Path:
    """Put a submission into `folder`, as nbgrader's collect leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook)
    (folder / f"{LESSON}.ipynb").write_text(text, encoding="utf-8")
    if answers is not None:
        write_answers(folder, answers)
    if time:
        (folder / "timestamp.txt").write_text(time, encoding="utf-8")
    return folder


def write_answers(folder: Path, answers: dict, lesson: str = LESSON) -> None:
    """An answers file with these answers."""
    time = "2026-11-29T20:00:00Z"
    entries = {name: {"answer": given, "time": time} for name, given in answers.items()}
    content = {"version": 1, "lesson": lesson, "answers": entries, "checks": {}}
    path = answers_path(lesson, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
