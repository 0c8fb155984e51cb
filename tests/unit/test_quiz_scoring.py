"""Scores: exact, partial where several picks are asked, and 0 with a reason for anything odd."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.quiz.scoring import Verdict, fault_of, judge_answer, word_on_number

SINGLE = {
    "kind": "single",
    "points": 2,
    "text": "?",
    "choices": [
        {"id": "four", "text": "4", "right": True, "why": ""},
        {"id": "two", "text": "2", "right": False, "why": ""},
        {"id": "one", "text": "1", "right": False, "why": ""},
    ],
}
MULTIPLE = {
    "kind": "multiple",
    "points": 3,
    "text": "?",
    "choices": [
        {"id": name, "text": name, "right": name in ("red", "green"), "why": ""}
        for name in ("red", "green", "car", "tree")
    ],
}
NUMERIC = {
    "kind": "numeric",
    "points": 1,
    "text": "?",
    "answer": 2.5,
    "tolerance": 0.01,
    "why": "because",
    "hint": "look again",
    "slips": [{"value": 1.25, "why": "you halved it"}],
}
QUESTIONS = [SINGLE, MULTIPLE, NUMERIC]


def test_the_right_choice_earns_all_points():
    assert judge_answer(SINGLE, "four") == Verdict(2.0, 2.0, right=True, valid=True)


def test_a_wrong_choice_earns_nothing_and_is_a_valid_answer():
    assert judge_answer(SINGLE, "two") == Verdict(0.0, 2.0, right=False, valid=True)


@pytest.mark.parametrize(
    ("picks", "points"),
    [
        (["red", "green"], 3.0),
        (["green", "red"], 3.0),
        (["red"], 1.5),
        (["red", "green", "car"], 1.5),
        (["red", "car"], 0.0),
        (["car"], 0.0),
        (["car", "tree"], 0.0),
        (["red", "green", "car", "tree"], 0.0),
    ],
)
def test_several_picks_earn_right_minus_wrong_over_the_number_of_right_choices(picks, points):
    verdict = judge_answer(MULTIPLE, picks)
    assert verdict.points == points
    assert verdict.right == (points == 3.0)
    assert verdict.valid


@pytest.mark.parametrize("number", [2.5, 2.51, 2.49, 2.5099999])
def test_a_number_within_the_tolerance_is_right(number):
    assert judge_answer(NUMERIC, number).right


@pytest.mark.parametrize("number", [2.52, 0, -2.5, 1e99, 5e-324])
def test_a_number_beyond_the_tolerance_is_wrong_and_valid(number):
    verdict = judge_answer(NUMERIC, number)
    assert (verdict.points, verdict.valid) == (0.0, True)


def test_an_integer_answers_a_numeric_question():
    assert judge_answer({**NUMERIC, "answer": 15, "tolerance": 0}, 15).right


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        (SINGLE, None, "not_answered"),
        (MULTIPLE, None, "not_answered"),
        (NUMERIC, None, "not_answered"),
        (MULTIPLE, [], "not_answered"),
        (SINGLE, "five", "unknown_choice"),
        (SINGLE, "", "unknown_choice"),
        (SINGLE, ["four"], "wrong_type"),
        (SINGLE, 4, "wrong_type"),
        (SINGLE, True, "wrong_type"),
        (MULTIPLE, "red", "wrong_type"),
        (MULTIPLE, {"red": 1}, "wrong_type"),
        (MULTIPLE, [["red"]], "wrong_type"),
        (MULTIPLE, ["red", "blue"], "unknown_choice"),
        (MULTIPLE, ["red", "red"], "repeated_choice"),
        (NUMERIC, "2.5", "wrong_type"),
        (NUMERIC, True, "wrong_type"),
        (NUMERIC, [2.5], "wrong_type"),
        (NUMERIC, math.nan, "not_finite"),
        (NUMERIC, math.inf, "not_finite"),
        pytest.param(NUMERIC, 10**5000, "too_large", id="thousands of digits"),
        (NUMERIC, -1e300, "too_large"),
    ],
)
def test_an_answer_that_cannot_be_judged_earns_nothing_and_says_why(question, answer, reason):
    verdict = judge_answer(question, answer)
    assert verdict == Verdict(0.0, question["points"], right=False, valid=False, reason=reason)


def test_an_object_that_claims_to_equal_everything_is_no_answer():
    class Everything:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert not judge_answer(SINGLE, Everything()).valid
    assert not judge_answer(MULTIPLE, [Everything()]).valid
    assert not judge_answer(NUMERIC, Everything()).valid


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
picks = st.lists(st.sampled_from(["red", "green", "car", "tree", "blue"]), max_size=6)


@given(st.sampled_from(QUESTIONS), json_like | picks | st.sampled_from(["four", "two"]))
def test_whatever_the_answer_the_score_is_finite_and_within_its_bounds(question: Any, answer: Any):
    verdict = judge_answer(question, answer)
    assert 0.0 <= verdict.points <= verdict.out_of == question["points"]
    assert verdict.right == (verdict.points == verdict.out_of)
    assert verdict.valid == (verdict.reason == "")


@pytest.mark.parametrize("kind", ["single", "numeric"])
def test_a_question_without_key_is_not_judged_but_its_answers_are_still_checked(kind):
    bare = {"kind": kind, "points": 1, "text": "?"}
    if kind == "single":
        bare["choices"] = [{"id": "four", "text": "4"}, {"id": "two", "text": "2"}]
    with pytest.raises(ValueError, match="carries no key"):
        judge_answer(bare, "four")
    assert fault_of(bare, "four" if kind == "single" else 4.0) == ""
    assert fault_of(bare, ["four"]) == "wrong_type"


def test_a_number_is_met_with_its_explanation_its_recognised_slip_or_the_hint():
    assert word_on_number(NUMERIC, 2.5) == "because"
    assert word_on_number(NUMERIC, 1.25) == "you halved it"
    assert word_on_number(NUMERIC, 7) == "look again"
