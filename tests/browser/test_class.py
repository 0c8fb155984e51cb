"""A class from both sides, through nbgrader's pages in JupyterLab, from handing out to feedback."""

from __future__ import annotations

import getpass
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import expect

from course_utils import cli
from course_utils.authoring.notebook import assemble
from course_utils.kit import find_kit

from .hands import Mouse, right_answer, wrong_answer
from .lab import Lab, Notebook, free_port, learners_command, new_page, plain_command, serve
from .nbgrader_pages import Assignments, Formgrader, validate

LESSON = "01_language_models"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
SETTINGS = "c = get_config()\nc.Exchange.root = {exchange!r}\n"
COMMENT = "Well done, Ada."
STUDENT = getpass.getuser()


@dataclass
class Classroom:
    """An instructor's and a learner's JupyterLab, joined by nbgrader's exchange."""

    folder: Path
    teacher: Lab
    learner: Lab


@pytest.fixture
def make_class(browser, tmp_path, monkeypatch):
    """Makes a class of lesson 1 and opens both sides."""
    with ExitStack() as stack:

        def lab(name, command, root, lang):
            home = tmp_path / name
            page = stack.enter_context(new_page(browser))
            port = free_port()
            address = stack.enter_context(serve(command(port), port, home, STUDENT, root))
            return Lab(page, address, root, lang)

        def make(lang, *options):
            exchange, folder = tmp_path / "exchange", tmp_path / "class"
            exchange.mkdir()
            exchange.chmod(0o777)
            create = ["class", "create", str(folder), "--lang", lang, "--lessons", LESSON]
            assert cli.main([*create, "--exchange", str(exchange), *options]) == 0
            teacher = lab("teacher", lambda port: plain_command(folder, port), folder, "en")
            config = tmp_path / "learner" / "config"
            config.mkdir(parents=True)
            (config / "nbgrader_config.py").write_text(SETTINGS.format(exchange=str(exchange)))
            monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(config))  # by which start.py sees a class
            desk = tmp_path / "notebooks" / lang
            desk.mkdir(parents=True)
            learner = lab("learner", partial(learners_command, lang, tmp_path), desk, lang)
            return Classroom(folder, teacher, learner)

        yield make


def hand_out(formgrader: Formgrader) -> None:
    formgrader.press("assign")
    expect(formgrader.cell("release").locator("a")).to_be_visible()
    formgrader.press("release")
    expect(formgrader.cell("status")).to_have_text("released")


def fetch(learner: Lab) -> Notebook:
    """Fetch the lesson, and open it from the list."""
    learner.visit()
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
    questions = find_kit(LESSON, notebook.file.parent)["questions"]
    first = next(cell["id"] for cell in notebook.cells() if cell["cell_type"] == "code")
    notebook.run(first, "quiz-perplexity", "quiz-geometric")
    key = find_kit(LESSON, Path(__file__).parents[2] / "notebooks" / "en")["questions"]
    for name, answer in (("perplexity", right_answer), ("geometric", wrong_answer)):
        Mouse(notebook, name).answer(answer(key[name]))
        expect(notebook.question(name)).to_have_attribute("data-phase", "done")
    graded = "right" not in questions["perplexity"]["choices"][0]
    state = "saved" if graded else "wrong"
    expect(notebook.question("geometric")).to_have_attribute("data-state", state)
    turned = code["smoothed_probs"].replace("axis=1", "axis=0")
    for exercise, text in (("bigram_counts", code["bigram_counts"]), ("smoothed_probs", turned)):
        notebook.write(exercise, text)
        notebook.run(f"check-{exercise}")
    notebook.save()


def grade(formgrader: Formgrader) -> None:
    """Collect and autograde by the buttons."""
    formgrader.press("collect")
    expect(formgrader.cell("num-submissions")).to_have_text("1")
    formgrader.frame.locator("td.num-submissions a").click()
    formgrader.press("autograde")
    expect(formgrader.cell("status")).to_have_text("graded")


def look_at_work(classroom: Classroom, formgrader: Formgrader, shots: Path) -> None:
    """The manual grading page shows question, answer and verdict; leave a comment there."""
    page = classroom.teacher.page
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
    page.screenshot(path=shots / f"manual-grading-{classroom.learner.lang}.png")
    comment = formgrader.frame.locator("textarea").first
    comment.fill(COMMENT)
    with page.expect_response(lambda answer: "/api/comment" in answer.url) as saved:
        comment.blur()
    assert saved.value.ok
    formgrader.go("manage_assignments")


def give_back(formgrader: Formgrader) -> None:
    formgrader.press("generate-feedback")
    formgrader.press("release-feedback")


def read_feedback(learner: Lab, shots: Path) -> str:
    """Fetch the feedback, follow its link, open the page; returns what it says."""
    assignments = Assignments(learner)
    assignments.press("Fetch Feedback")
    assignments.follow("view feedback")
    learner.page.locator(".jp-DirListing-item", has_text=".html").dblclick()
    body = learner.page.frame_locator("iframe").locator("body")
    expect(body).to_contain_text("bigram_counts")
    learner.page.screenshot(path=shots / f"feedback-{learner.lang}.png")
    return body.inner_text()


def judged(classroom: Classroom) -> dict[str, tuple[float, float]]:
    """Score and points of each cell in the gradebook."""
    database = f"sqlite:///{classroom.folder / 'gradebook.db'}"
    with Gradebook(database, "class") as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, STUDENT)
        return {grade.name: (grade.score, grade.max_score) for grade in notebook.grades}


@pytest.mark.parametrize(("lang", "options"), [("en", ["--graded"]), ("zh", [])], ids=["en", "zh"])
def test_a_class_from_handing_out_to_feedback(make_class, lang, options, shots):
    classroom = make_class(lang, *options)
    formgrader = Formgrader(classroom.teacher)
    hand_out(formgrader)
    notebook = fetch(classroom.learner)
    work(notebook)
    told = validate(classroom.learner)
    classroom.learner.page.screenshot(path=shots / f"class-{lang}.png")
    Assignments(classroom.learner).press("Submit")
    expect(notebook.page.get_by_role("button", name="Fetch Feedback")).to_be_visible()
    grade(formgrader)

    scores = judged(classroom)
    short = {name for name, (score, points) in scores.items() if score < points}
    failed = {name.replace("check(", "check-").replace("quiz(", "quiz-") for name in told}
    failed = {name.strip(")").replace('"', "") for name in failed}
    # With a graded kit nobody but the judge knows that an answer is wrong.
    assert failed == short - ({"quiz-geometric"} if options else set())
    assert scores["check-bigram_counts"] == (2, 2)
    assert 0 <= scores["check-smoothed_probs"][0] < 2
    assert scores["quiz-perplexity"] == (1, 1)
    assert scores["quiz-geometric"] == (0, 1)

    look_at_work(classroom, formgrader, shots)
    give_back(formgrader)
    page = read_feedback(classroom.learner, shots)
    total = sum(score for score, _ in scores.values())
    assert f"{total:.2f}".rstrip("0").rstrip(".") in page
    assert COMMENT in page
