"""The submission's folder itself, its name, and what goes on around a run."""

import csv
import os
import sqlite3
import threading
import time

import pytest

from course_utils.grading import database
from course_utils.grading.database import open_gradebook
from course_utils.grading.submission import students_of
from tests.attacks.conftest import FULL, NOTHING
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, TOTAL
from tests.grading.test_loop import tree

FULL_WORK = {"double": DOUBLE, "total": TOTAL}


@pytest.fixture
def out(arena):
    """All that grading wrote for a student."""

    def files(student="mallory"):
        return tree(arena.folder / "autograded" / student)

    return files


LINKS = {
    "file": lambda link, folder: link.symlink_to(folder / "gradebook.db"),
    "folder": lambda link, folder: link.symlink_to(folder),
    "dangling": lambda link, folder: link.symlink_to("/nowhere/at/all"),
    "loop": lambda link, folder: link.symlink_to(link),
    "hard": lambda link, folder: link.hardlink_to(folder / "gradebook.db"),
    "pipe": lambda link, folder: os.mkfifo(link),
    "device": lambda link, folder: link.symlink_to("/dev/zero"),
}


def test_links_and_pipes_are_neither_followed_nor_copied(arena, out):
    for kind, make in LINKS.items():
        place = arena.hand_in(FULL_WORK, RIGHT, student=kind)
        make(place / "look.txt", arena.folder)
    arena.grade(*LINKS)
    for kind in LINKS:
        assert arena.scores(kind) == FULL, kind
        assert {path.name for path in out(kind)} == {f"{LESSON}.ipynb", "submission_secret.txt"}
        assert not any(b"SQLite format" in content for content in out(kind).values()), kind


@pytest.mark.parametrize("how", ["symlink_to", "hardlink_to"])
def test_a_notebook_that_is_a_link_to_anothers_work_earns_nothing(arena, out, how):
    targets = {
        "gradebook": "gradebook.db",
        "source": f"source/{LESSON}/{LESSON}.ipynb",
        "ada's": f"submitted/ada/{LESSON}/{LESSON}.ipynb",
    }
    for student, target in targets.items():
        notebook = arena.hand_in(student=student) / f"{LESSON}.ipynb"
        notebook.unlink()
        getattr(notebook, how)(arena.folder / target)
    arena.grade(*targets)
    for student in targets:
        assert arena.scores(student) == NOTHING, student
        assert "is a link" in arena.pages[student], student
        assert not any(b"BEGIN SOLUTION" in content for content in out(student).values()), student
        (arena.place(student) / f"{LESSON}.ipynb").unlink()  # else ada's is a link too


def test_linked_answers_earn_nothing(arena):
    place = arena.hand_in(FULL_WORK)
    theirs = arena.place("ada") / ".course"
    (place / ".course").symlink_to(theirs)
    arena.grade("mallory")
    assert arena.scores() == FULL | {"quiz-twice": 0.0, "quiz-even": 0.0}


def test_a_linked_submission_folder_earns_nothing(arena):
    arena.place().parent.mkdir(parents=True)
    arena.place().symlink_to(arena.place("ada"))
    arena.grade("mallory")
    assert arena.scores() == NOTHING


def test_a_submission_that_is_a_file_is_graded_with_its_reason(arena):
    arena.place().parent.mkdir(parents=True)
    arena.place().write_text("I am no folder", encoding="utf-8")
    arena.grade("mallory")
    assert arena.scores() == NOTHING


TIMES = {
    "past": "2000-01-01 00:00:00 UTC",
    "none": "9999-99-99",
    "endless": "x" * 10**6,
    "a null byte": "\x00",
    "future": "9999-12-31 23:59:59 UTC",
    "a number": "-1",
    "far away": "2026-11-29 10:00:00 +9999",
}


def test_a_forged_time_stops_nothing_and_earns_nothing(arena):
    for student, text in TIMES.items():
        place = arena.hand_in(FULL_WORK, student=student)
        (place / "timestamp.txt").write_text(text, encoding="utf-8")
    arena.grade(*TIMES)
    earned = {student: arena.scores(student)["check-double"] for student in TIMES}
    assert earned == dict.fromkeys(TIMES, 3)


STUDENTS = [
    "[a-z]*", "?", "*", "--help", "-rf", "a..b", ".hidden", "new\nline", "tab\tname",
    "李雷 韩梅梅", "🦊", "a" * 200, "quote'\"", "%s{0}", "semi;colon", "a,b", "<b>x", "$(id)",
]  # fmt: skip


def test_students_of_any_name_are_graded(arena):
    for student in STUDENTS:
        arena.hand_in(FULL_WORK, RIGHT, student=student)
    assert set(STUDENTS) < set(students_of(arena.folder / "submitted", LESSON))
    arena.grade(*STUDENTS)
    for student in STUDENTS:
        assert arena.events[student].status == "graded", student
        assert arena.scores(student) == FULL, student
        assert "<b>x" not in arena.pages[student]


def test_a_students_name_adds_no_row_to_the_table_of_grades(arena):
    from course_utils.grading.export import CourseExport

    name = f"mallory\n{LESSON},,,mallory,,,,8.0,0.0,8.0,8.0"
    arena.hand_in({}, student=name)
    arena.grade(name)
    table = arena.folder.parent / "grades.csv"
    with open_gradebook(f"sqlite:///{arena.folder}/gradebook.db", "mini") as gradebook:
        CourseExport(to=str(table)).export(gradebook)
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert rows == {"ada": 8.0, name: 0.0}


def test_notebooks_of_any_name_are_found(arena):
    names = ["作业 最终版 (2).ipynb", "🦊.ipynb", "a" * 200 + ".ipynb", "new\nline.IPYNB",
             "--help.ipynb", "[x]*.ipynb"]  # fmt: skip
    for student, name in zip("abcdef", names, strict=True):
        place = arena.hand_in(FULL_WORK, student=student)
        (place / f"{LESSON}.ipynb").rename(place / name)
    arena.grade(*"abcdef")
    assert [arena.scores(student)["check-double"] for student in "abcdef"] == [3] * len(names)


def test_thousands_of_files_hold_up_nothing(arena):
    place = arena.hand_in(FULL_WORK)
    for number in range(3000):
        (place / f"{number}.ipynb").touch()
    began = time.monotonic()
    arena.grade("mallory")
    assert time.monotonic() - began < 20
    assert arena.scores()["check-double"] == 3


def test_a_configuration_in_the_submission_is_not_read(arena):
    place = arena.hand_in(FULL_WORK)
    for name in ("nbgrader_config.py", "jupyter_config.py", "jupyter_nbconvert_config.py"):
        (place / name).write_text("c.Autograde.enabled = 1 / 0", encoding="utf-8")
    arena.grade("mallory")
    assert arena.scores()["check-double"] == 3


def test_a_locked_gradebook_is_waited_for_with_a_word(arena, monkeypatch, caplog):
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.2)
    arena.hand_in(FULL_WORK, RIGHT)
    other = sqlite3.connect(arena.folder / "gradebook.db", check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    free = threading.Timer(1, other.rollback)
    free.start()
    try:
        arena.grade("mallory")
    finally:
        free.join()
        other.close()
    assert arena.scores() == FULL
    assert "The gradebook is locked by another program; waiting for it." in caplog.text


def test_one_submission_that_the_machine_fails_on_stops_no_other(arena, monkeypatch):
    from course_utils.grading import driver

    arena.hand_in(FULL_WORK, RIGHT)
    arena.hand_in(FULL_WORK, RIGHT, student="zoe")
    real = driver.grade_submission

    def fail(assignment, submission, student, make_runner):
        if student == "mallory":
            raise OSError("no space left on device")
        return real(assignment, submission, student, make_runner)

    monkeypatch.setattr(driver, "grade_submission", fail)
    events = arena.grade("mallory", "zoe")
    assert (events["mallory"].status, events["zoe"].status) == ("failed", "graded")
    assert "no space left" in events["mallory"].problem
    assert arena.scores("zoe") == FULL


def test_a_manual_score_and_comment_stay_when_work_is_graded_again(arena):
    from nbgrader.api import Gradebook

    arena.hand_in({}, RIGHT)
    arena.grade("mallory")
    with Gradebook(f"sqlite:///{arena.folder}/gradebook.db", "mini") as gradebook:
        grade = gradebook.find_grade("check-double", LESSON, LESSON, "mallory")
        grade.manual_score = 1.5
        comment = gradebook.find_comment("double", LESSON, LESSON, "mallory")
        comment.manual_comment = "Nearly."
        gradebook.db.commit()
    arena.grade("mallory", force=True)
    with Gradebook(f"sqlite:///{arena.folder}/gradebook.db", "mini") as gradebook:
        grade = gradebook.find_grade("check-double", LESSON, LESSON, "mallory")
        assert (grade.score, grade.auto_score, grade.needs_manual_grade) == (1.5, 0.0, True)
    assert "Nearly." in arena.pages["mallory"]
    assert "4.5 of 8 points" in arena.pages["mallory"]
