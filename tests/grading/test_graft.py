"""What is taken from a submission, and what never is."""

import json

import nbformat
import pytest

from course_utils.grading.graft import graft, parts_of
from course_utils.grading.submission import LearnerCell, Unusable, cells_of, parse_notebook
from tests.grading.lesson import DOUBLE, SQUARED, TOTAL, blank, work


@pytest.fixture
def master(repository):
    return parts_of(blank())


def grafted(master, notebook):
    data = json.loads(nbformat.writes(notebook)) if not isinstance(notebook, dict) else notebook
    return graft(master, cells_of(data), "en")


def text_of(result, name):
    return next(p.cell.source for p in result.parts if p.role == "exercise" and p.name == name)


def roles(result):
    return [part.role for part in result.parts]


def test_only_the_exercises_text_is_taken(master):
    handed = work({"double": DOUBLE})
    for cell in handed.cells:
        cell.metadata["tags"] = ["skip-execution"]
        if cell.id == "check-double":
            cell.metadata.nbgrader["points"] = 100
            cell.source = "3.0"
            cell.outputs = [nbformat.v4.new_output("display_data", data={"text/plain": "3"})]
    result = grafted(master, handed)
    assert text_of(result, "double") == DOUBLE
    own = [p.cell for p in result.parts if p.grade_id == "check-double"]
    assert [cell.source for cell in own] == ["check(double)"]
    assert own[0].metadata.nbgrader["points"] == 3
    assert not own[0].outputs
    assert "tags" not in json.dumps([part.cell for part in result.parts])
    assert result.remarks["check-double"]


def test_moved_and_renamed_cells_are_found_by_grade_id(master):
    handed = work({"double": DOUBLE, "total": TOTAL})
    handed.cells.reverse()
    for cell in handed.cells:
        cell.id = f"new-{cell.id[:20]}"
    result = grafted(master, handed)
    assert (text_of(result, "double"), text_of(result, "total")) == (DOUBLE, TOTAL)
    assert roles(result) == [part.role for part in master]


def test_a_cell_that_lost_its_metadata_is_found_by_its_id(master):
    handed = work({"double": DOUBLE})
    for cell in handed.cells:
        cell.metadata = {}
    assert text_of(grafted(master, handed), "double") == DOUBLE


def test_the_first_copy_that_was_worked_on_wins_and_the_learner_is_told(master):
    handed = work({})
    at = [cell.id for cell in handed.cells].index("double")
    for text in (SQUARED, DOUBLE):
        copy = nbformat.from_dict(handed.cells[at])
        copy = nbformat.v4.new_code_cell(text, metadata=copy.metadata)
        handed.cells.insert(at, copy)
    result = grafted(master, handed)
    assert text_of(result, "double") == DOUBLE
    assert result.remarks["double"]


def test_a_retyped_exercise_cell_is_run_as_code(master):
    handed = work({})
    at = [cell.id for cell in handed.cells].index("double")
    marks = handed.cells[at].metadata
    handed.cells[at] = nbformat.v4.new_markdown_cell(DOUBLE, metadata=marks)
    result = grafted(master, handed)
    assert text_of(result, "double") == DOUBLE
    assert result.remarks["double"]
    assert next(p for p in result.parts if p.name == "double").cell.cell_type == "code"


def test_added_cells_stay_where_the_learner_put_them(master):
    handed = work({})
    at = [cell.id for cell in handed.cells].index("double")
    handed.cells.insert(at, nbformat.v4.new_code_cell("helper = 1"))
    handed.cells.insert(0, nbformat.v4.new_markdown_cell("mine"))
    result = grafted(master, handed)
    sources = [part.cell.source for part in result.parts]
    assert sources[0] == "mine"
    assert sources.index("helper = 1") + 1 == sources.index(
        next(p.cell.source for p in master if p.name == "double")
    )


def test_a_changed_import_cell_is_run_after_the_instructors(master):
    handed = work({})
    first = next(cell for cell in handed.cells if cell.cell_type == "code")
    first.source += "\nimport math"
    result = grafted(master, handed)
    at = roles(result).index("edited")
    assert roles(result)[at - 1] == "first"
    assert "import math" in result.parts[at].cell.source


def test_a_missing_exercise_cell_is_noted(master):
    handed = work({})
    handed.cells = [cell for cell in handed.cells if cell.id != "double"]
    assert grafted(master, handed).missing == {"double"}


def test_no_notebook_leaves_the_instructors(master):
    result = graft(master, None, "en")
    assert roles(result) == [part.role for part in master]
    assert result.missing == {"double", "total"}


def test_the_result_is_a_valid_notebook_whatever_ids_a_learner_gives(master):
    cells = [LearnerCell("code", f"x = {n}", "", " weird id… " * 9) for n in range(5)]
    result = graft(master, cells, "en")
    nbformat.validate(result.notebook({}))
    assert len({part.cell.id for part in result.parts}) == len(result.parts)


def test_an_old_notebook_format_is_understood(master):
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "code", "input": [DOUBLE], "metadata": {}, "language": "py"}]}
        ],
        "nbformat": 3,
    }
    assert cells_of(old) == [LearnerCell("code", DOUBLE, "", "")]


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[]", b"null", b'{"cells": ', b"[" * 100_000, b"\xff\xfe\x00\x00"],
)
def test_what_is_no_notebook_is_refused_with_a_reason(content):
    with pytest.raises(Unusable):
        parse_notebook(content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_of_other_editors_are_read(encoding):
    content = json.dumps({"cells": [{"source": "你好"}]}, ensure_ascii=False).encode(encoding)
    assert cells_of(parse_notebook(content))[0].text == "你好"


@pytest.mark.parametrize(
    "cell",
    [{}, {"source": 3}, {"source": ["a", 3, "b"]}, {"metadata": []}, {"metadata": {"nbgrader": 3}},
     {"metadata": {"nbgrader": {"grade_id": []}}}, {"id": 3}, {"cell_type": {}},
     {"source": "\ud800"}],
)  # fmt: skip
def test_malformed_cells_become_plain_ones(cell):
    (found,) = cells_of({"cells": [cell, 3, None]})
    assert all(isinstance(value, str) for value in vars(found).values())
    found.text.encode()
