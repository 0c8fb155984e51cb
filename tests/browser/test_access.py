"""Panels for everyone: axe-core finds nothing serious, the focus shows, colour is not alone."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import expect

from .access import OUTLINES, findings, report
from .hands import HOLDS_FOCUS, Keyboard, Mouse
from .lab import until
from .short import CELLS, WRONG, open_short

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
# Which characters of an element are drawn like one that no font has.
SAME_AS_BOX = """element => {
  const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const drawn = character => {
    pen.clearRect(0, 0, 60, 60);
    pen.font = '40px ' + getComputedStyle(element).fontFamily;
    pen.fillText(character, 5, 45);
    return pen.getImageData(0, 0, 60, 60).data.join();
  };
  const box = drawn('\\u{10fffe}');
  return [...new Set(element.innerText.replace(/\\s/g, ''))].filter(c => drawn(c) === box);
}"""
ALL = [name for name in CELLS if name != "imports"]


@pytest.fixture
def notebook(lab, folder):
    """The short notebook with a right, a wrong and an open question, and a wrong exercise."""
    notebook = open_short(lab, folder, *ALL)
    right = Mouse(notebook, "perplexity")
    right.answer(["four"])
    right.expect_state("right")
    right.press("explain")
    Mouse(notebook, "geometric").answer(["3"])
    Mouse(notebook, "geometric").expect_state("wrong")
    notebook.write("bigram_counts", WRONG)
    notebook.run("check-bigram_counts")
    return notebook


def test_nothing_serious_in_light_and_dark(lab, notebook, shots):
    try:
        for theme, name in THEMES.items():
            lab.command("apputils:change-theme", theme=name)
            expect(lab.page.locator("body")).to_have_attribute(
                "data-jp-theme-light", str(theme == "light").lower()
            )
            # JupyterLab draws its splash over the page while a theme loads.
            expect(lab.page.locator("#jupyterlab-splash")).to_have_count(0)
            found = findings(lab.page, ".cq-panel", ".cq-check")
            for question in ("perplexity", "geometric", "fair_test"):
                panel = notebook.question(question)
                panel.screenshot(path=shots / f"{question}-{theme}-{lab.lang}.png")
            verdict = notebook.verdict("bigram_counts")
            verdict.screenshot(path=shots / f"check-{theme}-{lab.lang}.png")
            assert not found, f"{theme}:\n{report(found)}"
    finally:
        lab.command("apputils:change-theme", theme=THEMES["light"])


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_the_focus_shows_wherever_the_keyboard_goes(lab, notebook):
    hand = Keyboard(notebook, "fair_test")
    hand.enter_panel()
    stops = 0
    while hand.panel.evaluate(HOLDS_FOCUS):
        assert hand.panel.evaluate(OUTLINES), f"no outline at stop {stops} of the open question"
        stops += 1
        lab.page.keyboard.press("Tab")
    assert stops == 5  # four boxes and a button
    hand.answer(["memory"])
    hand.expect_state("partly")
    assert hand.panel.evaluate(OUTLINES), "the verdict has the focus but shows no outline"


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_colour_is_never_the_only_sign(notebook):
    for question, sign in (("perplexity", "✓ Right"), ("geometric", "✗ Not right")):
        expect(notebook.question(question).locator(".cq-verdict")).to_contain_text(sign)
    picked = notebook.question("perplexity").locator(".cq-choice[data-picked]")
    expect(picked).to_contain_text("Your answer ✓ right")
    other = notebook.question("perplexity").locator(".cq-choice:not([data-picked])").first
    expect(other).to_contain_text("✗ wrong")
    expect(notebook.verdict("bigram_counts").locator(".cq-head")).to_contain_text("◐")


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_plain_keys_stay_in_the_panel_and_the_notebook_can_be_saved_from_there(lab, notebook):
    hand = Keyboard(notebook, "fair_test")
    hand.enter_panel()
    before = len(notebook.cells())
    for key in ("a", "b", "d", "d", "x"):  # JupyterLab's keys to add, delete and cut cells
        lab.page.keyboard.press(key)
    assert len(notebook.cells()) == before
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("ControlOrMeta+s")
    until(lab.page, "() => !window.jupyterapp.shell.currentWidget.context.model.dirty")


@pytest.mark.parametrize("lang", ["zh"], indirect=True)
def test_chinese_panels_show_characters_and_no_boxes(lab, folder):
    notebook = open_short(lab, folder, "quiz-perplexity")
    missing = notebook.question("perplexity").evaluate(SAME_AS_BOX)
    if missing and not os.environ.get("CI"):
        pytest.skip("needs a font with Chinese characters (Debian: fonts-wqy-zenhei)")
    assert missing == []
