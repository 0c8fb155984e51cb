"""A class from both sides, through nbgrader's pages in JupyterLab, from handing out to feedback."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import Browser, expect

from course_utils import cli
from course_utils.authoring.notebook import assemble
from course_utils.kit import find_kit

from .hands import Mouse, right_answer, wrong_answer
from .lab import USER, Lab, Notebook, free_port, new_page, plain_command, serve
from .nbgrader_pages import Assignments, Formgrader, validate

LESSON = "01_language_models"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
COMMENT = "Well done, Ada."


class Instructor:
    """Goes through a class in formgrader."""

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
        question = formgrader.frame.locator('.cq-static[data-state="right"]')
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
        self.formgrader.press("generate-feedback")
        self.formgrader.press("release-feedback")


def fetch(learner: Lab) -> Notebook:
    """Fetch the lesson, and open it from the list."""
    learner.stand()
    assignments = Assignments(learner)
    assignments.press("Fetch")
    assignments.follow(LESSON)
    expect(assignments.panel.get_by_role("button", name="Validate")).to_be_visible()
    assignments.follow(LESSON)
    return Notebook(learner, NOTEBOOK)


def work(notebook: Notebook) -> None:
    """One exercise right, one a known mistake, one question right, one wrong; save."""
    cells = assemble(LESSON, "en", solutions=True).cells
    code = {cell.id: cell.source for cell in cells}
    kit = find_kit(LESSON, notebook.file.parent)
    assert "right" not in kit["questions"]["perplexity"]["choices"][0]
    imports = next(cell.id for cell in cells if cell.cell_type == "code")
    notebook.run(imports, "quiz-perplexity", "quiz-geometric")
    key = find_kit(LESSON, Path(__file__).parents[2] / "notebooks" / "en")["questions"]
    for name, answer in (("perplexity", right_answer), ("geometric", wrong_answer)):
        Mouse(notebook, name).answer(answer(key[name]))
        expect(notebook.question(name)).to_have_attribute("data-phase", "done")
    expect(notebook.question("geometric")).to_have_attribute("data-state", "saved")
    turned = code["smoothed_probs"].replace("axis=1", "axis=0")
    for exercise, text in (("bigram_counts", code["bigram_counts"]), ("smoothed_probs", turned)):
        notebook.write(exercise, text)
        notebook.run(f"check-{exercise}")
    notebook.save()


def read_feedback(learner: Lab, shots: Path) -> str:
    """Fetch the feedback, follow its link, open the page; returns what it says."""
    assignments = Assignments(learner)
    assignments.press("Fetch Feedback")
    assignments.follow("view feedback")
    learner.page.locator(".jp-DirListing-item", has_text=".html").dblclick()
    body = learner.page.frame_locator("iframe").locator("body")
    expect(body).to_contain_text("bigram_counts")
    learner.page.screenshot(path=shots / "feedback.png")
    return body.inner_text()


def judged(folder: Path) -> dict[str, tuple[float, float]]:
    """Score and points of each cell in the gradebook."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", folder.name) as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, USER)
        return {grade.name: (grade.score, grade.max_score) for grade in notebook.grades}


@pytest.mark.parametrize("lang", ["zh"], indirect=True)
def test_a_class_from_handing_out_to_feedback(lab, browser, tmp_path, shots):
    folder = tmp_path / "class"
    create = ["class", "create", str(folder), "--lang", lab.lang, "--lessons", LESSON, "--graded"]
    assert cli.main([*create, "--exchange", str(lab.exchange)]) == 0
    with ExitStack() as stack:
        instructor = Instructor(stack, browser, folder, tmp_path / "instructor")
        instructor.hand_out()
        notebook = fetch(lab)
        work(notebook)
        told = validate(lab)
        lab.page.screenshot(path=shots / "class.png")
        Assignments(lab).press("Submit")
        expect(lab.page.get_by_role("button", name="Fetch Feedback")).to_be_visible()
        instructor.grade()

        scores = judged(folder)
        short = {name for name, (score, points) in scores.items() if score < points}
        failed = {name.replace("check(", "check-").replace("quiz(", "quiz-") for name in told}
        failed = {name.strip(")").replace('"', "") for name in failed}
        # With a graded kit nobody but the judge knows that an answer is wrong.
        assert failed == short - {"quiz-geometric"}
        assert scores["check-bigram_counts"] == (2, 2)
        assert 0 <= scores["check-smoothed_probs"][0] < 2
        assert scores["quiz-perplexity"] == (1, 1)
        assert scores["quiz-geometric"] == (0, 1)

        instructor.look_at_work(shots)
        instructor.give_back()
        page = read_feedback(lab, shots)
        total = sum(score for score, _ in scores.values())
        assert f"{total:.2f}".rstrip("0").rstrip(".") in page
        assert COMMENT in page
