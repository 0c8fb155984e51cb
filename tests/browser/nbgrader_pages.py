"""nbgrader's pages in JupyterLab: formgrader for instructors, Assignments for learners."""

from __future__ import annotations

from playwright.sync_api import FrameLocator, Locator, expect

from .lab import PATIENCE, Lab


class Formgrader:
    """The instructor's pages, opened from JupyterLab's menu."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        lab.visit()
        lab.command("nbgrader:open-formgrader")
        self.frame: FrameLocator = lab.page.frame_locator("iframe")

    def go(self, path: str) -> None:
        """Load one of formgrader's pages."""
        frame = next(frame for frame in self.lab.page.frames if "/formgrader" in frame.url)
        frame.goto(f"{self.lab.address}/formgrader/{path}")

    def press(self, column: str) -> None:
        """Click the button in a column of the table, and close the box that says it went well."""
        self.frame.locator(f"td.{column} a").click()
        box = self.frame.locator(".modal.in")
        expect(box.locator(".modal-title")).to_have_text("Success")
        box.locator(".modal-footer button").first.click()
        expect(box).to_have_count(0)

    def cell(self, column: str) -> Locator:
        """A cell of the table's only row."""
        return self.frame.locator(f"td.{column}")


class Assignments:
    """The learner's Assignment List."""

    def __init__(self, lab: Lab) -> None:
        lab.command("nbgrader:open-assignment-list")
        self.page = lab.page
        self.panel = lab.page.locator("#nbgrader-assignment-list")

    def press(self, name: str) -> None:
        """Click one of the list's buttons."""
        self.panel.get_by_role("button", name=name, exact=True).click()

    def follow(self, words: str) -> None:
        """Click one of the list's links."""
        self.panel.locator("a", has_text=words).and_(self.page.locator(":visible")).last.click()


def validate(lab: Lab) -> dict[str, str]:
    """Press the notebook's Validate button; returns what it says of each cell, and closes it."""
    lab.page.get_by_role("button", name="Validate", exact=True).click()
    box = lab.page.locator(".jp-Dialog", has_text="Validation Results")
    box.wait_for(timeout=3 * PATIENCE)
    told = [pre.inner_text().strip() for pre in box.locator("pre").all()]
    box.get_by_role("button").last.click()
    expect(box).to_have_count(0)
    return dict(zip(told[::2], told[1::2], strict=True))
