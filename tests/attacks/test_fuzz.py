"""Whatever a notebook, an answers file or a reply holds: it is read, and nothing raises."""

import contextlib
import json

import nbformat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_utils.exercises.compare import Tolerance, compare
from course_utils.exercises.judge import judge_exercise
from course_utils.exercises.values import ValueProblem, decode, encode
from course_utils.grading.border import checked_cell, checked_outcome, parse_reply
from course_utils.grading.graft import graft, parts_of
from course_utils.grading.submission import Unusable, cells_of, parse_notebook
from course_utils.quiz.answers import read_submitted_answers
from course_utils.quiz.scoring import judge_answer

FEW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
WORDS = st.sampled_from(
    ["cells", "cell_type", "code", "markdown", "raw", "source", "input", "metadata", "nbgrader",
     "grade_id", "id", "double", "total", "check-double", "worksheets", "outputs", "course",
     "value", "error", "type", "message", "line", "number", "changed", "gradients", "stopped",
     "missing", "unsupported", "array", "tensor", "dtype", "shape", "data", "float64", "int64",
     "tuple", "dict", "text", "float", "nan", "inf", "built", "printed", "answer", "answers"]
)  # fmt: skip
KEYS = WORDS | st.text(max_size=5)
JSON = st.recursive(
    LEAVES | WORDS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": WORDS | JSON,
        "source": st.text(max_size=60) | st.lists(JSON, max_size=4),
        "id": WORDS | st.text(max_size=80),
        "metadata": st.dictionaries(WORDS, JSON, max_size=3)
        | st.fixed_dictionaries({"nbgrader": st.dictionaries(WORDS, WORDS | JSON, max_size=4)}),
    },
)
MASTER = parts_of(
    nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("import numpy"),
            nbformat.v4.new_code_cell(
                "def double(): ...",
                id="double",
                metadata={"nbgrader": {"solution": True, "grade_id": "double", "grade": False}},
            ),
            nbformat.v4.new_code_cell(
                "check(double)",
                id="check-double",
                metadata={"nbgrader": {"grade": True, "grade_id": "check-double", "points": 3}},
            ),
        ]
    )
)


@FEW
@given(st.lists(CELLS | JSON, max_size=12))
def test_any_list_of_cells_gives_a_valid_notebook(cells):
    grafted = graft(MASTER, cells_of({"cells": cells}), "en")
    notebook = grafted.notebook({})
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode("utf-8")
    own = [part for part in grafted.parts if part.role in ("first", "exercise", "check")]
    assert [part.role for part in own] == ["first", "exercise", "check"]
    assert own[2].cell.source == "check(double)"
    assert own[2].points == 3


@FEW
@given(st.binary(max_size=200) | JSON.map(lambda data: json.dumps(data).encode()))
def test_any_bytes_are_a_notebook_or_refused(content):
    with contextlib.suppress(Unusable):
        cells_of(parse_notebook(content))


@FEW
@given(st.binary(max_size=200) | JSON.map(lambda data: json.dumps(data).encode()))
def test_any_reply_becomes_a_sound_outcome_that_can_be_judged(line):
    outcome = checked_outcome(parse_reply(line))
    assert len({"value", "error", "unsupported", "not_attempted", "stopped"} & set(outcome)) == 1
    cell = checked_cell(parse_reply(line), 100)
    assert cell["error"] is None or set(cell["error"]) == {"type", "message", "line", "number"}
    case = {"note": "", "args": [1], "gradients": [], "expected": {"float": "nan"}, "mistakes": {}}
    entry = {"points": 3, "rtol": 0, "atol": 0, "hints": {}, "cases": [case]}
    report = judge_exercise("f", entry, [outcome], "en")
    assert report.score == 0 or outcome["value"] == {"float": "nan"}
    json.dumps([report.html(), report.text()]).encode()


@FEW
@given(JSON)
def test_any_data_decodes_to_a_plain_value_or_is_refused(data):
    try:
        value = decode(data)
    except ValueProblem:
        return
    again = decode(encode(value))
    assert compare(value, again, Tolerance(0, 0)) is None


@FEW
@given(JSON)
def test_any_answers_file_is_read(tmp_path, data):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"version": 1, "lesson": "01_mini", "answers": data}))
    answers, _ = read_submitted_answers(path, lesson="01_mini")
    question = {"kind": "multiple", "points": 2, "choices": [
        {"id": "a", "right": True}, {"id": "b", "right": False}]}  # fmt: skip
    for entry in answers["answers"].values():
        assert 0 <= judge_answer(question, entry["answer"]).points <= 2
