"""Panels for everyone: axe-core finds nothing serious, the focus shows, colour is not alone."""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext

import pytest
from playwright.sync_api import expect

from .access import OUTLINES, findings, report
from .hands import HOLDS_FOCUS, TAKE_CELL, Keyboard, Mouse
from .short import CELLS, WRONG, open_short

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
HOW_MANY_CELLS = "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
ALL = [name for name in CELLS if name != "imports"]


@pytest.fixture(scope="module", params=["en", "zh"])
def lang(request):
    """The language; the tests of one share its notebook."""
    return request.param


@pytest.fixture(scope="module")
def notebook(labs, lang):
    """The short notebook with a right, a wrong and an open question, and a wrong exercise."""
    notebook = open_short(labs(lang), labs(lang).lessons("access"), *ALL)
    right = Mouse(notebook, "perplexity")
    right.answer(["four"])
    right.expect_state("right")
    right.press("explain")
    Mouse(notebook, "geometric").answer(["3"])
    Mouse(notebook, "geometric").expect_state("wrong")
    notebook.write("bigram_counts", WRONG)
    notebook.run("check-bigram_counts")
    yield notebook
    notebook.lab.close_all()


@contextmanager
def theme(lab, name):
    """JupyterLab in another theme."""
    lab.command("apputils:change-theme", theme=name)
    # JupyterLab draws its splash over the page while a theme loads.
    expect(lab.page.locator("#jupyterlab-splash")).to_have_count(0)
    try:
        yield
    finally:
        lab.command("apputils:change-theme", theme="JupyterLab Light")


def test_nothing_serious_in_light_and_dark(notebook, lang, shots):
    """Light in one language, dark in the other: no colour depends on the language."""
    dark = lang == "zh"
    page = notebook.page
    with theme(notebook.lab, "JupyterLab Dark") if dark else nullcontext():
        expect(page.locator("body")).to_have_attribute(
            "data-jp-theme-light", "false" if dark else "true"
        )
        found = findings(page, ".cq-panel", ".cq-check")
        for question in ("perplexity", "geometric", "fair_test"):
            notebook.question(question).screenshot(path=shots / f"{question}-{lang}.png")
        notebook.verdict("bigram_counts").screenshot(path=shots / f"check-{lang}.png")
        assert not found, report(found)


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_plain_keys_stay_in_the_panel_and_the_notebook_can_be_saved_from_there(notebook):
    hand = Keyboard(notebook, "fair_test")
    hand.enter_panel()
    before = notebook.page.evaluate(HOW_MANY_CELLS)
    for key in ("a", "b", "d", "d", "x"):  # JupyterLab's keys to add, delete and cut cells
        notebook.page.keyboard.press(key)
    assert notebook.page.evaluate(HOW_MANY_CELLS) == before
    notebook.page.keyboard.press("Escape")
    notebook.save()


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_the_focus_shows_wherever_the_keyboard_goes(notebook):
    hand = Keyboard(notebook, "fair_test")
    notebook.page.evaluate(TAKE_CELL, "quiz-fair_test")  # the focus may be in the panel already
    hand.enter_panel()
    stops = 0
    while hand.panel.evaluate(HOLDS_FOCUS):
        assert hand.panel.evaluate(OUTLINES), f"no outline at stop {stops} of the open question"
        stops += 1
        notebook.page.keyboard.press("Tab")
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


@pytest.mark.parametrize("lang", ["zh"], indirect=True)
def test_chinese_panels_show_characters_and_no_boxes(notebook):
    missing = notebook.question("perplexity").evaluate(SAME_AS_BOX)
    if missing and not os.environ.get("CI"):
        pytest.skip("needs a font with Chinese characters (Debian: fonts-wqy-zenhei)")
    assert missing == []
