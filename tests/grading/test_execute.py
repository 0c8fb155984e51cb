"""Which cells run, in which order, and what one bad cell costs (with a pretended runner)."""

from contextlib import nullcontext
from typing import ClassVar

import pytest

from course_utils.exercises.call import call_case
from course_utils.grading import nbgrader_hooks
from course_utils.grading.border import stopped
from course_utils.grading.execute import Job, run_submission, runs_in
from course_utils.grading.graft import graft, parts_of
from course_utils.grading.limits import Limits
from course_utils.grading.submission import LearnerCell
from tests.grading.lesson import DOUBLE, TOTAL, blank

CASES = {"double": [{"args": [3], "gradients": []}] * 2, "total": [{"args": [3], "gradients": []}]}


class Pretended:
    """Runs cells in this process; `die` and `hang` in a cell's text do what they say."""

    made: ClassVar[list] = []

    def __init__(self, limits, files):
        self.cpu_seconds = 0.0
        self.names, self.alive, self.ran = {}, False, []
        self.made.append(self)

    def start(self):
        self.alive = True

    def run_cell(self, source, seconds):
        self.ran.append(source)
        if "die" in source:
            self.alive = False
            return stopped("died", how="")
        try:
            exec(source, self.names)
        except Exception as problem:
            error = {"type": type(problem).__name__, "message": str(problem), "line": ""}
            return {"error": error, "printed": ""}
        return {"error": None, "printed": ""}

    def call(self, name, case, seconds):
        if name not in self.names:
            return stopped("missing")
        outcome = call_case(self.names[name], case["args"], [])
        if outcome.get("value") == {"text": "die"}:
            self.alive = False
            return stopped("died", how="")
        return stopped("time", seconds="1") if outcome.get("value") == {"text": "hang"} else outcome

    def stop(self):
        self.alive = False
        return ""


class Plain:
    """Runs submissions in this process, where it does not matter how they run."""

    width = 1

    def runs(self, last):
        return runs_in(Pretended)


def run_plainly(monkeypatch):
    """Let nbgrader's autograde and `course grade` run submissions so."""
    monkeypatch.setattr(nbgrader_hooks, "runners_of", lambda *given: nullcontext(Plain()))


@pytest.fixture
def run(repository):
    def go(cells, **settings):
        Pretended.made = []
        own = [LearnerCell("code", text, name, "") for name, text in cells]
        job = Job(graft(parts_of(blank()), own, "en"), CASES, Limits(), {}, **settings)
        return run_submission(job, Pretended)

    return go


def sources():
    return [[source.partition("\n")[0] for source in made.ran] for made in Pretended.made]


def test_demo_cells_are_left_out_and_own_cells_run_in_place(run):
    run([("", "before = 1"), ("double", DOUBLE), ("", "after = 1"), ("total", TOTAL)])
    first = "import numpy as np"
    assert sources() == [
        ["before = 1", first, "def double(x):", "after = 1", "def total(x):"],
    ]


def test_demo_cells_run_where_the_class_asks(run):
    run([("double", DOUBLE)], demos=True)
    assert "factor = 2" in sources()[0]


def test_a_name_that_a_demo_defines_makes_a_second_run_with_the_demos(run):
    ran = run([("double", "def double(x):\n    return x * factor"), ("total", TOTAL)])
    assert len(Pretended.made) == 2
    assert ran.outcomes["double"] == [{"value": 6}] * 2
    assert "error" in ran.outcomes["total"][0]


def test_a_name_that_nobody_defines_does_not(run):
    run([("double", "def double(x):\n    return x * nonsense"), ("total", TOTAL)])
    assert len(Pretended.made) == 1


def test_a_cell_that_ends_the_process_costs_its_own_exercise_only(run):
    ran = run([("double", "# die"), ("total", "def total(x):\n    return x")])
    assert ran.outcomes["double"] == [stopped("missing")] * 2
    assert ran.outcomes["total"] == [{"value": 3}]
    assert [r["stopped"] for r in ran.cells.values() if "stopped" in r] == ["died"]


def test_a_call_that_ends_the_process_is_not_repeated(run):
    ran = run([("double", "def double(x):\n    return 'd' + 'ie'"),
               ("total", "def total(x):\n    return x")])  # fmt: skip
    assert [one["stopped"] for one in ran.outcomes["double"]] == ["died", "died"]
    assert ran.outcomes["total"] == [{"value": 3}]
    assert len(Pretended.made) == 2


def test_after_a_call_out_of_time_the_others_of_the_exercise_are_not_made(run):
    ran = run([("double", "def double(x):\n    return 'hang'")])
    assert [one["stopped"] for one in ran.outcomes["double"]] == ["time", "time"]


def test_processes_are_not_started_without_end(run):
    own = [("", f"# die {n}") for n in range(20)]
    ran = run([*own, ("total", "def total(x):\n    return x")])
    assert len(Pretended.made) == 4
    assert ran.outcomes["total"][0]["stopped"] == "died"


def test_a_missing_exercise_cell_does_not_hide_a_function_of_the_learners_own(run):
    ran = run([("", "def total(x):\n    return x")])
    assert ran.outcomes["total"] == [{"value": 3}]
