"""A class goes on after the course was updated in mid-term.

`old_class` was made, graded and partly marked by hand with the code of commit 4b05933 (the
repository of `lesson.py`, seed 1; its gradebook stands there as SQL). Its files must never be
written anew: they hold what classes out there hold.
"""

import csv
import json
import shutil
import sqlite3
from pathlib import Path

import nbformat
import numpy as np
import pytest

from course_utils.cli import main
from course_utils.errors import UserError
from course_utils.exercises.check import check_exercise
from course_utils.grading.classroom import read_assignment, read_class
from course_utils.kit import find_kit
from course_utils.quiz.answers import read_submitted_answers
from course_utils.quiz.scoring import judge_answer
from tests.grading import lesson as mini
from tests.grading.lesson import LESSON, TOTAL
from tests.grading.test_execute import run_plainly
from tests.grading.test_loop import forked, tree
from tests.grading.test_three_ways import in_a_fork, state

OLD = Path(__file__).parent / "old_class"


def copy_of_old_class(folder):
    """The class as it was, with its gradebook as a database."""
    shutil.copytree(OLD, folder, ignore=shutil.ignore_patterns("*.sql", "grades.csv"))
    with sqlite3.connect(folder / "gradebook.db") as base:
        base.executescript((OLD / "gradebook.sql").read_text("utf-8"))
    base.close()
    return folder


@pytest.fixture
def old_class(tmp_path, monkeypatch):
    """A copy of the old class, as the working folder."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(copy_of_old_class(tmp_path / "class"))
    return tmp_path / "class"


def exported(folder):
    """The table of grades that nbgrader exports, rows in order of students."""
    forked(["export"])
    return rows_of(folder / "grades.csv")


def rows_of(path):
    with path.open(encoding="utf-8") as file:
        return sorted(csv.DictReader(file), key=lambda row: row["student_id"])


def scores_by_cell(folder):
    """Automatic and given scores, without nbgrader's mark that a person should look again."""
    return [row[:4] for row in state(folder)[0]]


def test_an_old_class_has_nothing_new_to_grade(old_class, capfd):
    in_a_fork(main, ["grade", "."])
    assert "0 graded, 4 had nothing new, 0 failed" in capfd.readouterr().out
    assert tree(old_class / "autograded") == tree(OLD / "autograded")
    assert exported(old_class) == rows_of(OLD / "grades.csv")


def test_grading_an_old_class_again_and_late_work_on_a_notebook_fetched_before(
    old_class, monkeypatch, capfd
):
    run_plainly(monkeypatch)
    cells, rows = scores_by_cell(old_class), rows_of(OLD / "grades.csv")
    late = nbformat.read(old_class / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for cell in late.cells:
        cell.source = TOTAL if cell.id == "total" else cell.source
    mini.hand_in(old_class / "submitted" / "zoe" / LESSON, late, {"twice": "four"})
    in_a_fork(main, ["grade", ".", "--force"])
    assert "5 graded, 0 had nothing new, 0 failed" in capfd.readouterr().out
    assert [row for row in scores_by_cell(old_class) if row[0] != "zoe"] == cells
    grades = {row["student_id"]: row for row in exported(old_class)}
    assert float(grades.pop("zoe")["score"]) == 3.0
    assert list(grades.values()) == rows


def test_pages_are_made_of_notebooks_that_an_older_version_graded(old_class):
    forked(["generate_feedback", LESSON])
    page = (old_class / "feedback" / "bob" / LESSON / f"{LESSON}.html").read_text("utf-8")
    assert "You squared instead of doubling." in page
    assert "Half the idea is there." in page
    assert "4.5" in page


def test_a_report_is_made_of_a_class_that_an_older_version_graded(old_class, capfd):
    in_a_fork(main, ["report", "."])
    page = (old_class / "report.html").read_text("utf-8")
    assert "Lovelace" in page
    assert "--force" in page  # what an older version did not note can be added


def test_what_learners_fetched_before_still_checks_and_asks(old_class):
    kit = find_kit(LESSON, old_class / "release" / LESSON)
    names = {"np": np}
    exec(mini.DOUBLE, names)
    assert check_exercise(kit, names["double"], old_class).status == "right"
    assert judge_answer(kit["questions"]["twice"], "four").points == 1
    for answers in old_class.glob("submitted/*/*/.course/*.answers.json"):
        assert read_submitted_answers(answers, lesson=LESSON)[1] is None


def test_generating_again_changes_nothing_that_counts(old_class):
    mark = read_assignment(old_class, LESSON).mark
    forked(["generate_assignment", LESSON, "--force"])
    assert read_assignment(old_class, LESSON).mark == mark
    assert exported(old_class) == rows_of(OLD / "grades.csv")


def test_a_lesson_added_later_leaves_the_old_ones_as_they_are(old_class, repository, capfd):
    for path in (repository / "notebooks/source", repository / "quizzes"):
        for file in path.glob(f"{LESSON}.*"):
            text = file.read_text("utf-8").replace(LESSON, "02_next")
            file.with_name(f"02_next{file.suffix}").write_text(text, encoding="utf-8")
    before = tree(old_class)
    assert main(["class", "create", ".", "--lessons", "02_next"]) == 0
    after = tree(old_class)
    changed = {str(name) for name in before if after[name] != before[name]}
    assert changed == {"class.json"}
    assert read_class(old_class).lessons == (LESSON, "02_next")
    assert read_class(old_class).seed == 1


def test_settings_that_a_class_does_not_state_have_defaults(old_class):
    least = {"version": 1, "lang": "en", "course_id": "mini", "seed": 1, "lessons": [LESSON]}
    (old_class / "class.json").write_text(json.dumps(least), encoding="utf-8")
    assert read_class(old_class).code_stub == "raise NotImplementedError"


@pytest.mark.parametrize("change", [{"version": 2}, {"a_newer_setting": 1}])
def test_a_class_of_a_newer_course_is_refused_with_a_word(old_class, change, capfd):
    path = old_class / "class.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), encoding="utf-8")
    assert main(["grade", "."]) == 2
    assert "Update the course" in capfd.readouterr().err


def test_hidden_cases_of_a_newer_course_are_refused_with_a_word(old_class):
    path = old_class / "judge" / f"{LESSON}.kit.json"
    path.write_text(path.read_text("utf-8").replace('"version": 1', '"version": 2'), "utf-8")
    with pytest.raises(UserError, match="update the course"):
        read_assignment(old_class, LESSON)
