"""`check`: each way in which work can be unfinished, wrong or right, and what is said of it."""

import json

import numpy as np
import pytest
import torch

from course_utils.exercises.call import call_case
from course_utils.exercises.check import check_exercise
from course_utils.exercises.judge import judge_exercise
from course_utils.exercises.values import encode
from course_utils.kit import answers_path


def kit_for(function, cases, mistakes=(), gradients=(), lang="en"):
    """A kit with one exercise `work`, its values taken from `function`."""
    entries = []
    for args in cases:
        encoded = [encode(arg) for arg in args]
        right = call_case(function, encoded, list(gradients))
        entry = {
            "note": "a case",
            "args": encoded,
            "gradients": list(gradients),
            "expected": right["value"],
            "mistakes": {m.__name__: call_case(m, encoded, list(gradients)) for m in mistakes},
        }
        if gradients:
            entry["expected_gradients"] = right["gradients"]
        entries.append(entry)
    exercise = {
        "points": 4,
        "rtol": 1e-6,
        "atol": 1e-9,
        "cases": entries,
        "hints": {m.__name__: f"You wrote {m.__name__}." for m in mistakes},
    }
    return {
        "lesson": "01_mini",
        "lang": lang,
        "title": "Mini",
        "questions": {},
        "exercises": {"work": exercise},
    }


def right_work(x):
    return np.asarray(x) * 2.0


def squared(x):
    return np.asarray(x) ** 2


CASES = [(np.array([1.0, 2.0]),), (np.array([[3.0, 4.0]]),)]


@pytest.fixture
def kit():
    return kit_for(right_work, CASES, [squared])


def report_on(kit, work, tmp_path):
    work.__name__ = "work"
    return check_exercise(kit, work, tmp_path)


def test_right_work_gets_full_points_and_says_so(kit, tmp_path):
    report = report_on(kit, lambda x: x + x, tmp_path)
    assert (report.status, report.score, report.remarks) == ("right", 4, [])
    assert "2 cases pass" in report.text()


def test_its_plain_text_is_the_score(kit, tmp_path):
    assert repr(report_on(kit, lambda x: x + x, tmp_path)) == "4.0"


def test_a_stub_is_not_attempted_rather_than_wrong(kit, tmp_path):
    def work(x):
        raise NotImplementedError

    report = report_on(kit, work, tmp_path)
    assert (report.status, report.score) == ("open", 0)
    assert not answers_path("01_mini", tmp_path).exists()


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda x: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda x: list(x), "should be of type numpy array, but is of type list"),
        (lambda x: torch.tensor(x) * 2, "of type numpy array, but is of type torch tensor"),
        (lambda x: None, "but is of type None"),
        (lambda x: (2 * x)[..., None], "should have shape (2,), but has shape (2, 1)"),
        (lambda x: (2 * x).astype(bool), "should hold float numbers, but its dtype is bool"),
        (lambda x: 2 * x + (x > 1.5), "1 of 2 entries of the result are wrong"),
        (lambda x: 2 * x + (x > 1.5), "[1]: 4 → 5"),
        (lambda x: x * np.nan, "2 → nan"),
        (lambda x: object(), "a value of type object cannot be judged"),
        (lambda: 3, "TypeError"),
    ],
)
def test_what_exactly_is_wrong_is_said(kit, tmp_path, work, told):
    report = report_on(kit, work, tmp_path)
    assert report.score == 0
    assert told in report.text()
    assert report.hint is None


def test_a_known_mistake_is_recognised_by_its_values(kit, tmp_path):
    report = report_on(kit, lambda x: x * x, tmp_path)
    assert report.hint == "You wrote squared."
    assert "You wrote squared." in report._repr_html_()


def test_a_mistake_on_only_some_cases_is_recognised_too(kit, tmp_path):
    def work(x):
        return x * x if x.ndim == 1 else 2 * x

    report = report_on(kit, work, tmp_path)
    assert (report.status, report.score) == ("partly", 2)
    assert report.hint == "You wrote squared."


def test_changing_an_argument_in_place_is_reported_and_later_cases_get_fresh_copies(tmp_path):
    same = (np.array([1.0, 2.0]),)

    def work(x):
        x *= 2.0
        return x

    report = report_on(kit_for(right_work, [same, same]), work, tmp_path)
    assert report.score == 0
    assert all("argument number 1 in place" in case.complaints[0] for case in report.cases)


def test_an_int_is_taken_where_a_float_is_due_but_not_the_other_way_round(tmp_path):
    floats = kit_for(lambda x: float(x), [(2,)])
    assert report_on(floats, lambda x: x, tmp_path).score == 4
    ints = kit_for(lambda x: int(x), [(2,)])
    told = report_on(ints, lambda x: float(x), tmp_path).text()
    assert "should be of type int, but is of type float" in told


def test_gradients_are_compared_where_a_case_asks(tmp_path):
    def right(x):
        return (x**2).sum()

    kit = kit_for(right, [(torch.tensor([1.0, 2.0]),)], gradients=[0])
    assert report_on(kit, lambda x: x @ x, tmp_path).score == 4
    cut = report_on(kit, lambda x: (x.detach() ** 2).sum(), tmp_path)
    assert "the gradient [0]" in cut.text().lower()


def test_the_learners_own_line_is_named(kit, tmp_path):
    def work(x):
        first = x[0]
        return first.no_such_attribute

    text = report_on(kit, work, tmp_path).text()
    assert "return first.no_such_attribute" in text


def test_prints_of_the_learner_are_left_alone(kit, tmp_path, capsys):
    report_on(kit, lambda x: print("looking at", x.shape) or 2 * x, tmp_path)
    assert "looking at (2,)" in capsys.readouterr().out


def test_the_result_is_noted_in_the_answers_file(kit, tmp_path):
    def work(x):
        return 2 * x

    report_on(kit, work, tmp_path)
    noted = json.loads(answers_path("01_mini", tmp_path).read_text(encoding="utf-8"))
    assert noted["checks"]["work"]["score"] == 4


def test_a_function_of_another_name_is_answered_with_the_names_there_are(kit, tmp_path):
    with pytest.raises(ValueError, match=r"called squared.*check\(work\)"):
        check_exercise(kit, squared, tmp_path)


def test_everything_is_said_in_chinese_in_a_chinese_kit(tmp_path):
    kit = kit_for(right_work, CASES, [squared], lang="zh")
    text = report_on(kit, lambda x: 2 * x + (x > 1.5), tmp_path).text()
    assert "返回值的 2 个元素中有 1 个不对" in text
    assert "right" not in text


def test_an_error_stands_for_a_mistake_that_raises_the_same(tmp_path):
    def reversed_shape(x):
        raise IndexError

    kit = kit_for(right_work, CASES, [reversed_shape])
    report = report_on(kit, lambda x: x[9], tmp_path)
    assert report.hint == "You wrote reversed_shape."


@pytest.mark.parametrize("forged", [{}, {"value": {"array": 1}}, {"value": {"text": 4}}])
def test_forged_outcomes_score_nothing_and_never_raise(kit, forged):
    report = judge_exercise("work", kit["exercises"]["work"], [forged, forged], "en")
    assert report.score == 0


def test_html_is_escaped(kit, tmp_path):
    def work(x):
        raise ValueError("<script>alert(1)</script>")

    assert "<script>" not in report_on(kit, work, tmp_path).html()
