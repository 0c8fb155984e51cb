"""A learner's clumsy moves: nothing is lost, and what went wrong is said in words."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from playwright.sync_api import expect

from course_utils.kit import answers_path

from .hands import Mouse
from .lab import Lab, new_page
from .short import LESSON, WRONG, write_short

BEGIN = ("imports", "quiz-perplexity", "quiz-geometric")
# Root may write anywhere; what Python still has to import, nobody might not be able to read.
BECOME_NOBODY = "import os\nos.seteuid(65534) if os.geteuid() == 0 else None"
BECOME_ONESELF = "os.seteuid(os.getuid())"
FILL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 10**9))"
EMPTY_DISK = "resource.setrlimit(resource.RLIMIT_FSIZE, (10**9, 10**9))"


@pytest.fixture(scope="module")
def lab(labs):
    """JupyterLab; these tests close nothing in between."""
    yield labs("en")
    labs("en").close_all()


@pytest.fixture(scope="module")
def folder(lab):
    """The lessons of a learner who does all of this, the first one shortened."""
    folder = lab.lessons("clumsy")
    write_short(folder)
    return folder


@pytest.fixture
def notebook(lab, folder):
    """The short notebook begun afresh, in the kernel that the tests before have used."""
    for path in (folder / ".course").glob("*.answers*"):
        path.unlink()
    notebook = lab.open(f"{folder.name}/{LESSON}.ipynb")
    notebook.run(*BEGIN)
    return notebook


def kept(folder) -> dict:
    """The learner's answers."""
    return json.loads(answers_path(LESSON, folder).read_text(encoding="utf-8"))["answers"]


def attempts(folder, name) -> list:
    return [attempt["answer"] for attempt in kept(folder)[name]["attempts"]]


def run_beside(notebook, code: str) -> None:
    """Run code in the notebook's kernel without a trace in the notebook."""
    notebook.page.evaluate(
        """async code => {
          const { session } = window.jupyterapp.shell.currentWidget.sessionContext;
          await session.kernel.requestExecute({ code, silent: true }).done;
        }""",
        code,
    )


def test_a_double_click_on_submit_is_one_answer(notebook, folder):
    panel = notebook.question("perplexity")
    panel.locator('input[value="sixteen"]').check()
    panel.get_by_role("button", name="Submit").dblclick()
    expect(panel).to_have_attribute("data-state", "wrong")
    assert attempts(folder, "perplexity") == ["sixteen"]


def test_two_notebooks_on_one_answers_file(lab, folder, notebook):
    Mouse(notebook, "perplexity").answer(["sixteen"])
    Mouse(notebook, "perplexity").expect_state("wrong")
    shutil.copy(notebook.file, folder / "copy.ipynb")
    copy = lab.open(f"{folder.name}/copy.ipynb")
    copy.run(*BEGIN)
    expect(copy.question("perplexity")).to_have_attribute("data-state", "wrong")
    Mouse(copy, "geometric").answer(["2.83"])
    Mouse(copy, "geometric").expect_state("right")
    lab.open(notebook.path)
    hand = Mouse(notebook, "perplexity")
    hand.try_again()
    hand.answer(["four"])
    hand.expect_state("right")
    assert attempts(folder, "perplexity") == ["sixteen", "four"]
    assert kept(folder)["geometric"]["answer"] == 2.83


def test_two_browser_windows_on_one_notebook(lab, folder, notebook, browser):
    notebook.save()
    with new_page(browser) as page:
        other = Lab(page, lab.address, lab.root).open(notebook.path)
        other.run("quiz-perplexity")
        Mouse(other, "perplexity").answer(["four"])
        Mouse(other, "perplexity").expect_state("right")
        page.on("dialog", lambda dialog: dialog.accept())
    Mouse(notebook, "perplexity").answer(["sixteen"])
    expect(notebook.question("perplexity")).to_have_attribute("data-phase", "done")
    assert attempts(folder, "perplexity")[0] == "four"


def test_a_kernel_restarted_in_mid_question(lab, folder, notebook, shots):
    hand = Mouse(notebook, "perplexity")
    lab.page.evaluate(
        "async () => { await window.jupyterapp.shell.currentWidget.sessionContext"
        ".session.kernel.restart(); }"
    )
    hand.answer(["four"])
    expect(hand.panel.locator(".cq-hint")).to_contain_text("if it was restarted, run this cell")
    hand.panel.screenshot(path=shots / "kernel-gone.png")
    assert not answers_path(LESSON, folder).exists()
    notebook.run("imports", "quiz-perplexity")
    hand.answer(["four"])
    hand.expect_state("right")


def test_a_renamed_notebook_goes_on_with_its_answers(lab, folder, notebook):
    Mouse(notebook, "perplexity").answer(["four"])
    Mouse(notebook, "perplexity").expect_state("right")
    notebook.save()
    lab.close_all()
    renamed = notebook.file.rename(folder / "homework (final).ipynb")
    other = lab.open(f"{folder.name}/{renamed.name}")
    other.run("imports", "quiz-perplexity")
    expect(other.question("perplexity")).to_have_attribute("data-state", "right")
    lab.close_all()
    renamed.rename(notebook.file)


def test_a_notebook_copied_without_its_kit_says_so_and_runs_on(lab, folder):
    place = folder / "elsewhere"
    place.mkdir()
    write_short(place)
    notebook = lab.open(f"{folder.name}/elsewhere/{LESSON}.ipynb")
    for cell in ("imports", "quiz-perplexity", "slider"):  # together the first error would end it
        notebook.run(cell)
    [told] = notebook.errors()
    assert "copied without its folder .course" in told
    assert "Traceback" not in told
    expect(notebook.cell("slider").get_by_role("slider")).to_be_visible()


def test_a_read_only_folder(folder, notebook, shots):
    Mouse(notebook, "geometric").answer(["2.83"])
    Mouse(notebook, "geometric").expect_state("right")
    notebook.write("bigram_counts", WRONG)
    notebook.run("check-bigram_counts")
    before = answers_path(LESSON, folder).read_bytes()
    for path in (folder, folder / ".course"):
        path.chmod(0o555)
    try:
        run_beside(notebook, BECOME_NOBODY)
        Mouse(notebook, "perplexity").answer(["four"])
        panel = notebook.question("perplexity")
        expect(panel).to_have_attribute("data-state", "right")
        expect(panel.locator(".cq-warning")).to_contain_text("read-only")
        panel.screenshot(path=shots / "read-only.png")
        notebook.write("bigram_counts", WRONG.replace("zeros", "ones"))
        notebook.run("check-bigram_counts")
        expect(notebook.verdict("bigram_counts")).to_contain_text("read-only")
    finally:
        run_beside(notebook, BECOME_ONESELF)
        for path in (folder, folder / ".course"):
            path.chmod(0o755)
    assert answers_path(LESSON, folder).read_bytes() == before


def test_a_full_disk(folder, notebook):
    run_beside(notebook, FILL_DISK)
    hand = Mouse(notebook, "perplexity")
    hand.answer(["four"])
    hand.expect_state("right")
    expect(hand.panel.locator(".cq-warning")).to_contain_text("disk is full")
    run_beside(notebook, EMPTY_DISK)
    hand.try_again()
    hand.answer(["four"])
    hand.expect_state("right")
    expect(hand.panel.locator(".cq-warning")).to_have_count(0)
    assert kept(folder)["perplexity"]["answer"] == "four"


def test_an_answers_file_edited_by_hand(folder, notebook):
    answers_path(LESSON, folder).write_text("{ by hand", encoding="utf-8")
    notebook.run("imports", "quiz-perplexity")
    hand = Mouse(notebook, "perplexity")
    expect(hand.panel.locator(".cq-warning")).to_contain_text("damaged")
    hand.answer(["four"])
    hand.expect_state("right")
    [aside] = (folder / ".course").glob("*.malformed-*.json")
    expect(hand.panel.locator(".cq-warning")).to_contain_text(aside.name)
    assert aside.read_text(encoding="utf-8") == "{ by hand"
    assert os.path.getsize(answers_path(LESSON, folder)) > 0
