"""The page that a learner gets back."""

import re

import nbformat
import pytest

from course_utils.grading.alone import marks_of
from course_utils.grading.execute import runs_in
from course_utils.grading.feedback import page_of
from course_utils.grading.grade import Assignment, grade_submission
from course_utils.grading.graft import parts_of
from course_utils.grading.submission import LearnerCell, Submission
from course_utils.quiz.answers import empty_answers
from tests.grading import lesson as mini
from tests.grading.test_execute import Pretended

SCRIPT = "<script>alert(1)</script><img src=http://example.org/x.png>"


@pytest.fixture(params=["en", "zh"])
def page(request, repository):
    kit = mini.build_kit(mini.LESSON, request.param, "judge", 1)
    notebook = mini.blank(request.param)
    assignment = Assignment(mini.LESSON, kit, parts_of(notebook), notebook.metadata)
    cells = [
        LearnerCell("code", f"def double(x):\n    return '{SCRIPT}'", "double", ""),
        LearnerCell("markdown", f"Mine: $x^2$ {SCRIPT}", "", ""),
        LearnerCell("code", f"raise ValueError('{SCRIPT}')", "", ""),
    ]
    answers = empty_answers(mini.LESSON)
    answers["answers"]["even"] = {"answer": ["ten", "odd"]}
    graded = grade_submission(
        assignment, Submission(cells, answers, ["About " + SCRIPT]), SCRIPT, runs_in(Pretended)
    )
    return page_of(graded.notebook, marks_of(graded))


def test_it_needs_nothing_from_the_network_and_runs_nothing(page):
    outside = set(re.findall(r"https?://[\w./]+", page))
    assert outside <= {"http://www.w3.org/1998/Math/MathML", "http://example.org/x.png"}
    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r"@import|url\(|<link|src=[\"']", page)
    assert "default-src 'none'" in page


def test_formulas_are_mathml(page):
    assert "<math" in page


def test_it_shows_the_verdicts_the_choice_and_its_explanation(page):
    assert "13" in page
    assert re.search("Odd|奇数", page)
    assert re.search("0 of 8 points|得分 0 / 8", page)
    for name in ("check-double", "check-total", "quiz-twice", "quiz-even"):
        assert f'id="{name}"' in page
    assert page.count("<style>") == 1
    assert "['" not in page.partition("</head>")[2]


def test_headings_stand_only_over_something(page):
    assert len(re.findall("<h2>", page)) == 2  # the remarks, and the one section of the lesson


def test_a_graders_comment_is_shown_and_nbgraders_own_is_not():
    from course_utils.grading.feedback import feedback_page

    cell = nbformat.v4.new_code_cell("def f(): ...")
    cell.metadata["nbgrader"] = {"solution": True, "grade_id": "f", "comment": "No response."}
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert "No response" not in feedback_page(notebook, {})
    cell.metadata["nbgrader"]["comment"] = "Well *done*."
    assert "Well <em>done</em>." in feedback_page(notebook, {})
