"""A learner's two ways to answer a question: with the mouse, and with the keyboard alone."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

from .lab import Notebook

BUTTONS = {
    "en": {"submit": "Submit", "again": "Try again", "explain": "Explain the other choices"},
    "zh": {"submit": "提交", "again": "再试一次", "explain": "查看其他选项的解析"},
}
HOLDS_FOCUS = "panel => panel.contains(document.activeElement)"
FOCUSED = "() => document.activeElement.value"
TO_CHANGE = """(boxes, given) => boxes.filter(box => box.checked !== given.includes(box.value)
  && !(box.checked && box.type === 'radio')).map(box => box.value)"""
TAKE_CELL = """id => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.id === id);
  notebook.mode = 'command';
  notebook.activeCell.node.focus();
}"""


def right_answer(question: dict[str, Any]) -> list[str]:
    """What earns full points: ids of choices, or the number as it is typed."""
    if question["kind"] == "numeric":
        return [str(question["answer"])]
    return [choice["id"] for choice in question["choices"] if choice["right"]]


def wrong_answer(question: dict[str, Any]) -> list[str]:
    """What earns nothing."""
    if question["kind"] == "numeric":
        return [str(question["slips"][0]["value"])]
    wrong = [choice["id"] for choice in question["choices"] if not choice["right"]]
    return wrong if question["kind"] == "multiple" else wrong[:1]


class Hand:
    """Answers a question in one way, and tries again."""

    def __init__(self, notebook: Notebook, name: str) -> None:
        self.notebook = notebook
        self.page: Page = notebook.page
        self.name = name
        self.panel: Locator = notebook.question(name)
        self.buttons = BUTTONS[notebook.lab.lang]

    def try_again(self) -> None:
        """Press "Try again" and wait until the question is open."""
        self.press("again")
        expect(self.panel).to_have_attribute("data-phase", "open")

    def press(self, name: str) -> None:
        """Press one of the panel's buttons."""
        raise NotImplementedError

    def to_change(self, given: list[str]) -> list[str]:
        """The choices to press so that exactly `given` are picked."""
        return self.panel.locator(".cq-choice input").evaluate_all(TO_CHANGE, given)

    def expect_state(self, state: str) -> None:
        """Wait until the panel has that state."""
        expect(self.panel).to_have_attribute("data-state", state)


class Mouse(Hand):
    """Clicks."""

    def answer(self, given: list[str]) -> None:
        """Pick exactly these choices, or type this number, and submit."""
        field = self.panel.locator(".cq-number")
        if field.count():
            field.fill(given[0])
        for choice in self.to_change(given):
            self.panel.locator(f'.cq-choice:has([value="{choice}"]) .cq-words').click()
        self.press("submit")

    def press(self, name: str) -> None:
        """Click one of the panel's buttons."""
        self.panel.get_by_role("button", name=self.buttons[name]).click()


class Keyboard(Hand):
    """Tab, arrows, Space, Enter; begins on the selected cell, where JupyterLab's arrows lead."""

    def answer(self, given: list[str]) -> None:
        """Pick exactly these choices, or type this number, and submit."""
        self.enter_panel()
        if self.panel.locator(".cq-number").count():
            self.page.keyboard.press("ControlOrMeta+a")
            self.page.keyboard.type(given[0])
        elif self.panel.get_by_role("radio").count():
            self.move_to(given[0])
        else:
            self.tick(given)
        self.page.keyboard.press("Enter")

    def press(self, name: str) -> None:
        """Tab on from where the focus is to one of the panel's buttons, and press Space."""
        self.enter_panel()
        button = self.panel.get_by_role("button", name=self.buttons[name])
        for _ in range(4):
            if button.evaluate("button => button === document.activeElement"):
                break
            self.page.keyboard.press("Tab")
        expect(button).to_be_focused()
        self.page.keyboard.press("Space")

    def enter_panel(self) -> None:
        """Tab from the cell into its panel."""
        if self.panel.evaluate(HOLDS_FOCUS):
            return
        self.page.evaluate(TAKE_CELL, f"quiz-{self.name}")
        for _ in range(6):
            self.page.keyboard.press("Tab")
            if self.panel.evaluate(HOLDS_FOCUS):
                return
        raise AssertionError(f"Tab does not lead from the cell into the question {self.name}")

    def move_to(self, choice: str) -> None:
        """Move along the radio buttons; arrows pick, Space picks the one that has the focus."""
        for _ in self.panel.get_by_role("radio").all():
            if self.page.evaluate(FOCUSED) == choice:
                self.page.keyboard.press("Space")
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"arrows do not lead to {choice}")

    def tick(self, given: list[str]) -> None:
        """Go through the boxes by Tab and let Space change those that should be."""
        self.panel.get_by_role("checkbox").first.focus()
        change = self.to_change(given)
        for _ in self.panel.get_by_role("checkbox").all():
            if self.page.evaluate(FOCUSED) in change:
                self.page.keyboard.press("Space")
            self.page.keyboard.press("Tab")
