"""The panel's front end in a real browser, joined to the real quiz without a notebook between.

The page's model passes messages to a `Quiz` and draws what it answers, as a kernel would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from course_utils.kit import answers_path
from course_utils.quiz.answers import read_answers
from course_utils.quiz.panel import QuestionPanel
from course_utils.quiz.widget import Quiz, open_question
from tests.browser.lab import new_page
from tests.unit.quiz_samples import LESSON, graded_kit, practice_kit

MODEL = """
async ({ name, state, esm }) => {
  const module = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
  const listeners = {};
  const update = (changed) => {
    Object.assign(state, changed);
    for (const key of Object.keys(changed)) listeners[`change:${key}`]?.forEach((f) => f());
  };
  const model = {
    get: (key) => state[key],
    set: (key, value) => { state[key] = value; },
    save_changes: () => {},
    on: (event, f) => (listeners[event] ??= new Set()).add(f),
    off: (event, f) => listeners[event]?.delete(f),
    send: async (message) => { const answer = await window.kernel(name, message);
                               if (answer) update(answer); },
  };
  const el = document.body.appendChild(document.createElement("div"));
  el.id = name;
  window.stop = module.default.render({ model, el });
}
"""
WATCH_KEYS = """
() => { window.passed = []; document.addEventListener("keydown", (event) => {
  if (!event.target.hasAttribute("data-lm-suppress-shortcuts")) window.passed.push(event.key);
}, true); }
"""


class Desk:
    """Questions on one page, with a kernel that may fall silent."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.quizzes: dict[str, Quiz] = {}
        self.silent = False
        self.heard: list[Any] = []
        page.set_content(f"<style>{QuestionPanel._css}</style>")
        page.expose_function("kernel", self.hear)

    def hear(self, name: str, message: Any) -> Any:
        self.heard.append(message)
        if self.silent:
            return None
        self.quizzes[name]._hear(None, message)
        return self.state(name)

    def state(self, name: str) -> dict[str, Any]:
        panel = self.quizzes[name].panel
        assert panel is not None
        return {key: getattr(panel, key) for key in ("view", "progress", "picks", "typed")}

    def open(self, name: str, make: Callable[..., Any] = practice_kit, **kit: Any) -> Any:
        """Draw one question; returns its panel on the page."""
        self.quizzes[name] = open_question(make(**kit), name, self.folder)
        given = {"name": name, "state": self.state(name), "esm": QuestionPanel._esm}
        self.page.evaluate(MODEL, given)
        return self.page.locator(f"#{name} .cq-panel")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def stored(self, name: str) -> Any:
        answers = read_answers(answers_path(LESSON, self.folder))["answers"]
        return answers.get(name, {}).get("answer")


@pytest.fixture
def desk(browser: Browser, tmp_path: Path, monkeypatch) -> Iterator[Desk]:
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    with new_page(browser) as page:
        yield Desk(page, tmp_path)


class TestKeyboardAlone:
    def test_one_choice(self, desk):
        panel = desk.open("perplexity")
        desk.press("Tab", "ArrowDown", "ArrowDown", "ArrowUp")
        expect(panel.get_by_role("radio").nth(1)).to_be_checked()
        desk.press("Enter")
        expect(panel.locator(".cq-verdict")).to_be_focused()
        desk.press("Tab")
        expect(panel.get_by_role("button", name="Try again")).to_be_focused()
        desk.press("Space")
        expect(panel.get_by_role("radio").nth(1)).to_be_focused()
        desk.press("Tab")
        expect(panel.get_by_role("button", name="Submit")).to_be_focused()

    def test_a_letter_picks_its_choice(self, desk):
        panel = desk.open("perplexity")
        desk.press("Tab", "c")
        expect(panel.get_by_role("radio").nth(2)).to_be_checked()
        desk.press("a")
        expect(panel.get_by_role("radio").nth(0)).to_be_checked()

    def test_several_choices(self, desk):
        panel = desk.open("gates")
        desk.press("Tab", "Space", "Tab", "Tab", "Space", "Tab", "Tab", "Enter")
        expect(panel.locator(".cq-verdict")).to_be_focused()
        assert len(desk.stored("gates")) == 2

    def test_a_number(self, desk):
        panel = desk.open("uniform")
        desk.press("Tab")
        desk.page.keyboard.type("fifteen")
        desk.press("Enter")
        expect(panel.locator(".cq-warning")).to_have_text(
            "“fifteen” is no number. Write one like 2.5."
        )
        expect(panel.get_by_role("textbox")).to_be_focused()
        desk.press("ControlOrMeta+a")
        desk.page.keyboard.type("15")
        desk.press("Enter")
        expect(panel).to_have_attribute("data-state", "right")

    def test_plain_keys_stay_in_the_panel_and_jupyterlabs_chords_pass(self, desk):
        desk.open("perplexity")
        desk.press("Tab")
        desk.page.evaluate(WATCH_KEYS)
        desk.press("d", "ArrowDown", "Space", "Control+s", "Shift+Enter", "Escape")
        assert desk.page.evaluate("passed") == ["Control", "s", "Enter", "Escape"]


class TestMouse:
    def test_a_double_click_on_submit_is_one_answer(self, desk):
        panel = desk.open("perplexity")
        panel.get_by_text("ln 4", exact=True).click()
        panel.get_by_role("button", name="Submit").dblclick()
        expect(panel).to_have_attribute("data-state", "wrong")
        assert [message["do"] for message in desk.heard] == ["submit"]

    def test_two_questions_of_one_choice_do_not_share_it(self, desk):
        one = desk.open("perplexity")
        desk.folder = desk.folder / "other"
        other = desk.open("gates")
        one.get_by_role("radio").first.check()
        other.get_by_role("checkbox").first.check()
        names = desk.page.eval_on_selector_all("input", "all => all.map(one => one.name)")
        assert len(set(names)) == 2
        expect(one.get_by_role("radio").first).to_be_checked()

    def test_submit_without_a_choice_asks_for_one(self, desk):
        panel = desk.open("perplexity")
        panel.get_by_role("button", name="Submit").click()
        expect(panel.locator(".cq-hint")).to_have_text("Pick a choice first.")
        assert desk.heard == []

    def test_a_kernel_that_does_not_answer_is_said_and_submit_works_again(self, desk):
        panel = desk.open("perplexity")
        panel.get_by_role("radio").first.check()
        desk.silent = True
        panel.get_by_role("button", name="Submit").click()
        expect(panel.locator(".cq-hint")).to_contain_text("Waiting for the kernel")
        desk.silent = False
        panel.get_by_role("button", name="Submit").click()
        expect(panel.locator(".cq-verdict")).to_be_visible()


def test_a_graded_question_keeps_the_answer_and_tells_no_verdict(desk):
    panel = desk.open("perplexity", graded_kit)
    panel.get_by_text("ln 4", exact=True).click()
    panel.get_by_role("button", name="Submit").click()
    expect(panel).to_have_attribute("data-state", "saved")
    expect(panel.locator(".cq-why")).to_have_count(0)
    panel.get_by_role("button", name="Change answer").click()
    expect(panel).to_have_attribute("data-phase", "open")
    assert desk.stored("perplexity") == "ln_four"


class TestForScreenReaders:
    def test_choices_are_a_group_named_by_the_question(self, desk):
        panel = desk.open("perplexity")
        group = panel.get_by_role("radiogroup", name="Mean cross-entropy is ln 4 nats.")
        expect(group.get_by_role("radio")).to_have_count(3)
        expect(group.get_by_role("radio", name="ln 4")).to_be_visible()

    def test_a_number_field_is_named_by_the_question(self, desk):
        panel = desk.open("uniform")
        expect(panel.get_by_role("textbox", name="Uniform over 15 characters")).to_be_visible()

    def test_an_explanation_describes_the_choice_it_belongs_to(self, desk):
        panel = desk.open("perplexity")
        panel.get_by_text("ln 4", exact=True).click()
        panel.get_by_role("button", name="Submit").click()
        expect(panel.get_by_role("radio", checked=True)).to_have_accessible_description(
            "That is the cross-entropy itself."
        )

    def test_a_word_on_the_state_is_spoken(self, desk):
        panel = desk.open("perplexity")
        panel.get_by_role("button", name="Submit").click()
        expect(panel.get_by_role("status")).to_have_text("Pick a choice first.")

    def test_the_page_says_its_language(self, desk):
        panel = desk.open("perplexity", lang="zh")
        expect(panel).to_have_attribute("lang", "zh-CN")
        expect(panel.get_by_role("button", name="提交")).to_be_visible()


def test_a_closed_panel_listens_no_more(desk):
    desk.open("perplexity")
    desk.press("Tab")
    desk.page.evaluate("stop()")
    desk.page.evaluate(WATCH_KEYS)
    desk.press("d")
    assert desk.page.evaluate("passed") == ["d"]
