"""A learner's afternoon in JupyterLab: run, answer, solve, save, come back, be graded."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from course_utils import cli
from course_utils.authoring.build import NOTEBOOKS
from course_utils.authoring.notebook import assemble
from course_utils.kit import answers_path, find_kit

from .lab import CHROMIUM, SECONDS, Notebook, browser_page, jupyter_lab

LESSON = "01_language_models"
WORDS = {
    "en": {"submit": "Submit", "right": "Right", "again": "Try again"},
    "zh": {"submit": "提交", "right": "正确", "again": "再试"},
}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: chromium)")


@pytest.fixture(params=["en", "zh"])
def lang(request):
    return request.param


@pytest.fixture
def folder(lang, tmp_path):
    """A learner's own copy of the lessons."""
    return Path(shutil.copytree(NOTEBOOKS / lang, tmp_path / "lessons"))


@pytest.fixture
def address(folder, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    with jupyter_lab(folder, home) as url:
        yield url


@pytest.fixture
def page():
    with browser_page() as opened:
        yield opened


@pytest.fixture
def shots():
    """Where the pictures of the main moments go (kept by the test run, not committed)."""
    folder = Path("build/screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def right_choices(folder, question_id):
    question = find_kit(LESSON, folder)["questions"][question_id]
    return [choice["id"] for choice in question["choices"] if choice["right"]]


def panel_of(notebook, question_id):
    return notebook.cell_with(f'quiz("{question_id}")').locator(".cq-panel")


def answer_all_questions(notebook, folder, words):
    """Answer every question of the lesson rightly, by mouse or, for numbers, by typing."""
    for name, question in find_kit(LESSON, folder)["questions"].items():
        panel = panel_of(notebook, name)
        panel.scroll_into_view_if_needed()
        if question["kind"] == "numeric":
            panel.locator("input").fill(str(question["answer"]))
        for choice in right_choices(folder, name) if "choices" in question else []:
            panel.locator(f'input[value="{choice}"]').check()
        panel.get_by_role("button", name=words["submit"]).click()
        expect(panel).to_have_attribute("data-state", "right", timeout=10 * SECONDS)


def solutions():
    """The reference solutions, by exercise."""
    cells = assemble(LESSON, "en", solutions=True).cells
    return {c.id: c.source for c in cells if c.metadata.get("nbgrader", {}).get("solution")}


def test_a_learner_works_through_lesson_1_and_is_graded_to_full_marks(
    lang, folder, address, page, shots, capsys
):
    words = WORDS[lang]
    notebook = Notebook(page, address, f"{LESSON}.ipynb")
    notebook.run_all()
    assert notebook.error_outputs() == []

    answer_all_questions(notebook, folder, words)
    page.screenshot(path=shots / f"answered-{lang}.png")
    for exercise, code in solutions().items():
        notebook.write_cell(notebook.cell_with(f"def {exercise}("), code)
        notebook.run_cell(notebook.cell_with(f"check({exercise})"))
        verdict = notebook.cell_with(f"check({exercise})").locator(".cq-check")
        expect(verdict).to_contain_text("✓")
    page.screenshot(path=shots / f"solved-{lang}.png")
    notebook.save()

    page.reload()
    notebook = Notebook(page, address, f"{LESSON}.ipynb")
    notebook.run_all()
    question = next(iter(find_kit(LESSON, folder)["questions"]))
    expect(panel_of(notebook, question)).to_have_attribute("data-state", "right")

    assert cli.main(["grade", str(folder / f"{LESSON}.ipynb")]) == 0
    table = capsys.readouterr().out
    total = sum(c.metadata.nbgrader.points for c in assemble(LESSON, lang, False).cells
                if c.metadata.get("nbgrader", {}).get("grade"))  # fmt: skip
    assert re.search(rf"\b{total:g}(\.0+)? */ *{total:g}\b", table), table


def test_a_wrong_answer_is_explained_and_can_be_tried_again(lang, folder, address, page, shots):
    words = WORDS[lang]
    notebook = Notebook(page, address, f"{LESSON}.ipynb")
    notebook.run_all()
    panel = panel_of(notebook, "perplexity")
    (right,) = right_choices(folder, "perplexity")
    panel.locator(f'input:not([value="{right}"])').first.check()
    panel.get_by_role("button", name=words["submit"]).click()
    expect(panel).to_have_attribute("data-state", "wrong")
    expect(panel.locator(".cq-why").first).to_be_visible()
    panel.screenshot(path=shots / f"wrong-{lang}.png")
    panel.get_by_role("button", name=words["again"]).click()
    panel.locator(f'input[value="{right}"]').check()
    panel.get_by_role("button", name=words["submit"]).click()
    expect(panel).to_have_attribute("data-state", "right")
    kept = json.loads(answers_path(LESSON, folder).read_text(encoding="utf-8"))
    assert kept["answers"]["perplexity"]["answer"] == right
    assert len(kept["answers"]["perplexity"]["attempts"]) == 2


def test_a_known_mistake_gets_its_hint(lang, folder, address, page, shots):
    notebook = Notebook(page, address, f"{LESSON}.ipynb")
    notebook.run_all()
    mistake = solutions()["bigram_counts"].replace("ids[:-1], ids[1:]", "ids[1:], ids[:-1]")
    notebook.write_cell(notebook.cell_with("def bigram_counts("), mistake)
    notebook.run_cell(notebook.cell_with("check(bigram_counts)"))
    verdict = notebook.cell_with("check(bigram_counts)").locator(".cq-check")
    expect(verdict.locator(".cq-slip")).to_be_visible()
    verdict.screenshot(path=shots / f"hint-{lang}.png")


def test_a_saved_notebook_reads_without_a_kernel(lang, folder, address, page, shots):
    words = WORDS[lang]
    notebook = Notebook(page, address, f"{LESSON}.ipynb")
    notebook.run_all()
    answer_all_questions(notebook, folder, words)
    notebook.save()
    stored = nbformat.read(folder / f"{LESSON}.ipynb", as_version=4)
    assert any(
        "text/html" in out.get("data", {}) for c in stored.cells for out in c.get("outputs", [])
    )

    notebook.shut_down_kernel()
    page.goto(f"{address}/lab/tree/{LESSON}.ipynb?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60 * SECONDS)
    cell = page.locator(".jp-CodeCell").filter(has_text='quiz("perplexity")').first
    cell.scroll_into_view_if_needed()
    expect(cell.locator(".cq-static")).to_be_visible(timeout=20 * SECONDS)
    page.screenshot(path=shots / f"reopened-{lang}.png")
    assert not page.get_by_text("Error displaying widget").filter(visible=True).count()
