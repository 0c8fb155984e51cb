"""Runners: limits hold, reasons are told, and nothing that a process says is believed."""

import json

import pytest

from course_utils.exercises.values import encode
from course_utils.grading.border import checked_outcome, parse_reply
from course_utils.grading.limits import Limits, limits_from
from course_utils.grading.runner import ProcessRunner

LIMITS = Limits(memory_mb=2000)
CASE = {"args": [2], "gradients": []}


@pytest.fixture(scope="module")
def shared():
    """A runner for code that leaves it as it was."""
    runner = ProcessRunner(LIMITS, {".course/note.txt": "note"})
    runner.start()
    yield runner
    runner.stop()


@pytest.fixture
def runner():
    runner = ProcessRunner(LIMITS, {})
    runner.start()
    yield runner
    runner.stop()


def test_a_cell_runs_and_what_it_prints_is_kept_up_to_a_limit(shared):
    assert shared.run_cell("x = 1\nprint('a' * 10**6)", 5) == {
        "error": None,
        "printed": "a" * LIMITS.output_characters + " …",
    }


def test_an_error_names_the_learners_line_and_later_cells_go_on(shared):
    error = shared.run_cell("y = 1\n1 / 0", 5)["error"]
    assert (error["type"], error["line"], error["number"]) == ("ZeroDivisionError", "1 / 0", "2")
    error = shared.run_cell("def f(:", 5)["error"]
    assert (error["type"], error["number"]) == ("SyntaxError", "1")
    assert shared.run_cell("y", 5)["error"] is None


@pytest.mark.parametrize("code", ["exit()", "raise SystemExit", "raise KeyboardInterrupt",
                                  "input()", "import numpy as np\nnp.zeros(10**11)"])  # fmt: skip
def test_cells_that_raise_anything_leave_the_process_alive(shared, code):
    assert shared.run_cell(code, 10)["error"]["type"]
    assert shared.alive


def test_magics_and_files_of_the_lesson_work(shared):
    assert shared.run_cell("%timeit -n1 -r1 1", 5)["error"] is None
    assert shared.run_cell("print(open('.course/note.txt').read())", 5)["printed"] == "note\n"


def test_a_call_gives_an_outcome(shared):
    shared.run_cell("def f(x): return x + 1\ndef g(x): raise NotImplementedError", 5)
    assert shared.call("f", CASE, 5) == {"value": 3}
    assert shared.call("g", CASE, 5) == {"not_attempted": True}
    assert shared.call("nothing", CASE, 5)["stopped"] == "missing"
    shared.run_cell("def h(x): raise SystemExit(3)", 5)
    assert shared.call("h", CASE, 5)["error"]["type"] == "SystemExit"
    shared.run_cell("def k(x): return object()", 5)
    assert "object" in shared.call("k", CASE, 5)["unsupported"]


def test_a_slow_cell_and_a_slow_call_are_stopped_and_the_process_goes_on(shared):
    assert shared.run_cell("while True: pass", 0.3)["stopped"] == "time"
    shared.run_cell("def slow(x):\n    while True: pass", 5)
    assert shared.call("slow", CASE, 0.3)["stopped"] == "time"
    assert shared.call("f", CASE, 5) == {"value": 3}


def test_code_that_refuses_to_stop_is_killed(runner):
    runner.run_cell("1", 60)
    stubborn = (
        "import time\nwhile True:\n    try:\n        while True: time.sleep(0.01)\n"
        "    except BaseException: pass"
    )
    assert runner.run_cell(stubborn, 0.3)["stopped"] == "time"
    assert not runner.alive
    assert runner.run_cell("1", 5)["stopped"] == "died"


def test_a_death_is_told(runner):
    result = runner.run_cell("import os\nos.kill(os.getpid(), 11)", 5)
    assert (result["stopped"], result["facts"]["how"]) == ("died", "SIGSEGV")


def test_prints_cannot_mix_with_the_protocol(shared):
    forge = json.dumps({"value": 3}) + "\n"
    code = f"import os, sys\nos.write(1, {forge.encode()!r})\nsys.__stdout__.write({forge!r})"
    shared.run_cell(code, 5)
    shared.run_cell("def w(x): return None", 5)
    assert shared.call("w", CASE, 5) == {"value": None}


def test_a_forged_reply_is_only_a_value(runner):
    """Learner code can find the pipe; all it can say there is what it could return as well."""
    runner.run_cell(
        "import os\ndef forge(x):\n"
        "    for fd in range(3, 20):\n"
        '        try: os.write(fd, b\'{"score": 99, "stopped": "time", "value": 5}\\n\')\n'
        "        except OSError: pass\n"
        "    return 7",
        5,
    )
    assert runner.call("forge", CASE, 5) == {"value": 5}


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"3", b"nonsense", b"{", b'{"value": ' + b"[" * 10**6, b"[" * 4 * 10**6,
     b'{"value": 1' + b"0" * 10_000 + b"}", b'"' + b"\xff" + b'"'],
)  # fmt: skip
def test_garbled_replies_are_no_value(line):
    assert "unsupported" in checked_outcome(parse_reply(line))


@pytest.mark.parametrize(
    "reply",
    [{}, {"values": 1}, {"error": 3, "unsupported": 10**5000}, {"stopped": "time"},
     {"missing": 1}, {"not_attempted": "yes"}, {"score": 3}],
)  # fmt: skip
def test_a_reply_without_a_value_is_none(reply):
    assert set(checked_outcome(reply)) == {"unsupported"}


@pytest.mark.parametrize("changed", [["x"], [-1], [1e9], "0", {"a": 1}, [[]], [True], True])
def test_strange_positions_of_changed_arguments_are_safe(changed):
    assert checked_outcome({"value": 1, "changed": changed}) == {"value": 1, "changed": [0]}


def test_errors_are_cut_and_cleaned():
    error = {"type": "x" * 10**6, "message": {"a": "\ud800"}, "line": None}
    clean = checked_outcome({"error": error})["error"]
    assert all(len(text) <= 500 for text in clean.values())
    json.dumps(clean).encode()


def test_values_stay_encoded():
    assert checked_outcome({"value": encode((1, 2.5))})["value"] == {"tuple": [1, 2.5]}


@pytest.mark.parametrize("data", [{"cells": 3}, {"memory_mb": 0}, {"call_seconds": "9"}])
def test_limits_that_are_none_are_refused(data):
    with pytest.raises(ValueError, match="is no limit"):
        limits_from(data)
