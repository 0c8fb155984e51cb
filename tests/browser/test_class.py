"""A lesson from handing out to feedback, in JupyterLab: by a learner and an instructor."""

from __future__ import annotations

import json
import re
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import expect

from course_utils import cli
from course_utils.authoring.notebook import assemble
from course_utils.kit import answers_path, find_kit

from .access import findings, report
from .hands import Keyboard, Mouse, right_answer, wrong_answer
from .instructor import COMMENT, LESSON, Buttons, Commands
from .lab import CELL, MENUS, USER, Lab, Notebook, new_page, until
from .nbgrader_pages import Assignments, validate

NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
OPEN_PATH = "path => window.jupyterapp.shell.currentWidget?.context?.path === path"
SHORT = {"quiz-geometric", "check-smoothed_probs"}  # what the learner leaves wrong
STILL_IS = f"""([id, words]) => {{
  const output = {CELL}.model.outputs.get(0).toJSON();
  return output.data['text/html'].includes(words);
}}"""


def solutions() -> dict[str, str]:
    """The reference solutions, by exercise."""
    cells = assemble(LESSON, "en", solutions=True).cells
    return {c.id: c.source for c in cells if c.metadata.get("nbgrader", {}).get("solution")}


def follow_start_page(lab: Lab) -> None:
    """Open the start page, run it, and follow its link to lesson 1."""
    folder = lab.lessons("start").name
    start = lab.open(f"{folder}/00_start.ipynb")
    start.run_all()
    assert start.errors() == []
    start.panel.locator(f'a[href*="{LESSON}"]').click()
    until(lab.page, OPEN_PATH, arg=f"{folder}/{LESSON}.ipynb")
    lab.close_all()


def fetch(lab: Lab) -> Notebook:
    """Fetch the lesson, and open it from the list."""
    assignments = Assignments(lab)
    assignments.press("Fetch")
    assignments.follow(LESSON)
    expect(assignments.panel.get_by_role("button", name="Validate")).to_be_visible()
    assignments.follow(LESSON)
    return Notebook(lab, NOTEBOOK)


def answer_everything(notebook: Notebook, shots: Path) -> None:
    """Answer each question by mouse, then one of each kind by keyboard: wrongly, then rightly."""
    folder = notebook.file.parent
    questions = find_kit(LESSON, folder)["questions"]
    one_of_each_kind = {question["kind"]: name for name, question in questions.items()}.values()
    for hand, names in ((Mouse, questions), (Keyboard, one_of_each_kind)):
        for name in names:
            one = hand(notebook, name)
            if one.panel.get_attribute("data-phase") == "done":
                one.try_again()
            one.answer(wrong_answer(questions[name]))
            one.expect_state("wrong")
            expect(one.panel.locator(".cq-why, .cq-verdict div").first).to_be_visible()
            one.try_again()
            one.answer(right_answer(questions[name]))
            one.expect_state("right")
    notebook.page.screenshot(path=shots / f"answered-{notebook.lab.lang}.png")
    kept = json.loads(answers_path(LESSON, folder).read_text(encoding="utf-8"))["answers"]
    attempts = {name: 4 if name in one_of_each_kind else 2 for name in questions}
    assert {name: len(answer["attempts"]) for name, answer in kept.items()} == attempts


def write_and_check(notebook: Notebook, exercise: str, code: str) -> None:
    """Write an exercise's cell and run its check."""
    notebook.write(exercise, code)
    notebook.run(f"check-{exercise}")


def solve_everything(notebook: Notebook, shots: Path) -> None:
    """Make a known mistake, read its hint, then write every exercise's reference solution."""
    turned = solutions()["bigram_counts"].replace("ids[:-1], ids[1:]", "ids[1:], ids[:-1]")
    write_and_check(notebook, "bigram_counts", turned)
    expect(notebook.verdict("bigram_counts").locator(".cq-slip")).to_be_visible()
    picture = shots / f"hint-{notebook.lab.lang}.png"
    notebook.verdict("bigram_counts").screenshot(path=picture)
    for exercise, code in solutions().items():
        write_and_check(notebook, exercise, code)
        expect(notebook.verdict(exercise)).to_have_attribute("data-state", "right")
    notebook.page.screenshot(path=shots / f"solved-{notebook.lab.lang}.png")


def come_back(lab: Lab) -> Notebook:
    """Reload the page: every answer is there; what is answered now is in the notebook, too."""
    lab.page.reload()
    lab.ready()
    notebook = lab.open(NOTEBOOK)
    for name in find_kit(LESSON, notebook.file.parent)["questions"]:
        expect(notebook.question(name)).to_have_attribute("data-state", "right")
    expect(notebook.question("perplexity").locator(".cq-progress")).to_contain_text("11")
    hand = Mouse(notebook, "perplexity")
    for choice, state in (("sixteen", "wrong"), ("four", "right")):
        hand.try_again()
        hand.answer([choice])
        hand.expect_state(state)
        until(notebook.page, STILL_IS, arg=["quiz-perplexity", f'data-state="{state}"'])
    notebook.save()
    return notebook


def pack_and_grade(notebook: Notebook, capsys: pytest.CaptureFixture) -> Path:
    """`course submit` and `course grade`, as who studies alone uses them; returns the page."""
    folder = notebook.file.parent
    assert cli.main(["submit", str(notebook.file)]) == 0
    out = capsys.readouterr().out
    assert not out.startswith("!"), out
    with zipfile.ZipFile(folder / f"{LESSON}.submission.zip") as packed:
        assert sorted(packed.namelist()) == [f".course/{LESSON}.answers.json", f"{LESSON}.ipynb"]
    assert cli.main(["grade", str(notebook.file)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\b11(\.0+)? */ *11\b", out), out
    [page] = folder.glob("*.html")
    return page


def spoil(notebook: Notebook) -> None:
    """Leave one question and one exercise wrong after all, and save."""
    hand = Mouse(notebook, "geometric")
    hand.try_again()
    hand.answer(["2.67"])
    hand.expect_state("wrong")
    turned = solutions()["smoothed_probs"].replace("axis=1", "axis=0")
    write_and_check(notebook, "smoothed_probs", turned)
    notebook.save()


def read_feedback(lab: Lab, shots: Path) -> str:
    """Fetch the feedback, follow its link, open the page; returns what it says."""
    assignments = Assignments(lab)
    assignments.press("Fetch Feedback")
    assignments.follow("view feedback")
    listed = lab.page.locator(".jp-DirListing-item")
    expect(listed).to_have_text([re.compile(rf"^{LESSON}\.html")])  # the folder before had more
    listed.dblclick()
    body = lab.page.frame_locator("iframe").locator("body")
    expect(body).to_contain_text("bigram_counts")
    lab.page.screenshot(path=shots / f"feedback-{lab.lang}.png")
    return body.inner_text()


def judged(folder: Path) -> dict[str, tuple[float, float]]:
    """Score and points of each cell in the gradebook."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", folder.name) as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, USER)
        return {grade.name: (grade.score, grade.max_score) for grade in notebook.grades}


@pytest.mark.parametrize(
    ("lang", "way"), [("en", Buttons), ("zh", Commands)], indirect=["lang"], ids=["en", "zh"]
)
def test_a_lesson_from_handing_out_to_feedback(lab, way, browser, tmp_path, shots, capsys):
    folder = tmp_path / "class"
    create = ["class", "create", str(folder), "--lang", lab.lang, "--lessons", LESSON]
    assert cli.main([*create, "--exchange", str(lab.exchange)]) == 0
    lab.stand()
    with ExitStack() as stack:
        instructor = way(stack, browser, folder, tmp_path / "instructor")
        instructor.hand_out()

        follow_start_page(lab)
        notebook = fetch(lab)
        notebook.run_all()
        assert notebook.errors() == []
        expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
        answer_everything(notebook, shots)
        solve_everything(notebook, shots)
        assert notebook.errors() == []
        notebook.save()
        notebook = come_back(lab)
        own_page = pack_and_grade(notebook, capsys)

        spoil(notebook)
        lab.page.screenshot(path=shots / f"class-{lab.lang}.png")
        told = validate(lab) if lab.lang == "en" else SHORT  # it runs the whole lesson
        Assignments(lab).press("Submit")
        expect(lab.page.get_by_role("button", name="Fetch Feedback")).to_be_visible()
        instructor.grade()

        scores = judged(folder)
        short = {name for name, (score, points) in scores.items() if score < points}
        failed = {re.sub(r'(check|quiz)\("?(\w+)"?\)', r"\1-\2", name) for name in told}
        assert failed == short == SHORT
        assert scores["check-bigram_counts"] == (2, 2)
        assert 0 <= scores["check-smoothed_probs"][0] < 2
        assert scores["quiz-geometric"] == (0, 1)

        commented = way is Buttons
        if commented:
            instructor.look_at_work(shots)
        instructor.give_back()
        said = read_feedback(lab, shots)
        total = sum(score for score, _ in scores.values())
        assert f"{total:.2f}".rstrip("0").rstrip(".") in said
        assert (COMMENT in said) is commented

    with new_page(browser) as page:
        page.goto(own_page.as_uri())
        page.screenshot(path=shots / f"own-feedback-{lab.lang}.png", full_page=True)
        found = findings(page) if lab.lang == "en" else []  # axe takes seconds
    assert not found, report(found)


def test_jupyterlab_speaks_the_courses_language(lab):
    lab.stand()
    menu = lab.page.get_by_role("menuitem", name=MENUS[lab.lang]["run"], exact=True)
    expect(menu).to_be_visible()
    assert lab.page.evaluate("() => document.documentElement.lang").startswith(lab.lang)
