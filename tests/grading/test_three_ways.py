"""`nbgrader autograde`, formgrader's button and `course grade` give equal scores."""

import json
import re
import shutil
import sys

import pytest

from course_utils.cli import main
from course_utils.grading import driver
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, SQUARED, TOTAL
from tests.grading.test_execute import run_plainly
from tests.grading.test_loop import begin, forked, in_a_fork

WORK = {
    "ada": ({"double": DOUBLE, "total": TOTAL}, RIGHT),
    "bob": ({"double": SQUARED, "total": "def total(x): return float(x[0])"}, {"even": ["ten"]}),
    "eve": ({}, {}),
    "fay": (
        {"double": "import os\nos._exit(3)", "total": "def total(x):\n    while True: ..."},
        {},
    ),
    "gus": ({"double": "def double(x): return factor * x"}, RIGHT),
}


def press_the_button():
    """What formgrader does when its button is pressed for a student."""
    from nbgrader.apps import NbGrader
    from nbgrader.apps.api import NbGraderAPI

    app = NbGrader()
    app.initialize([])
    api = NbGraderAPI(app.coursedir, parent=app)
    result = api.autograde(LESSON, "bob")
    assert result["success"], result


def state(folder):
    """Scores by student and cell, from the gradebook; and the graded notebooks."""
    rows = mini.grades(folder / "gradebook.db")
    notebooks = sorted((folder / "autograded").rglob("*.ipynb"))
    return rows, [(path.parent.parent.name, path.read_text("utf-8")) for path in notebooks]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A class with the lesson generated and the work handed in."""
    place = tmp_path_factory.mktemp("ways")
    patch = pytest.MonkeyPatch()
    mini.write_repository(place / "repository")
    mini.use_repository(place / "repository", patch)
    mini.make_class(place / "class", limits={"cell_seconds": 1, "call_seconds": 1})
    patch.chdir(place / "class")
    forked(["generate_assignment", LESSON])
    for student, (cells, answers) in WORK.items():
        folder = place / "class" / "submitted" / student / LESSON
        mini.hand_in(folder, mini.work(cells), answers)
    patch.undo()
    return place / "class"


@pytest.fixture
def classroom(generated, tmp_path, monkeypatch):
    """A copy of it, as the working folder."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    shutil.copytree(generated, tmp_path / "class")
    monkeypatch.chdir(tmp_path / "class")
    return tmp_path / "class"


def test_three_ways_to_the_same_scores(classroom, warmed):
    forked(["autograde", LESSON])
    rows, notebooks = state(classroom)
    sums = {}
    for student, _, score, *_ in rows:
        sums[student] = sums.get(student, 0) + score
    assert sums == {"ada": 8, "bob": 1, "eve": 0, "fay": 0, "gus": 6}

    in_a_fork(main, ["grade", ".", "--force", "--log", "log.jsonl"])
    assert state(classroom) == (rows, notebooks)
    lines = (classroom / "log.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["student"]: json.loads(line)["score"] for line in lines} == sums
    assert len(list((classroom / "feedback").rglob("*.html"))) == len(WORK)

    in_a_fork(press_the_button)
    assert state(classroom) == (rows, notebooks)


def test_options_of_course_grade(classroom, monkeypatch, capfd):
    run_plainly(monkeypatch)
    shutil.rmtree(classroom / "submitted" / "fay")  # here it would end this process
    in_a_fork(main, ["grade", ".", "--only", "a*", "bob", "--no-pages", "--workers", "1"])
    assert "2 graded, 0 had nothing new, 0 failed" in capfd.readouterr().out
    assert not (classroom / "feedback").exists()
    in_a_fork(main, ["grade", "."])
    assert "2 graded, 2 had nothing new, 0 failed" in capfd.readouterr().out
    assert len(list((classroom / "feedback").rglob("*.html"))) == 2
    assert main(["grade", ".", "--lesson", "09_none"]) == 2
    assert main(["grade", ".", "--only", "nobody"]) == 2
    assert main(["grade", "nothing"]) == 2


class Terminal:
    """What a command writes to when somebody looks on."""

    def __getattr__(self, name):
        return getattr(sys.__stderr__, name)

    def isatty(self):
        return True


def test_what_is_told_of_a_run_and_its_exit_code(classroom, monkeypatch, capfd):
    def grade(*options):
        sys.stderr = Terminal()
        return main(["grade", ".", *options])

    def failing(assignment, submission, student, run):
        if student == "eve":
            raise OSError("No space left on device")
        return real(assignment, submission, student, run)

    real = driver.grade_submission
    run_plainly(monkeypatch)
    with monkeypatch.context() as full_disk:
        full_disk.setattr(driver, "grade_submission", failing)
        assert begin(grade, "--log", "log.jsonl", "--only", "ada", "bob", "eve")() == 1
    said = capfd.readouterr()
    assert re.search(
        rf"{LESSON}: .* 3/3 \[\d\d:\d\d<00:00, .*/s\]", said.err
    )  # the rate, the time left
    assert "! eve: OSError: No space left on device" in said.err
    assert "2 graded, 0 had nothing new, 1 failed" in said.out
    assert re.search(r"mean 4\.5 of 8 points; \d+ a minute", said.out)
    lines = [json.loads(line) for line in (classroom / "log.jsonl").read_text().splitlines()]
    assert {line["student"]: line["status"] for line in lines} == {
        "ada": "graded", "bob": "graded", "eve": "failed"
    }  # fmt: skip
    assert begin(grade, "--only", "ada", "bob", "eve")() == 0
    assert "1 graded, 2 had nothing new, 0 failed" in capfd.readouterr().out


def test_a_class_is_not_graded_unconfined_without_its_word(classroom, monkeypatch, capfd):
    from course_utils.grading.confined import Warm

    monkeypatch.setattr(Warm, "why_not", lambda self: "this is a test")
    assert main(["grade", ".", "--only", "ada"]) == 2
    said = capfd.readouterr().err
    assert "cannot be confined on this system (this is a test)" in said
    assert '"unconfined": true' in said
    settings = json.loads((classroom / "class.json").read_text("utf-8"))
    (classroom / "class.json").write_text(json.dumps(settings | {"unconfined": True}))
    in_a_fork(main, ["grade", ".", "--only", "ada"])
    assert "1 graded" in capfd.readouterr().out
