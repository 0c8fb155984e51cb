"""What a learner may write as an answer, and the friendly word when it cannot be read."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.quiz.given import Unclear, read_given
from course_utils.quiz.scoring import fault_of
from tests.unit.quiz_samples import questions

SINGLE, MULTIPLE, NUMERIC = questions().values()


@pytest.mark.parametrize("answer", ["b", "B", " b ", "b.", "(b)", "ｂ", "ln_four", ["b"], ("b",)])
def test_a_letter_of_the_shown_order_or_an_id_names_a_choice(answer):
    assert read_given(SINGLE, answer, "en") == "ln_four"


@pytest.mark.parametrize(
    "answer", [["a", "c"], "a, c", "a c", "a，c", "A、C", ["adds", "cures"], ["a", "cures", "a"]]
)
def test_several_letters_or_ids_in_a_list_or_in_one_text(answer):
    assert read_given(MULTIPLE, answer, "en") == ["adds", "cures"]


def test_a_set_names_the_same_choices():
    assert set(read_given(MULTIPLE, {"a", "c"}, "en")) == {"adds", "cures"}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (2.5, 2.5),
        (15, 15),
        (15.0, 15),
        ("2.5", 2.5),
        (" 2.5 ", 2.5),
        ("2,5", 2.5),
        ("0,125", 0.125),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("−1.5", -1.5),
        ("２．５", 2.5),
        (np.float32(2.5), 2.5),
        (np.int64(15), 15),
        (Fraction(5, 2), 2.5),
    ],
)
def test_a_number_may_be_typed_in_many_ways(answer, value):
    found = read_given(NUMERIC, answer, "en")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "answer",
    [
        *("abc", "", "2.5.1", "1/2", "2,500", "nan", "inf", "1e400", "٣"),
        *(math.nan, -math.inf, 10**400, True, None, [2.5]),
    ],
)
def test_what_is_no_finite_number_is_met_with_an_example(answer):
    with pytest.raises(Unclear, match=r"Write one like 2\.5"):
        read_given(NUMERIC, answer, "en")


@pytest.mark.parametrize("answer", ["d", "z", 3, None, "four five", ["x"], 2.5, object()])
def test_an_unknown_choice_is_met_with_the_letters_there_are(answer):
    with pytest.raises(Unclear, match="The choices are A, B, C"):
        read_given(SINGLE, answer, "en")


def test_the_word_is_in_the_learners_language():
    with pytest.raises(Unclear, match="没有选项“z”，可选的有 A、B、C。"):
        read_given(SINGLE, "z", "zh")


def test_a_single_choice_question_takes_one_choice():
    with pytest.raises(Unclear, match="takes one choice"):
        read_given(SINGLE, ["a", "b"], "en")


@pytest.mark.parametrize("answer", [[], "", "  ", ()])
def test_nothing_picked_is_said(answer):
    with pytest.raises(Unclear, match="Pick a choice first"):
        read_given(MULTIPLE, answer, "en")


def test_a_very_long_text_is_quoted_in_short():
    with pytest.raises(Unclear) as caught:
        read_given(NUMERIC, "x" * 10_000, "en")
    assert len(str(caught.value)) < 120


loose = st.one_of(
    st.text(max_size=8), st.integers(), st.floats(), st.lists(st.text(max_size=3), max_size=4)
)


@given(st.sampled_from([SINGLE, MULTIPLE, NUMERIC]), loose)
def test_whatever_is_given_becomes_a_valid_answer_or_a_friendly_word(question, anything):
    try:
        answer = read_given(question, anything, "en")
    except Unclear:
        return
    assert fault_of(question, answer) == ""
