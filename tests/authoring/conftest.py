"""A small lesson in a repository of its own, for tests of building and grading."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from course_utils.authoring import build, kits, notebook, source

LESSON = "01_mini"

SOURCE = '''
# %% [markdown] lang="en"
# # Doubling
#
# We double $x$, as in [the paper](https://example.org/paper), 2 times.

# %% [markdown] lang="zh"
# # 加倍
#
# 把 $x$ 加倍 2 次，见[论文](https://example.org/paper)。

# %%
import numpy as np

from course_utils import open_lesson

quiz, check = open_lesson("01_mini")

# %%
demo = np.arange(3) * 2
print("progress 1\\rprogress 2")
demo

# %% exercise="double"
def double(x):
    """Twice x, an array of any shape."""
    ### BEGIN SOLUTION
    return 2 * np.asarray(x)
    ### END SOLUTION

# %% check="double"
check(double)

# %% quiz="twice"
quiz("twice")
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
"""

EXERCISES = """
import numpy as np
from course_utils.exercises.specify import Exercise, Mistake, case


def squared(x):
    return np.asarray(x) ** 2


def hidden(rng):
    return [case(rng.normal(size=n), en=f"{n} numbers", zh=f"{n} 个数") for n in (1, 3, 5)]


EXERCISES = [
    Exercise(
        id="double",
        points=3,
        public=[case(np.array([1.0, 5.0]), en="two numbers", zh="两个数")],
        hidden=hidden,
        mistakes=[
            Mistake("squared", squared, en="You squared instead of doubling.", zh="你求了平方。")
        ],
    )
]
"""


@pytest.fixture
def mini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository that holds one small lesson; returns its folder."""
    for folder in ("notebooks/source", "quizzes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / f"notebooks/source/{LESSON}.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / f"quizzes/{LESSON}.yml").write_text(QUESTIONS, encoding="utf-8")
    (tmp_path / f"quizzes/{LESSON}.py").write_text(EXERCISES, encoding="utf-8")
    monkeypatch.setattr(source, "SOURCES", tmp_path / "notebooks/source")
    monkeypatch.setattr(kits, "QUIZZES", tmp_path / "quizzes")
    monkeypatch.setattr(build, "QUIZZES", tmp_path / "quizzes")
    monkeypatch.setattr(build, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(build, "REPOSITORY", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """Drop what was read of lessons before."""
    for remembered in (kits.load_exercises, kits.reference_functions, notebook.points_of):
        remembered.cache_clear()
