"""Notebooks that are not what they should be: taken apart, put together, damaged, disguised."""

import json

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

from course_utils.grading.nbgrader_hooks import configure
from tests.attacks.conftest import FULL, NOTHING, ONLY_TOTAL
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, SQUARED, TOTAL


@pytest.fixture
def send_all(arena):
    """Hands in a notebook for each of the changes, graded in one run; returns scores by name."""

    def run(changes, cells=None, answers=None):
        for student, change in changes.items():
            notebook = nbformat.from_dict(arena.blank)
            for cell in notebook.cells:
                cell.source = (cells or {"total": TOTAL}).get(cell.id, cell.source)
            changed = change(notebook) or notebook
            arena.hand_in(notebook=changed, answers=answers, student=student)
        arena.grade(*changes)
        assert {arena.events[student].status for student in changes} == {"graded"}
        return {student: arena.scores(student) for student in changes}

    return run


@pytest.fixture
def send(arena, send_all):
    """Hands in one such notebook; returns scores and the page."""

    def run(change, cells=None, answers=None):
        scores = send_all({"mallory": change}, cells, answers)
        return scores["mallory"], arena.pages["mallory"]

    return run


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


def test_tags_do_nothing(send_all):
    def tagged(tag):
        def change(notebook):
            for cell in notebook.cells:
                cell.metadata["tags"] = [tag]

        return change

    tags = ["skip-execution", "raises-exception", "remove_cell", "hide_input"]
    assert send_all({tag: tagged(tag) for tag in tags}) == dict.fromkeys(tags, ONLY_TOTAL)


def test_edited_check_cells_are_the_courses_own_again(send_all, arena):
    texts = ["pass", "3.0", "raise SystemExit", "%%script false", "def check(f): return 3.0\n3.0"]

    def edited(text):
        def change(notebook):
            for cell in notebook.cells:
                if cell.id.startswith(("check-", "quiz-")):
                    cell.source = text

        return change

    assert send_all({text: edited(text) for text in texts}) == dict.fromkeys(texts, ONLY_TOTAL)
    for text in texts:
        assert "The cell that checks this was changed" in arena.pages[text]


def test_deleted_check_and_quiz_cells_are_there_again(send):
    def change(notebook):
        notebook.cells = [c for c in notebook.cells if not c.id.startswith(("check-", "quiz-"))]

    assert send(change, answers=RIGHT)[0] == FULL | {"check-double": 0.0}


def test_duplicated_cells_stop_nothing(send):
    def change(notebook):
        notebook.cells = [cell for cell in notebook.cells for _ in range(3)]

    assert send(change, {"double": DOUBLE, "total": TOTAL}, RIGHT)[0] == FULL


def test_two_copies_that_differ_are_told(send):
    def change(notebook):
        copy = nbformat.from_dict(cell_of(notebook, "double"))
        copy.source = SQUARED
        notebook.cells.append(copy)

    scores, page = send(change, {"double": DOUBLE})
    assert scores["check-double"] == 3
    assert "handed in 2 times" in page


def test_changed_metadata_earns_nothing_and_stops_nothing(send_all):
    changes = [
        {"grade_id": "check-total"},
        {"grade_id": "quiz-twice"},
        {"grade_id": ""},
        {"grade_id": ["double"]},
        {"points": 1e9, "grade": True},
        {"points": -5, "grade": True},
        {"solution": False, "locked": True},
        {"schema_version": 99},
        {"schema_version": 1, "checksum": "0" * 32},
        {"task": True},
        {"cell_type": "markdown"},
    ]

    def forged(change):
        def forge(notebook):
            for cell in notebook.cells:
                if "nbgrader" in cell.metadata:
                    cell.metadata.nbgrader.update(change)

        return forge

    work = {"double": SQUARED, "total": "def total(x): return None"}
    scores = send_all({str(change): forged(change) for change in changes}, work)
    assert scores == {str(change): NOTHING for change in changes}


def test_reordered_cells_are_put_in_order(send):
    def change(notebook):
        notebook.cells.reverse()

    assert send(change, {"double": DOUBLE, "total": TOTAL}, RIGHT)[0] == FULL


def test_retyped_cells_are_read_all_the_same(send):
    def change(notebook):
        for number, cell in enumerate(notebook.cells):
            if "nbgrader" in cell.metadata:
                kind = [nbformat.v4.new_raw_cell, nbformat.v4.new_markdown_cell][number % 2]
                notebook.cells[number] = kind(cell.source, metadata=cell.metadata)

    assert send(change, {"double": DOUBLE, "total": TOTAL}, RIGHT)[0] == FULL


def test_another_kernel_is_not_asked_for(send):
    def change(notebook):
        notebook.metadata["kernelspec"] = {"name": "bash", "display_name": "x", "language": "sh"}
        notebook.metadata["language_info"] = {"name": "../../evil"}
        notebook.metadata["jupytext"] = {"text_representation": {"extension": ".sh"}}

    assert send(change)[0] == ONLY_TOTAL


def test_a_notebook_of_five_thousand_cells(send):
    def change(notebook):
        extra = [nbformat.v4.new_code_cell("x = 1") for _ in range(5000)]
        notebook.cells = [*notebook.cells, *extra]

    scores, page = send(change)
    assert scores == ONLY_TOTAL
    assert "very many cells" in page


def test_an_endless_cell_is_left_out(send):
    scores, page = send(lambda notebook: None, {"double": "x = 1\n" * 10**6, "total": TOTAL})
    assert scores == ONLY_TOTAL
    assert "does not hold this exercise" in page


def test_notebook_format_three(send):
    def change(notebook):
        cells = [
            {"cell_type": cell.cell_type, "metadata": cell.metadata, "input": cell.source,
             "source": cell.source, "language": "python", "outputs": [], "collapsed": False}
            for cell in notebook.cells
        ]  # fmt: skip
        return json.dumps(
            {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}
        )

    assert send(change, {"double": DOUBLE, "total": TOTAL})[0]["check-double"] == 3


DAMAGED = {
    "nothing": b"",
    "half a notebook": b'{"cells": [{"cell_type": "code", "source": ["def d',
    "a list": b"[]",
    "a number": b"3",
    "no text at all": bytes(range(256)) * 100,
    "another encoding": '{"cells": ["é"]}'.encode("latin-1"),
    "deep nesting": b'{"cells": ' + b"[" * 10**6 + b"]" * 10**6 + b"}",
    "deep nesting in a cell": b'{"cells": [{"source": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000
    + b"}]}",
    "a number without end": b'{"cells": [{"execution_count": ' + b"9" * 10**6 + b"}]}",
    "cells of every kind": b'{"cells": [null, 1, "x", [], {}, {"cell_type": "alien"}]}',
    "a zip file": b"PK\x03\x04" + b"\0" * 1000,
    "repeated keys": b'{"cells": [], "cells": [{"cell_type": "code", "source": "1"}]}',
    "half characters": b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}',
    "null bytes": b'{"cells": [{"cell_type": "code", "source": "x\\u0000y"}]}',
}  # fmt: skip


def test_a_damaged_notebook_is_graded_with_its_reason_and_its_answers_count(arena):
    for student, content in DAMAGED.items():
        place = arena.hand_in(answers=RIGHT, student=student)
        (place / f"{LESSON}.ipynb").write_bytes(content)
    arena.grade(*DAMAGED)
    told = ("About this submission", "does not hold this exercise")
    for student in DAMAGED:
        assert arena.events[student].status == "graded", student
        assert arena.scores(student) == NOTHING | {"quiz-twice": 1.0, "quiz-even": 2.0}, student
        assert any(words in arena.pages[student] for words in told), student


def test_a_submission_without_any_file(arena):
    arena.place().mkdir(parents=True)
    arena.grade("mallory")
    assert arena.scores() == NOTHING
    assert "No notebook of this lesson was handed in" in arena.pages["mallory"]


def test_another_lessons_notebook(send):
    def change(notebook):
        notebook.metadata["course"] = {"lesson": "05_seq2seq", "lang": "en"}
        notebook.cells = [nbformat.v4.new_code_cell("def beam_search(): ...")]

    scores, page = send(change)
    assert scores == NOTHING
    assert "another lesson" in page


def test_the_other_languages_notebook_counts(send):
    def change(notebook):
        notebook.metadata["course"] = {"lesson": LESSON, "lang": "zh"}

    scores, page = send(change)
    assert scores == ONLY_TOTAL
    assert "other language" in page


def test_learner_markup_never_becomes_part_of_the_page(send):
    evil = "</pre><script>alert(1)</script><style>*{display:none}</style><!--"

    def change(notebook):
        notebook.cells.insert(2, nbformat.v4.new_markdown_cell(evil))
        notebook.cells.insert(3, nbformat.v4.new_code_cell(f"print({evil!r})\n'''{evil}'''"))

    page = send(change, {"double": f"raise ValueError({evil!r})"})[1]
    assert "<script" not in page
    assert "display:none}</style>" not in page
    assert "<!--" not in page


def grading_page(path):
    """What nbgrader shows an instructor of a graded notebook, made as formgrader makes it."""
    config = Config()
    configure(config, str(path.parents[3] / "nbgrader_config.py"))
    config.HTMLExporter.template_name = "formgrade"
    about = dict.fromkeys(["base_url", "notebook_id", "student", "submission_id"], "x")
    about |= {"index": 0, "total": 1, "nbgrader": {}}
    return HTMLExporter(config=config).from_filename(str(path), resources=about)[0]


def test_the_grading_page_runs_nothing_of_a_learners_and_asks_for_nothing(send, arena):
    evil = (
        "<img src=x onerror=alert(1)>\n\n</p><script>alert(2)</script>\n\n[a](javascript:alert(3))"
    )

    def change(notebook):
        hurt = [nbformat.v4.new_markdown_cell(evil), nbformat.v4.new_raw_cell(evil)]
        hurt[1].metadata["raw_mimetype"] = "text/html"
        notebook.cells[2:2] = [*hurt, nbformat.v4.new_code_cell(f"print({evil!r})")]

    send(change, {"double": f"raise ValueError({evil!r})", "total": TOTAL})
    page = grading_page(arena.folder / "autograded" / "mallory" / LESSON / f"{LESSON}.ipynb")
    soup = BeautifulSoup(page, "html.parser")
    assert "alert(2)" in soup.text  # shown, as text
    assert not any("alert" in script.text for script in soup.find_all("script"))
    assert not soup.select("[onerror], [href^=javascript]")
    assert not soup.select("[src^=http], link[href^=http]")


ANSWERS = {
    "an unknown choice": {"twice": "seven", "even": ["ten", "dozen", "seven"]},
    "an unknown question": {"nonsense": "four", "__class__": "four"},
    "the wrong kind": {"twice": ["four"], "even": "ten"},
    "a number": {"twice": 4, "even": 3.5},
    "all choices": {"even": ["ten", "dozen", "odd"]},
    "one choice many times": {"even": ["ten"] * 50},
    "nothing picked": {"even": []},
}


def test_strange_answers_earn_nothing_that_is_not_due(arena):
    for student, answers in ANSWERS.items():
        arena.hand_in(answers=answers, student=student)
    arena.grade(*ANSWERS)
    scores = {student: arena.scores(student) for student in ANSWERS}
    assert scores == dict.fromkeys(ANSWERS, NOTHING) | {"all choices": NOTHING | {"quiz-even": 1.0}}


TEXTS = {
    "no JSON": "{",
    "a list": "[]",
    "repeated keys": '{"version": 1, "lesson": "01_mini", "answers": {}, "answers": {}}',
    "deep": "[" * 10**5,
    "huge": '"' + "x" * 10**7 + '"',
    "another version": '{"version": 99, "lesson": "01_mini", "answers": {}}',
    "infinite": '{"version": 1, "lesson": "01_mini", "answers": {"twice": Infinity}}',
    "negative attempts": '{"version": 1, "lesson": "01_mini", "answers": {"twice": '
    '{"answer": "two", "time": "2026-11-29T20:00:00Z", "attempts": -1}}}',
}


def test_a_strange_answers_file_is_said_and_earns_nothing(arena):
    for student, text in TEXTS.items():
        place = arena.hand_in({"total": TOTAL}, RIGHT, student=student)
        mini.answers_path(LESSON, place).write_text(text, encoding="utf-8")
    arena.grade(*TEXTS)
    for student in TEXTS:
        assert arena.scores(student) == ONLY_TOTAL, student
        assert "About this submission" in arena.pages[student], student
