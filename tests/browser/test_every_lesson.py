"""Every lesson, untouched, in the browser: all cells run, questions and sliders live, no error."""

from __future__ import annotations

import re

import nbformat
import pytest
from playwright.sync_api import expect

from course_utils.authoring.build import NOTEBOOKS

from .lab import until

SLIDERS = re.compile(r"\b(explore|step_viewer)\(")
SHOWN = "element => element.outerHTML"
REDRAWN = "([element, before]) => !element.isConnected || element.outerHTML !== before"
# Lesson 1, which has no slider, is run in both languages in test_class.
LESSONS = sorted(path.stem for path in (NOTEBOOKS / "zh").glob("0[2-9]*.ipynb"))


@pytest.mark.parametrize("lang", ["zh"], indirect=True)
@pytest.mark.parametrize("lesson", LESSONS)
def test_an_untouched_lesson_runs_and_its_widgets_live(lab, folder, lesson, shots):
    notebook = lab.open(f"{folder.name}/{lesson}.ipynb")
    stored = nbformat.read(notebook.file, as_version=4)
    notebook.run_all()
    assert not notebook.errors(), "\n".join(notebook.errors())
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
