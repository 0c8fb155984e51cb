"""The report's numbers against numbers worked out by hand."""

import math

import pytest

from course_utils.quiz.answers import empty_answers
from course_utils.reporting.measures import (
    discrimination,
    histogram,
    mean,
    median,
    minutes_of_steps,
    minutes_worked,
    share,
)

DAY = "2026-11-29T"


def answers(questions=None, checks=None):
    """An answers file: times of each question's attempts, and of each check."""
    noted = empty_answers("01_mini")
    for name, times in (questions or {}).items():
        attempts = [{"answer": "a", "time": time} for time in times]
        noted["answers"][name] = attempts[-1] | {"attempts": attempts}
    noted["checks"] = {name: {"time": time} for name, time in (checks or {}).items()}
    return noted


def test_a_histogram_counts_by_tenths_and_puts_full_marks_into_the_last():
    shares = [0, 0.05, 0.1, 0.299, 0.3, 0.95, 1.0, 1.2, 7 / 10, 0.1 + 0.2]
    assert histogram(shares) == [2, 1, 1, 2, 0, 0, 0, 1, 0, 3]


def test_means_of_nothing_are_nothing():
    assert mean([]) is median([]) is share(0, 0) is None
    assert (mean([1, 2, 6]), median([1, 2, 6]), share(1, 4)) == (3, 2, 0.25)


def test_discrimination_is_the_point_biserial_with_the_rest_of_the_test():
    # Item 1,1,1,0,0; rest 4,3,2,2,1: the right ones have mean 3, all 2.4, the others 1.5; the
    # rest's standard deviation is sqrt(1.04). Point-biserial: (3 - 1.5) / sqrt(1.04) * sqrt(.6*.4).
    item, rest = [1, 1, 1, 0, 0], [4, 3, 2, 2, 1]
    total = [one + other for one, other in zip(item, rest, strict=True)]
    expected = 1.5 / math.sqrt(1.04) * math.sqrt(0.24)
    assert discrimination(item, total) == pytest.approx(expected)
    assert expected == pytest.approx(0.7206, abs=1e-4)


def test_discrimination_of_partial_credit_is_a_correlation_and_may_be_negative():
    # Item 0, 1, 2, 1, 0.5 (mean .9) and rest 4, 3, 1, 2, 5 (mean 3): products of the deviations
    # sum to -.9 + 0 - 2.2 - .1 - .8 = -4; squares to 2.2 and 10.
    item, rest = [0, 1, 2, 1, 0.5], [4, 3, 1, 2, 5]
    total = [one + other for one, other in zip(item, rest, strict=True)]
    assert discrimination(item, total) == pytest.approx(-4 / math.sqrt(2.2 * 10))


@pytest.mark.parametrize(
    ("item", "total"),
    [
        ([], []),
        ([1, 0, 1, 0], [4, 1, 3, 2]),
        ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]),
        ([1, 0, 1, 0, 1], [3, 2, 3, 2, 3]),
    ],
    ids=["nobody", "four learners", "all right", "an equal rest"],
)
def test_discrimination_is_silent_where_it_says_nothing(item, total):
    assert discrimination(item, total) is None


def test_a_step_takes_the_minutes_since_the_step_before():
    noted = answers(
        {"one": [f"{DAY}20:00:00Z", f"{DAY}20:03:00Z"], "two": [f"{DAY}20:05:00Z"]},
        {"double": f"{DAY}20:17:30Z", "total": f"{DAY}22:00:00Z"},
    )
    steps = minutes_of_steps(noted)
    assert steps == {"quiz-two": 2.0, "check-double": 12.5}
    assert minutes_worked(noted) == 17.5


def test_impossible_times_count_for_nothing():
    noted = answers({"one": ["2026-99-99T99:99:99Z"], "two": [f"{DAY}20:05:00Z"]})
    assert minutes_of_steps(noted) == {}
    assert minutes_worked(noted) is None
    assert minutes_worked(empty_answers("x")) is None
