"""Questions with a number as their answer, from plain data."""

import pytest

from course_utils.quiz.answers import empty_answers
from course_utils.reporting.analysis import analyse
from course_utils.reporting.findings import findings
from course_utils.reporting.gather import Lesson, Student, Work

QUESTION = {
    "kind": "numeric", "points": 1, "text": "2 + 2?", "answer": 4, "tolerance": 0.01, "why": "",
    "hint": "", "slips": [{"value": 0, "why": "You subtracted."}],
}  # fmt: skip
GIVEN = [[0, 4.005], [0.0, 5], [4], [3.99999], [7], ["four"], [1e300, 4]]


@pytest.fixture
def stats():
    kit = {"title": "Sums", "lang": "en", "questions": {"sum": QUESTION}, "exercises": {}}
    works = []
    for number, given in enumerate(GIVEN):
        answers = empty_answers("x")
        tries = [{"answer": value, "time": "2026-11-29T20:00:00Z"} for value in given]
        answers["answers"]["sum"] = tries[-1] | {"attempts": tries}
        works.append(Work(f"s{number}", answers))
    return analyse(Lesson("x", kit, 1.0, works=works), [Student(work.student) for work in works])


def test_numbers_that_are_right_count_as_one_and_slips_are_explained(stats):
    (question,) = stats.questions
    assert question.answered == 6  # "four" is no number, 1e300 too large to be an answer
    assert (question.first, question.last) == (0.5, pytest.approx(4 / 6))
    shown = [(one.text, one.right, round(6 * one.first), round(6 * one.last), one.note)
             for one in question.drawn]  # fmt: skip
    assert shown == [
        ("4", True, 3, 4, ""),
        ("0", False, 2, 0, "You subtracted."),
        ("7", False, 1, 1, ""),
        ("5", False, 0, 1, ""),
    ]


def test_what_half_of_the_class_got_wrong_is_worth_a_look(stats):
    assert findings([stats]) == []
    stats.questions[0] = type(stats.questions[0])(**{**vars(stats.questions[0]), "first": 0.4})
    (found,) = findings([stats])
    assert (found.key, found.item) == ("look_lure", "quiz-sum")
    assert found.values["text"] == "0"
