"""A saved and closed notebook: questions and answers read without a kernel."""

from __future__ import annotations

import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from .access import findings, report
from .hands import Mouse
from .lab import new_page
from .short import CELLS, LESSON, open_short

CDNS = ("cdnjs.cloudflare.com", "cdn.jsdelivr.net")  # nbconvert's own pages name them
LOST = "Run this cell to bring its controls back."
AFTER = "e => [getComputedStyle(e, '::after').content, getComputedStyle(e).fontSize]"

pytestmark = pytest.mark.parametrize("lang", ["en"], indirect=True)


def test_a_closed_notebook_reads_without_a_kernel(lab, folder, shots, browser):
    notebook = open_short(lab, folder, *list(CELLS)[1:])
    Mouse(notebook, "perplexity").answer(["four"])
    expect(notebook.question("perplexity")).to_have_attribute("data-state", "right")
    notebook.save()
    lab.close_all()

    # A page that has never drawn a live panel, and so has none of its style.
    lab.visit(f"{folder.name}/{LESSON}.ipynb")
    panel = lab.page.locator(".jp-NotebookPanel")
    answered = panel.locator(".cq-static").first
    expect(answered).to_contain_text("✓")
    expect(answered).to_have_attribute("data-state", "right")
    assert answered.evaluate("e => getComputedStyle(e).borderLeftWidth") == "4px"
    lost = panel.locator(".jupyter-widgets", has_text="model not found")
    expect(lost).to_have_count(4)  # three panels and the slider; their texts are not shown
    lab.page.screenshot(path=shots / "reopened.png")
    for one in lost.all()[:3]:
        expect(one).to_be_hidden()
    assert lost.last.evaluate(AFTER) == [f'"{LOST}"', "0px"]
    found = findings(lab.page, ".cq-static")
    assert not found, report(found)
    html, _ = HTMLExporter().from_filename(str(notebook.file))
    with new_page(browser, away=CDNS) as page:
        page.set_content(html, wait_until="commit")
        expect(page.locator(".cq-static").first).to_contain_text("✓")
        expect(page.get_by_text("model not found")).to_have_count(0)
        page.screenshot(path=shots / "converted.png")


def test_a_notebook_never_run_here_shows_its_questions(lab, folder):
    lab.stand()
    lab.command("docmanager:open", path=f"{folder.name}/{LESSON}.ipynb")
    # Untrusted: JupyterLab takes all style away.
    question = lab.page.locator(".cq-static").first
    expect(question).to_contain_text("perplexity")
    expect(question).to_contain_text('quiz("perplexity").answer("b")')
