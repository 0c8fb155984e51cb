"""A learner alone with a lesson: run, answer, solve, save, come back, hand in, be graded."""

from __future__ import annotations

import json
import re
import zipfile

import pytest
from playwright.sync_api import expect

from course_utils import cli
from course_utils.authoring.notebook import assemble
from course_utils.kit import answers_path, find_kit

from .access import findings, report
from .hands import Keyboard, Mouse, right_answer, wrong_answer
from .lab import CELL, MENUS, Notebook, new_page, until

LESSON = "01_language_models"
STILL_IS = f"""([id, words]) => {{
  const output = {CELL}.model.outputs.get(0).toJSON();
  return output.data['text/html'].includes(words);
}}"""


def solutions() -> dict[str, str]:
    """The reference solutions, by exercise."""
    cells = assemble(LESSON, "en", solutions=True).cells
    return {c.id: c.source for c in cells if c.metadata.get("nbgrader", {}).get("solution")}


def open_from_start_page(lab, folder) -> Notebook:
    """Open the start page, run it, and follow its link to lesson 1."""
    start = lab.open(f"{folder.name}/00_start.ipynb")
    start.run_all_by_menu()
    assert start.errors() == []
    start.panel.locator(f'a[href*="{LESSON}"]').click()
    return Notebook(lab, f"{folder.name}/{LESSON}.ipynb")


def answer_everything(notebook, questions) -> None:
    """Answer each question wrongly, read why, then rightly: the first of a kind by keyboard."""
    kinds = set()
    for name, question in questions.items():
        one = (Mouse if question["kind"] in kinds else Keyboard)(notebook, name)
        kinds.add(question["kind"])
        one.answer(wrong_answer(question))
        one.expect_state("wrong")
        told = one.panel.locator(".cq-why, .cq-verdict div")
        expect(told.first).to_be_visible()
        one.try_again()
        one.answer(right_answer(question))
        one.expect_state("right")


def answer_after_a_reload(notebook) -> None:
    """Answer a question once more; the notebook holds it, so that a save keeps it."""
    hand = Mouse(notebook, "perplexity")
    for choice, state in (("sixteen", "wrong"), ("four", "right")):
        hand.try_again()
        hand.answer([choice])
        hand.expect_state(state)
        until(notebook.page, STILL_IS, arg=["quiz-perplexity", f'data-state="{state}"'])


def solve_everything(notebook) -> None:
    """Write every exercise's reference solution and check it."""
    for exercise, code in solutions().items():
        notebook.write(exercise, code)
        notebook.run(f"check-{exercise}")
        expect(notebook.verdict(exercise)).to_have_attribute("data-state", "right")


@pytest.mark.parametrize("lang", ["en"], indirect=True)
def test_a_learner_works_through_lesson_1(lab, folder, shots, capsys, browser):
    page = lab.page
    notebook = open_from_start_page(lab, folder)
    notebook.run_all_by_menu()
    assert notebook.errors() == []
    expect(page.locator(".jp-Dialog")).to_have_count(0)

    questions = find_kit(LESSON, folder)["questions"]
    answer_everything(notebook, questions)
    page.screenshot(path=shots / "answered.png")
    kept = json.loads(answers_path(LESSON, folder).read_text(encoding="utf-8"))["answers"]
    assert [len(kept[name]["attempts"]) for name in questions] == [2] * len(questions)

    turned = solutions()["bigram_counts"].replace("ids[:-1], ids[1:]", "ids[1:], ids[:-1]")
    notebook.write("bigram_counts", turned)
    notebook.run("check-bigram_counts")
    expect(notebook.verdict("bigram_counts").locator(".cq-slip")).to_be_visible()
    notebook.verdict("bigram_counts").screenshot(path=shots / "hint.png")
    solve_everything(notebook)
    page.screenshot(path=shots / "solved.png")
    assert notebook.errors() == []
    notebook.save()

    page.reload()
    lab.ready()
    notebook = lab.open(f"{folder.name}/{LESSON}.ipynb")
    for name in kept:
        expect(notebook.question(name)).to_have_attribute("data-state", "right")
    expect(notebook.question("perplexity").locator(".cq-progress")).to_contain_text("11")
    answer_after_a_reload(notebook)
    notebook.save()

    assert cli.main(["submit", str(notebook.file)]) == 0
    out = capsys.readouterr().out
    assert not out.startswith("!"), out
    with zipfile.ZipFile(folder / f"{LESSON}.submission.zip") as packed:
        assert sorted(packed.namelist()) == [f".course/{LESSON}.answers.json", f"{LESSON}.ipynb"]

    assert cli.main(["grade", str(notebook.file)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\b11(\.0+)? */ *11\b", out), out
    [feedback] = folder.glob("*.html")
    with new_page(browser) as page:
        page.goto(feedback.as_uri())
        page.screenshot(path=shots / "own-feedback.png", full_page=True)
        found = findings(page)
    assert not found, report(found)


def test_jupyterlab_speaks_the_courses_language(lab):
    lab.stand()
    expect(
        lab.page.get_by_role("menuitem", name=MENUS[lab.lang]["run"], exact=True)
    ).to_be_visible()
    assert lab.page.evaluate("() => document.documentElement.lang").startswith(lab.lang)
