"""The question on a learner's screen: panel, text answers, memory across openings, graded kits.

What a learner does in the browser arrives as messages of the panel's front end; `click` sends them.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course_utils.kit import answers_path
from course_utils.quiz.answers import read_answers, record_answer
from course_utils.quiz.widget import WIDGET_VIEW, QuestionNotFoundError, Quiz, open_question
from tests.unit.quiz_samples import LESSON, graded_kit, practice_kit


@pytest.fixture(autouse=True)
def learner(monkeypatch) -> None:
    """A learner who sees choices in one known order."""
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return answers_path(LESSON, tmp_path)


def click(quiz: Quiz, **message: Any) -> dict[str, Any]:
    """Send what the front end sends, as ipywidgets delivers it, and return the new view."""
    panel = quiz.panel
    assert panel is not None
    panel._handle_custom_msg(message, [])
    return panel.view


def submit(quiz: Quiz, answer: Any) -> dict[str, Any]:
    return click(quiz, do="submit", answer=answer)


def stored(path: Path, name: str) -> Any:
    return read_answers(path)["answers"].get(name, {}).get("answer")


def letter_of(quiz: Quiz, name: str) -> str:
    """The letter under which this learner sees a choice."""
    assert quiz.panel is not None
    return next(one["letter"] for one in quiz.panel.view["choices"] if one["id"] == name)


class TestAnswering:
    def test_a_fresh_question_awaits_an_answer(self, tmp_path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        view = quiz.panel.view
        assert (view["phase"], view["state"], view["badge"]) == ("open", "open", "")
        assert [one["why"] for one in view["choices"]] == ["", "", ""]

    def test_a_right_answer(self, tmp_path, path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        view = submit(quiz, ["four"])
        assert (view["phase"], view["badge"], view["score"]) == ("done", "✓ Right", "1 of 1 point")
        picked = next(one for one in view["choices"] if one["picked"])
        assert picked["why"] == "<p>Because <code>exp(ln 4) = 4</code>.</p>"
        assert picked["said"] == "Your answer ✓ right"
        assert stored(path, "perplexity") == "four"

    def test_a_wrong_answer_is_explained_and_may_be_tried_again(self, tmp_path, path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        view = submit(quiz, ["ln_four"])
        assert (view["badge"], view["again"]) == ("✗ Not right", "Try again")
        assert [one["why"] for one in view["choices"] if one["why"]] == [
            "<p>That is the cross-entropy itself.</p>"
        ]
        assert click(quiz, do="again")["phase"] == "open"
        assert submit(quiz, ["four"])["badge"] == "✓ Right"
        attempts = read_answers(path)["answers"]["perplexity"]["attempts"]
        assert [attempt["answer"] for attempt in attempts] == ["ln_four", "four"]

    def test_several_picks_earn_a_part(self, tmp_path):
        quiz = open_question(practice_kit(), "gates", tmp_path)
        view = submit(quiz, ["adds"])
        assert (view["badge"], view["score"]) == ("◐ Partly right", "1 of 2 points")

    @pytest.mark.parametrize(
        ("typed", "badge", "note"),
        [
            ("15", "✓ Right", "hesitates"),
            ("２．７０８", "✗ Not right", "That is ln 15."),
            ("3", "✗ Not right", "How many candidates"),
        ],
    )
    def test_a_number_is_typed(self, tmp_path, typed, badge, note):
        quiz = open_question(practice_kit(), "uniform", tmp_path)
        view = submit(quiz, typed)
        assert view["badge"] == badge
        assert note in view["note"]

    def test_what_is_no_number_is_said_and_nothing_is_stored(self, tmp_path, path):
        quiz = open_question(practice_kit(), "uniform", tmp_path)
        view = submit(quiz, "fifteen")
        assert view["phase"] == "open"
        assert view["warnings"] == ["“fifteen” is no number. Write one like 2.5."]
        assert stored(path, "uniform") is None
        assert submit(quiz, "15")["warnings"] == []

    def test_a_double_click_on_submit_is_one_answer(self, tmp_path, path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        submit(quiz, ["ln_four"])
        submit(quiz, ["four"])
        assert stored(path, "perplexity") == "ln_four"
        assert len(read_answers(path)["answers"]["perplexity"]["attempts"]) == 1

    def test_the_other_choices_are_explained_once_the_answer_is_right(self, tmp_path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        assert submit(quiz, ["ln_four"])["explain"] == ""
        whys = [one["why"] for one in click(quiz, do="explain")["choices"]]
        assert sum(bool(why) for why in whys) == 1
        click(quiz, do="again")
        assert submit(quiz, ["four"])["explain"] == "Explain the other choices"
        assert all(one["why"] for one in click(quiz, do="explain")["choices"])

    @pytest.mark.parametrize("message", [{}, {"do": "fly"}, {"do": "submit"}, {"do": ["submit"]}])
    def test_a_message_that_makes_no_sense_does_no_harm(self, tmp_path, path, message):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        assert click(quiz, **message)["phase"] == "open"
        assert stored(path, "perplexity") is None

    def test_each_redraw_is_told_to_the_front_end_even_when_nothing_changed(self, tmp_path):
        quiz = open_question(practice_kit(), "uniform", tmp_path)
        first = submit(quiz, "x")["serial"]
        assert submit(quiz, "x")["serial"] > first

    def test_progress_of_all_shown_questions_follows(self, tmp_path):
        one = open_question(practice_kit(), "perplexity", tmp_path)
        other = open_question(practice_kit(), "uniform", tmp_path)
        assert "0 of 6 points so far, 3 questions and 1 exercise open" in other.panel.progress
        submit(one, ["four"])
        assert "1 of 6 points so far, 2 questions and 1 exercise open" in other.panel.progress
        assert "width: 17%" in other.panel.progress


class TestReopening:
    def test_the_earlier_answer_is_shown(self, tmp_path):
        submit(open_question(practice_kit(), "perplexity", tmp_path), ["ln_four"])
        again = open_question(practice_kit(), "perplexity", tmp_path)
        assert again.panel.view["badge"] == "✗ Not right"
        assert again.panel.picks == ["ln_four"]

    def test_an_earlier_number_is_back_in_its_field(self, tmp_path):
        submit(open_question(practice_kit(), "uniform", tmp_path), "2.5")
        assert open_question(practice_kit(), "uniform", tmp_path).panel.typed == "2.5"

    def test_a_choice_that_is_gone_leaves_the_question_open(self, tmp_path, path):
        record_answer(path, LESSON, "perplexity", "gone")
        assert open_question(practice_kit(), "perplexity", tmp_path).panel.view["phase"] == "open"

    def test_two_notebooks_on_one_answers_file_do_not_overwrite_each_other(self, tmp_path, path):
        left = open_question(practice_kit(), "perplexity", tmp_path)
        right = open_question(practice_kit(), "uniform", tmp_path)
        submit(left, ["four"])
        submit(right, "15")
        assert (stored(path, "perplexity"), stored(path, "uniform")) == ("four", 15)

    def test_a_damaged_file_is_said_on_opening_and_kept_aside_on_answering(self, tmp_path, path):
        path.parent.mkdir()
        path.write_text("{ by hand")
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        assert "damaged" in quiz.panel.view["warnings"][0]
        view = submit(quiz, ["four"])
        [kept] = path.parent.glob("*.malformed-*.json")
        assert kept.name in view["warnings"][0]
        assert kept.read_text() == "{ by hand"
        assert view["badge"] == "✓ Right"

    def test_a_full_disk_is_said_and_the_answer_still_judged(self, tmp_path, monkeypatch):
        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, "no")

        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        monkeypatch.setattr(os, "fsync", fail)
        view = submit(quiz, ["four"])
        assert view["badge"] == "✓ Right"
        assert "disk is full" in view["warnings"][0]


class TestByText:
    def test_a_letter_follows_the_shown_order(self, tmp_path, path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        assert quiz.answer(letter_of(quiz, "sixteen")) is quiz
        assert stored(path, "perplexity") == "sixteen"

    def test_ids_lists_and_numbers(self, tmp_path, path):
        for name, answer in (("perplexity", "four"), ("gates", ["adds", "keeps"]), ("uniform", 15)):
            text = repr(open_question(practice_kit(), name, tmp_path).answer(answer))
            assert "✓ Right" in text
            assert stored(path, name) == answer

    def test_a_new_answer_replaces_the_old_one(self, tmp_path, path):
        open_question(practice_kit(), "uniform", tmp_path).answer(3)
        open_question(practice_kit(), "uniform", tmp_path).answer(15)
        assert stored(path, "uniform") == 15

    def test_running_the_cell_again_is_no_new_attempt(self, tmp_path, path):
        for _ in range(3):
            open_question(practice_kit(), "uniform", tmp_path).answer(15)
        assert len(read_answers(path)["answers"]["uniform"]["attempts"]) == 1

    def test_what_cannot_be_read_is_said_and_the_earlier_answer_stays(self, tmp_path, path):
        quiz = open_question(practice_kit(), "perplexity", tmp_path).answer("four")
        quiz.answer("z")
        assert "There is no choice “z”. The choices are A, B, C." in repr(quiz)
        assert "✓ Right" in repr(quiz)
        assert stored(path, "perplexity") == "four"

    def test_plain_text_shows_question_choices_and_how_to_answer(self, tmp_path):
        lines = repr(open_question(practice_kit(), "perplexity", tmp_path)).splitlines()
        assert lines[0] == "Question · Choose one · 1 point"
        assert lines[1] == "Mean cross-entropy is ln 4 nats. What is the perplexity?"
        assert {line[5:] for line in lines[2:5]} == {"4 candidates", "ln 4", "16"}
        assert lines[5] == 'Answer with quiz("perplexity").answer("b")'

    def test_plain_text_shows_the_word_on_a_number(self, tmp_path):
        text = repr(open_question(practice_kit(), "uniform", tmp_path).answer("2.708"))
        assert text.endswith("Your answer 2.708\n✗ Not right · 0 of 1 point\nThat is ln 15.")


class TestGraded:
    def test_an_answer_is_saved_without_a_verdict(self, tmp_path, path):
        quiz = open_question(graded_kit(), "perplexity", tmp_path)
        view = submit(quiz, ["ln_four"])
        assert (view["badge"], view["score"], view["again"]) == ("✓ Saved", "", "Change answer")
        assert [one["said"] for one in view["choices"] if one["picked"]] == ["Your answer"]
        assert stored(path, "perplexity") == "ln_four"
        assert "Not right" not in repr(quiz) + quiz._repr_html_()

    def test_it_may_be_changed(self, tmp_path, path):
        quiz = open_question(graded_kit(), "uniform", tmp_path)
        submit(quiz, "3")
        click(quiz, do="again")
        submit(quiz, "15")
        assert stored(path, "uniform") == 15

    def test_explanations_cannot_be_asked_for(self, tmp_path):
        quiz = open_question(graded_kit(), "perplexity", tmp_path)
        submit(quiz, ["four"])
        assert [one["why"] for one in click(quiz, do="explain")["choices"]] == ["", "", ""]

    def test_a_limit_on_attempts_is_shown_and_kept(self, tmp_path, path):
        quiz = open_question(graded_kit(attempts=2), "uniform", tmp_path)
        assert quiz.panel.view["left"] == "2 attempts left"
        assert submit(quiz, "3")["left"] == "1 attempt left"
        click(quiz, do="again")
        view = submit(quiz, "4")
        assert (view["left"], view["again"]) == ("No attempts left.", "")
        assert "can change it" not in view["note"]
        assert click(quiz, do="again")["phase"] == "done"
        reopened = open_question(graded_kit(attempts=2), "uniform", tmp_path).answer(15)
        assert "No attempts left." in repr(reopened)
        assert stored(path, "uniform") == 4

    def test_attempts_in_another_notebook_count(self, tmp_path, path):
        quiz = open_question(graded_kit(attempts=1), "uniform", tmp_path)
        open_question(graded_kit(attempts=1), "uniform", tmp_path).answer(3)
        submit(quiz, "15")
        assert stored(path, "uniform") == 3

    def test_a_practice_question_without_attempts_left_explains_itself(self, tmp_path):
        quiz = open_question(practice_kit(attempts=1), "perplexity", tmp_path)
        assert submit(quiz, ["sixteen"])["explain"]
        assert all(one["why"] for one in click(quiz, do="explain")["choices"])


class TestDisplay:
    def test_an_unknown_question_names_those_there_are(self, tmp_path):
        with pytest.raises(QuestionNotFoundError, match="perplexity, gates, uniform") as caught:
            open_question(practice_kit(), "perplexities", tmp_path)
        assert caught.value._render_traceback_() == [str(caught.value)]

    @pytest.mark.parametrize("name", [None, 3, ["perplexity"]])
    def test_what_is_no_name_is_unknown_too(self, tmp_path, name):
        with pytest.raises(QuestionNotFoundError):
            open_question(practice_kit(), name, tmp_path)

    def test_a_front_end_gets_panel_page_and_text(self, tmp_path):
        bundle = open_question(practice_kit(), "perplexity", tmp_path)._repr_mimebundle_()
        assert set(bundle) == {WIDGET_VIEW, "text/html", "text/plain"}
        assert bundle["text/plain"].startswith("Question")

    def test_a_notebook_gets_a_static_copy_and_then_the_panel(self, tmp_path, shown):
        open_question(practice_kit(), "perplexity", tmp_path)._ipython_display_()
        still, live = shown
        assert "4 candidates" in still["data"]["text/html"]
        assert still["id"] == f"quiz-{LESSON}-perplexity"
        assert set(live["data"]) == {WIDGET_VIEW, "text/plain"}
        assert live["data"]["text/plain"] == ""

    def test_the_static_copy_follows_each_answer(self, tmp_path, shown):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        quiz._ipython_display_()
        submit(quiz, ["four"])
        update = shown[-1]
        assert update["id"] == f"quiz-{LESSON}-perplexity"
        assert "✓ Right" in update["data"]["text/html"]

    def test_the_static_copy_has_the_answer_before_the_panel_shows_the_verdict(
        self, tmp_path, shown
    ):
        quiz = open_question(practice_kit(), "perplexity", tmp_path)
        quiz._ipython_display_()
        before = []
        quiz.panel.observe(lambda _: before.append(shown[-1]["data"]["text/html"]), "view")
        submit(quiz, ["four"])
        assert "✓ Right" in before[0]

    def test_without_the_panels_library_the_static_copy_stands_alone(
        self, tmp_path, shown, monkeypatch
    ):
        monkeypatch.setitem(sys.modules, "course_utils.quiz.panel", None)
        open_question(practice_kit(), "perplexity", tmp_path)._ipython_display_()
        assert len(shown) == 1
        assert "answer(&quot;b&quot;)" in shown[0]["data"]["text/html"]

    def test_a_terminal_gets_plain_text(self, tmp_path, capsys):
        open_question(practice_kit(), "perplexity", tmp_path)._ipython_display_()
        assert capsys.readouterr().out.startswith("Question")

    def test_in_chinese(self, tmp_path):
        quiz = open_question(practice_kit(lang="zh"), "uniform", tmp_path)
        view = submit(quiz, "3")
        assert (view["lang"], view["badge"], view["again"]) == ("zh-CN", "✗ 不正确", "再试一次")
        told = "目前得 0 分（满分 6 分），还有 2 道小测和 1 道练习未完成"
        assert quiz.panel.progress.endswith(told)
        asked = open_question(practice_kit(lang="zh"), "gates", tmp_path)
        assert "作答方式" in repr(asked)
        assert "运行本单元格，控件就会重新出现。" in asked._repr_html_()  # where a widget is lost

    def test_the_quiz_is_light_until_a_panel_is_shown(self):
        code = (
            "import sys, course_utils.quiz.widget; "
            "heavy = {'ipywidgets', 'anywidget', 'IPython', 'numpy', 'jsonschema', 'yaml'}; "
            "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def shown(monkeypatch) -> list[dict[str, Any]]:
    """What a notebook would show: each displayed or updated bundle with its display id."""
    import IPython
    import IPython.display

    found: list[dict[str, Any]] = []

    class Handle:
        def __init__(self, name: str | None) -> None:
            self.name = name

        def update(self, data: Any, raw: bool) -> None:
            assert raw
            found.append({"id": self.name, "data": data})

    def display(data: Any, raw: bool, display_id: str | None = None) -> Handle:
        assert raw
        found.append({"id": display_id, "data": data})
        return Handle(display_id)

    class Shell:
        kernel = object()

    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(IPython.display, "display", display)
    return found
