"""One submission through graft, run and judge."""

import json

import pytest

from course_utils.grading.execute import runs_in
from course_utils.grading.grade import grade_submission, read_for
from course_utils.grading.runner import ProcessRunner
from tests.grading.lesson import DOUBLE, RIGHT, SQUARED, TOTAL, hand_in, work
from tests.grading.test_execute import Pretended


@pytest.fixture
def grade(assignment, tmp_path):
    """Grades a notebook with answers; returns scores by grade id, and the whole result."""

    def run(notebook, answers=None, runner=Pretended):
        folder = hand_in(tmp_path / "work", notebook, answers)
        submission = read_for(assignment, folder)
        graded = grade_submission(assignment, submission, "ada", runs_in(runner))
        return {item.grade_id: item.score for item in graded.items}, graded

    return run


def test_right_work_earns_all_points_in_a_process_of_its_own(grade):
    scores, graded = grade(work({"double": DOUBLE, "total": TOTAL}), RIGHT, ProcessRunner)
    assert scores == {"check-double": 3, "check-total": 2, "quiz-twice": 1, "quiz-even": 2}
    assert graded.remarks == []


def test_untouched_work_earns_nothing_and_is_not_called_wrong(grade):
    scores, graded = grade(work({}))
    assert set(scores.values()) == {0}
    assert {item.status for item in graded.items} == {"open"}
    assert graded.blank == {"double", "total"}


def test_a_known_mistake_gets_its_hint(grade):
    scores, graded = grade(work({"double": SQUARED, "total": TOTAL}), {"even": ["ten", "odd"]})
    assert scores["check-double"] == 0
    assert scores["check-total"] == 2
    assert "squared instead" in graded.items[0].html
    assert scores["quiz-even"] == 0
    noted = json.loads(graded.notebook)["metadata"]["course"]["items"]
    double = {"name": "double", "kind": "check", "status": "wrong", "score": 0.0, "points": 3}
    assert noted[0] == double | {"mistake": "squared"}
    assert [item["status"] for item in noted] == ["wrong", "right", "open", "wrong"]
    assert [item["mistake"] for item in noted[1:]] == [""] * 3


def test_the_graded_notebook_carries_the_scores_as_nbgrader_reads_them(grade):
    _, graded = grade(work({"double": DOUBLE}), {"even": ["ten"]})
    cells = {cell["id"]: cell for cell in json.loads(graded.notebook)["cells"]}
    texts = {
        name: cell["outputs"][0]["data"]["text/plain"]
        for name, cell in cells.items()
        if name.startswith(("check-", "quiz-"))
    }
    assert texts == {
        "check-double": ["3.0"],
        "check-total": ["0.0"],
        "quiz-twice": ["0.0"],
        "quiz-even": ["1.0"],
    }
