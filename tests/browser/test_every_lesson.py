"""Every lesson in the browser: it opens, its questions and sliders live, no error anywhere.

That all its cells run is tested without a browser; here run the imports, the questions, and of
the rest what the sliders need.
"""

from __future__ import annotations

import re
import symtable
from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import expect

from course_utils.authoring.build import NOTEBOOKS

from .lab import until

SLIDERS = re.compile(r"\b(explore|step_viewer)\(")
SHOWN = "element => element.outerHTML"
REDRAWN = "([element, before]) => !element.isConnected || element.outerHTML !== before"
# Lesson 1, which has no slider, is run and answered as a whole in test_class.
LESSONS = sorted(path.stem for path in (NOTEBOOKS / "zh").glob("0[2-9]*.ipynb"))


def symbols(table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    """All symbols of a cell, those within its functions too."""
    yield from table.get_symbols()
    for child in table.get_children():
        yield from symbols(child)


def needed_for(cells: list, last: int) -> list[str]:
    """The ids of the cell at `last` and of the cells before it that give it its names."""
    missing: set[str] = set()
    found = []
    for index in range(last, -1, -1):
        table = symtable.symtable(cells[index].source, "cell", "exec")
        given = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        if index == last or given & missing:
            found.append(cells[index].id)
            used = {s.get_name() for s in symbols(table) if s.is_global() and s.is_referenced()}
            missing = (missing | used) - given
    return found


def cells_to_run(notebook: nbformat.NotebookNode) -> list[str]:
    """Imports, questions, cells with sliders and what those need."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    wanted = {code[0].id} | {cell.id for cell in code if cell.id.startswith("quiz-")}
    for index, cell in enumerate(code):
        if SLIDERS.search(cell.source):
            wanted |= set(needed_for(code, index))
    return [cell.id for cell in code if cell.id in wanted]


@pytest.mark.parametrize("lang", ["zh"], indirect=True)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_opens_and_its_widgets_live(lab, folder, lesson, shots):
    notebook = lab.open(f"{folder.name}/{lesson}.ipynb")
    stored = nbformat.read(notebook.file, as_version=4)
    notebook.run(*cells_to_run(stored))
    for cell in stored.cells:
        if cell.id.startswith("quiz-"):
            expect(notebook.question(cell.id.removeprefix("quiz-"))).to_be_visible()
        elif cell.cell_type == "code" and SLIDERS.search(cell.source):
            move_sliders(notebook, cell.id)
            lab.page.screenshot(path=shots / f"sliders-{lesson}.png")
    assert not notebook.errors(), "\n".join(notebook.errors())
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


def move_sliders(notebook, cell_id: str) -> None:
    """Move each slider by a key, and see the picture follow."""
    cell = notebook.cell(cell_id)
    sliders = cell.get_by_role("slider")
    expect(sliders.first).to_be_visible()
    picture = cell.locator("img, .widget-html-content").first
    for slider in sliders.all():
        value, before = slider.get_attribute("aria-valuenow"), picture.evaluate(SHOWN)
        slider.focus()
        notebook.page.keyboard.press("ArrowLeft")
        if slider.get_attribute("aria-valuenow") == value:
            notebook.page.keyboard.press("ArrowRight")
        expect(slider).not_to_have_attribute("aria-valuenow", value)
        until(notebook.page, REDRAWN, arg=[picture.element_handle(), before])
    red = cell.locator('[data-mime-type$="stderr"], [data-mime-type$="error"]')
    expect(red).to_have_count(0)
