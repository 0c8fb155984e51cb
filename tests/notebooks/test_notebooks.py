"""The lessons as files: what a reader sees before installing anything.

That they are what their source gives, `course build --check` sees; that they run, tests/browser.
"""

import ast
import base64
import re

import nbformat
import pytest

from course_utils.authoring.build import (
    MAX_BYTES,
    NOTEBOOKS,
    WIDGET_VIEW,
    notebook_path,
)
from course_utils.authoring.source import lesson_names, read_lesson
from course_utils.kit import find_kit
from course_utils.words import LANGUAGES

LONGEST_CELL = 15
LONGEST_FUNCTION = 25
LONGEST_PARAGRAPH = {"en": 90, "zh": 220}  # words, characters

each_lesson = pytest.mark.parametrize("lesson", lesson_names())
each_lang = pytest.mark.parametrize("lang", LANGUAGES)


def built(lesson, lang):
    return nbformat.read(notebook_path(lesson, lang), as_version=4)


def outputs(notebook):
    return [out for cell in notebook.cells for out in cell.get("outputs", [])]


@each_lesson
@each_lang
def test_stored_outputs_read_without_a_kernel(lesson, lang):
    notebook = built(lesson, lang)
    kinds = {kind for out in outputs(notebook) for kind in out.get("data", {})}
    assert outputs(notebook)
    assert WIDGET_VIEW not in kinds
    assert not [out for out in outputs(notebook) if out.output_type == "error"]
    assert not [out for out in outputs(notebook) if out.get("name") == "stderr"]
    assert notebook_path(lesson, lang).stat().st_size < MAX_BYTES


@each_lesson
@each_lang
def test_every_question_and_exercise_is_readable_in_the_stored_notebook(lesson, lang):
    kit = find_kit(lesson, NOTEBOOKS / lang)
    cells = {cell.id: nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
             for cell in built(lesson, lang).cells}  # fmt: skip
    for name in kit["questions"] if kit else []:
        assert "text/html" in cells[f"quiz-{name}"]
    for name in kit["exercises"] if kit else []:
        assert {"en": "not attempted yet", "zh": "尚未作答"}[lang] in cells[f"check-{name}"]


@each_lesson
@each_lang
def test_stored_pictures_are_whole_pngs_of_modest_width(lesson, lang):
    for out in outputs(built(lesson, lang)):
        picture = out.get("data", {}).get("image/png")
        if picture:
            raw = base64.b64decode(picture)
            assert raw.startswith(b"\x89PNG")
            assert 200 <= int.from_bytes(raw[16:20], "big") <= 1400


@each_lesson
def test_code_cells_and_functions_are_short_and_the_first_only_imports(lesson):
    code = [cell for cell in read_lesson(lesson) if cell.kind != "text"]
    for cell in code:
        tree = ast.parse(re.sub(r"^[%!].*", "", cell.code, flags=re.MULTILINE))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < LONGEST_FUNCTION, cell.place
        if cell.kind == "demo":
            lines = [x for x in cell.code.splitlines() if x.strip() and not x.startswith("#")]
            assert len(lines) <= LONGEST_CELL, cell.place
    first = ast.parse(code[0].code).body
    if lesson == "00_start":  # one cell that imports and shows the progress
        first = first[:-1]
    assert all(isinstance(node, ast.Import | ast.ImportFrom | ast.Assign) for node in first)


@each_lesson
@each_lang
def test_paragraphs_are_no_walls_of_text(lesson, lang):
    for cell in read_lesson(lesson):
        for paragraph in re.split(r"\n\s*\n", cell.text.get(lang, "")):
            if paragraph.lstrip().startswith(("|", "-", "*", "1.", "```", "<", ">")):
                continue
            length = len(paragraph.split()) if lang == "en" else len(paragraph)
            assert length <= LONGEST_PARAGRAPH[lang], f"{cell.place}: {length}"
