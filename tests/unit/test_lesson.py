"""What a notebook gets from `open_lesson`: no kit, and nbgrader's Validate button."""

import json
import shutil

import pytest

from course_utils import open_lesson
from course_utils.authoring.build import NOTEBOOKS
from course_utils.kit import answers_path, kit_path
from course_utils.lesson import KitNotFoundError

LESSON = "01_language_models"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A learner's folder with the lesson's kit, as the working directory."""
    place = kit_path(LESSON, tmp_path)
    place.parent.mkdir()
    shutil.copy(kit_path(LESSON, NOTEBOOKS / "en"), place)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def take_the_key(folder):
    """Make the kit a graded one: without the key."""
    path = kit_path(LESSON, folder)
    kit = json.loads(path.read_text(encoding="utf-8"))
    for question in kit["questions"].values():
        for name in ("answer", "tolerance", "why", "hint", "slips"):
            question.pop(name, None)
        for choice in question.get("choices", ()):
            del choice["right"], choice["why"]
    path.write_text(json.dumps(kit), encoding="utf-8")


def bigram_counts(ids, vocab_size):
    raise NotImplementedError


class TestWithoutAKit:
    def test_the_rest_of_the_notebook_runs_and_quiz_and_check_say_what_is_missing(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        quiz, check = open_lesson(LESSON)
        for use in (lambda: quiz("perplexity"), lambda: check(bigram_counts)):
            with pytest.raises(KitNotFoundError) as caught:
                use()
            [told] = caught.value._render_traceback_()
            assert "copied without its folder .course" in told
            assert "题目和检查" in told


class TestValidateButton:
    """nbgrader takes what a graded cell writes to stderr for the reason why it failed."""

    @pytest.fixture(autouse=True)
    def validating(self, monkeypatch):
        monkeypatch.setenv("NBGRADER_EXECUTION", "validate")

    def test_open_work_is_told(self, folder, capsys):
        quiz, check = open_lesson(LESSON)
        quiz("perplexity")
        assert capsys.readouterr().err == "Not answered yet.\n"
        check(bigram_counts)
        assert capsys.readouterr().err == "○ bigram_counts: not attempted yet.\n"

    def test_a_wrong_answer_is_told_without_the_right_one(self, folder, capsys):
        quiz, _ = open_lesson(LESSON)
        quiz("geometric").answer(1.5)
        capsys.readouterr()
        quiz("geometric")
        assert capsys.readouterr().err == "✗ Not right · 0 of 1 point\n"

    def test_right_work_is_silent(self, folder, capsys):
        quiz, _ = open_lesson(LESSON)
        question = quiz("perplexity")
        question.answer("four")
        capsys.readouterr()
        quiz("perplexity")
        assert capsys.readouterr().err == ""
        assert answers_path(LESSON, folder).exists()

    def test_a_graded_answer_is_in_order_whatever_it_is(self, folder, capsys):
        take_the_key(folder)
        quiz, _ = open_lesson(LESSON)
        quiz("geometric").answer(1.5)
        capsys.readouterr()
        quiz("geometric")
        assert capsys.readouterr().err == ""

    def test_otherwise_nothing_is_written(self, folder, capsys, monkeypatch):
        monkeypatch.delenv("NBGRADER_EXECUTION")
        quiz, check = open_lesson(LESSON)
        quiz("perplexity")
        check(bigram_counts)
        assert capsys.readouterr().err == ""
