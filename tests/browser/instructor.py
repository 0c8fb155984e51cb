"""An instructor's two ways to lead a class: formgrader's buttons, and the handbook's commands."""

from __future__ import annotations

from contextlib import ExitStack, chdir
from pathlib import Path

from playwright.sync_api import Browser, expect

from course_utils import cli
from tests.grading.test_loop import forked

from .lab import USER, Lab, free_port, new_page, plain_command, serve
from .nbgrader_pages import Formgrader

LESSON = "01_language_models"
COMMENT = "Well done, Ada."


class Buttons:
    """An instructor's steps in formgrader."""

    def __init__(self, stack: ExitStack, browser: Browser, folder: Path, home: Path) -> None:
        page, port = stack.enter_context(new_page(browser)), free_port()
        command = plain_command(folder, port)
        address = stack.enter_context(serve(command, port, home, USER, folder))
        self.page = page
        self.formgrader = Formgrader(Lab(page, address, folder))

    def hand_out(self) -> None:
        self.formgrader.press("assign")
        expect(self.formgrader.cell("release").locator("a")).to_be_visible()
        self.formgrader.press("release")
        expect(self.formgrader.cell("status")).to_have_text("released")

    def grade(self) -> None:
        """Collect and autograde."""
        formgrader = self.formgrader
        formgrader.press("collect")
        expect(formgrader.cell("num-submissions")).to_have_text("1")
        formgrader.frame.locator("td.num-submissions a").click()
        formgrader.press("autograde")
        expect(formgrader.cell("status")).to_have_text("graded")

    def look_at_work(self, shots: Path) -> None:
        """The manual grading page shows question, answer and verdict; leave a comment there."""
        formgrader = self.formgrader
        formgrader.go(f"gradebook/{LESSON}/{LESSON}")
        formgrader.frame.locator("a.name-hidden").first.click()
        question = formgrader.frame.locator('.cq-static[data-state="right"]').first
        expect(question).to_contain_text("ln 4")
        expect(formgrader.frame.get_by_text("def bigram_counts").first).to_be_visible()
        report = formgrader.frame.locator(
            '.cq-check[data-state="wrong"], .cq-check[data-state="partly"]'
        )
        expect(report.first).to_contain_text("smoothed_probs")
        report.first.scroll_into_view_if_needed()
        self.page.screenshot(path=shots / "manual-grading.png")
        comment = formgrader.frame.locator("textarea").first
        comment.fill(COMMENT)
        with self.page.expect_response(lambda answer: "/api/comment" in answer.url) as saved:
            comment.blur()
        assert saved.value.ok
        formgrader.go("manage_assignments")

    def give_back(self) -> None:
        """Make feedback pages and release them."""
        self.formgrader.press("generate-feedback")
        self.formgrader.press("release-feedback")


class Commands:
    """An instructor's steps by the commands of the handbook."""

    def __init__(self, stack: ExitStack, browser: Browser, folder: Path, home: Path) -> None:
        self.folder = folder
        stack.enter_context(chdir(folder))

    def hand_out(self) -> None:
        forked(["generate_assignment", LESSON])
        forked(["release_assignment", LESSON])

    def grade(self) -> None:
        forked(["collect", LESSON])
        assert cli.main(["grade", str(self.folder)]) == 0

    def give_back(self) -> None:
        forked(["release_feedback", LESSON])
