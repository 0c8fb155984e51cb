"""Static questions: readable without kernel, network or colour; nothing of the key leaks."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from course_utils.kit import answers_path
from course_utils.quiz.answers import record_answer, record_check
from course_utils.quiz.markup import to_html, to_line, to_plain, without_tags
from course_utils.quiz.order import learner_name, shown_to
from course_utils.quiz.scoring import judge_answer
from course_utils.quiz.static import progress_panel, question_html
from tests.unit.quiz_samples import LESSON, graded_kit, practice_kit, questions

SINGLE, MULTIPLE, NUMERIC = questions().values()


def words_of(page: str) -> str:
    """What a reader without styles reads."""
    return without_tags(re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))


def judged(question: dict[str, Any], answer: Any, **more: Any) -> str:
    return question_html(question, "en", answer, judge_answer(question, answer), **more)


class TestMarkup:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain", "plain"),
            ("a `code` word", "a <code>code</code> word"),
            ("**bold** and *soft*", "<strong>bold</strong> and <em>soft</em>"),
            ("**bold `code`**", "<strong>bold <code>code</code></strong>"),
            ("<b>no</b> & none", "&lt;b&gt;no&lt;/b&gt; &amp; none"),
            ("`<script>`", "<code>&lt;script&gt;</code>"),
            ("2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"),
            ("$5 or $6", "$5 or $6"),
        ],
    )
    def test_the_little_markup(self, text, shown):
        assert to_line(text) == shown

    def test_a_formula_becomes_mathml_or_stays_for_a_page_that_typesets(self):
        assert to_line("$x^2$").startswith("<math")
        assert to_line("$x < 2$", tex=True) == "$x &lt; 2$"

    def test_a_formula_that_cannot_be_read_is_shown_as_it_is(self):
        assert "frac" in to_line(r"$\frac{$")

    def test_paragraphs_and_a_block_of_code(self):
        page = to_html("one\n\ntwo\n```python\na < b\n```\nthree")
        assert page == "<p>one</p><p>two</p><pre><code>a &lt; b</code></pre><p>three</p>"

    def test_plain_text_has_no_marks(self):
        assert to_plain("a **bold** `code`\nand $x^2$") == "a bold code and x^2"


class TestOrder:
    def test_one_learner_always_sees_the_same_order(self):
        assert shown_to(MULTIPLE, "gates", "ada") == shown_to(MULTIPLE, "gates", "ada")

    def test_learners_see_different_orders(self):
        orders = {
            tuple(choice["id"] for choice in shown_to(MULTIPLE, "gates", f"s{n}")["choices"])
            for n in range(40)
        }
        assert len(orders) > 12

    def test_the_order_does_not_depend_on_the_authors(self):
        backwards = {**MULTIPLE, "choices": MULTIPLE["choices"][::-1]}
        assert shown_to(backwards, "gates", "ada") == shown_to(MULTIPLE, "gates", "ada")

    def test_the_right_choice_is_not_always_first(self):
        firsts = {shown_to(SINGLE, "perplexity", f"s{n}")["choices"][0]["id"] for n in range(20)}
        assert firsts == {"four", "ln_four", "sixteen"}

    def test_a_numeric_question_has_no_order(self):
        assert shown_to(NUMERIC, "uniform", "ada") == NUMERIC

    def test_the_hubs_name_comes_before_the_systems(self, monkeypatch):
        monkeypatch.setenv("JUPYTERHUB_USER", "ada")
        assert learner_name() == "ada"

    def test_a_system_without_user_names_still_has_a_learner(self, monkeypatch):
        def fail() -> str:
            raise KeyError("uid not found")

        monkeypatch.delenv("JUPYTERHUB_USER", raising=False)
        monkeypatch.setattr("getpass.getuser", fail)
        assert learner_name() == "learner"


class Outline(HTMLParser):
    """Checks that every tag is closed, and notes addresses and ids."""

    VOID = frozenset({"br", "img", "input", "hr", "meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestQuestion:
    def test_an_open_question_shows_text_choices_and_how_to_answer(self):
        how = 'quiz("perplexity").answer("b")'
        words = words_of(question_html(SINGLE, "en", how=how))
        assert words.startswith("Question · Choose one · 1 point Mean cross-entropy is ln 4 nats.")
        assert "A 4 candidates B ln 4 C 16" in words
        assert how in words

    def test_an_open_question_tells_nothing_of_its_key(self):
        words = words_of(question_html(SINGLE, "en")) + words_of(question_html(NUMERIC, "en"))
        for secret in ("exp(ln 4)", "squared", "right", "That is ln 15", "hesitates"):
            assert secret not in words

    def test_a_right_answer_has_its_explanation_and_no_others(self):
        words = words_of(judged(SINGLE, "four"))
        assert "✓ Right 1 of 1 point" in words
        assert "A 4 candidates Your answer ✓ right Because exp(ln 4) = 4." in words
        assert "Nothing is squared" not in words

    def test_a_wrong_answer_has_the_explanation_of_the_choice_made(self):
        words = words_of(judged(SINGLE, "ln_four"))
        assert "✗ Not right 0 of 1 point" in words
        assert "Your answer ✗ wrong That is the cross-entropy itself." in words
        assert "exp(ln 4)" not in words

    def test_partial_credit_says_what_is_missing(self):
        words = words_of(judged(MULTIPLE, ["adds"]))
        assert "◐ Partly right 1 of 2 points" in words
        assert "something is still missing" in words

    def test_mixed_picks_say_how_they_count(self):
        assert "each wrong pick counts down" in words_of(judged(MULTIPLE, ["adds", "cures"]))

    @pytest.mark.parametrize(
        ("answer", "word"),
        [(15, "hesitates between all"), (2.708, "That is ln 15."), (3, "How many candidates")],
    )
    def test_a_number_shows_the_answer_and_the_word_on_it(self, answer, word):
        words = words_of(judged(NUMERIC, answer))
        assert f"Your answer {answer}" in words
        assert word in words

    def test_feedback_reveals_the_key_and_every_explanation(self):
        words = words_of(judged(SINGLE, "sixteen", reveal=True))
        assert "A 4 candidates ✓ right Because exp(ln 4) = 4." in words
        assert "Your answer ✗ wrong Nothing is squared." in words
        assert "The answer is 15." in words_of(judged(NUMERIC, 3, reveal=True))

    def test_an_unanswered_question_in_feedback(self):
        words = words_of(judged(NUMERIC, None, reveal=True))
        assert "Not counted 0 of 1 point" in words
        assert "The answer is 15." in words

    @pytest.mark.parametrize("answer", [{"a": 1}, ["<script>"], "<script>", float("nan"), True])
    def test_a_hostile_answer_shows_its_fault_and_nothing_of_itself(self, answer):
        for question in (SINGLE, MULTIPLE, NUMERIC):
            page = judged(question, answer, reveal=True)
            assert "Not counted" in page
            assert "<script" not in page

    def test_a_saved_answer_without_key_has_no_verdict(self):
        bare = graded_kit()["questions"]["perplexity"]
        words = words_of(question_html(bare, "en", "four"))
        assert "✓ Saved" in words
        assert "A 4 candidates Your answer B" in words
        assert "right" not in words.lower()

    @pytest.mark.parametrize("question", [SINGLE, MULTIPLE, NUMERIC])
    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_the_page_is_well_formed_and_needs_no_network(self, question, lang):
        outline = Outline()
        outline.feed(question_html(question, lang, how='quiz("x").answer("b")'))
        outline.close()
        assert outline.open == []
        assert outline.addresses == []

    def test_in_chinese(self):
        verdict = judge_answer(SINGLE, "four")
        page = question_html(SINGLE, "zh", "four", verdict)
        assert 'lang="zh-CN"' in page
        words = words_of(page)
        assert words.startswith("小测 · 单选题 · 1 分 ✓ 正确 得 1 分（满分 1 分）")
        assert "你的答案 ✓ 正确" in words

    def test_the_verdict_does_not_rest_on_colour(self):
        for answer, sign in (("four", "✓"), ("sixteen", "✗")):
            page = re.sub(
                r"<style>.*?</style>|(class|data-\w+|style)=\"[^\"]*\"", "", judged(SINGLE, answer)
            )
            assert sign in page


class TestProgress:
    def test_points_questions_and_exercises_of_each_lesson(self, tmp_path):
        path = answers_path(LESSON, tmp_path)
        record_answer(path, LESSON, "perplexity", "four")
        record_answer(path, LESSON, "gates", ["adds"])
        record_check(path, LESSON, "bigram_counts", "0" * 64, 2.0, 2)
        panel = progress_panel([practice_kit()], tmp_path)
        assert repr(panel) == "Counting: 4 of 6 points so far, 1 question open"
        words = words_of(panel._repr_html_())
        assert words.endswith("Counting 4 / 6 2 / 3 1 / 1")

    def test_an_untouched_lesson(self, tmp_path):
        panel = progress_panel([practice_kit()], tmp_path)
        assert repr(panel) == "Counting: 0 of 6 points so far, 3 questions and 1 exercise open"

    def test_a_finished_lesson(self, tmp_path):
        path = answers_path(LESSON, tmp_path)
        for name, answer in (("perplexity", "four"), ("gates", ["adds", "keeps"]), ("uniform", 15)):
            record_answer(path, LESSON, name, answer)
        panel = progress_panel([practice_kit(lang="zh", title="计数")], tmp_path)
        assert repr(panel) == "计数: 目前得 4 分（满分 6 分），还有 1 道练习未完成"
        record_check(path, LESSON, "bigram_counts", "0" * 64, 2.0, 2)
        panel = progress_panel([practice_kit(lang="zh", title="计数")], tmp_path)
        assert repr(panel) == "计数: 目前得 6 分（满分 6 分），已全部完成"

    def test_a_graded_lesson_counts_answers_not_points(self, tmp_path):
        record_answer(answers_path(LESSON, tmp_path), LESSON, "perplexity", "four")
        panel = progress_panel([graded_kit()], tmp_path)
        told = "Counting: 1 of 3 questions answered, 0 of 1 exercises solved"
        assert repr(panel) == told

    def test_an_answer_to_a_question_since_changed_is_open_again(self, tmp_path):
        record_answer(answers_path(LESSON, tmp_path), LESSON, "perplexity", "gone")
        panel = progress_panel([practice_kit()], tmp_path)
        assert "3 questions and 1 exercise open" in repr(panel)

    def test_a_damaged_answers_file_counts_as_none(self, tmp_path):
        path = answers_path(LESSON, tmp_path)
        path.parent.mkdir()
        path.write_text("[")
        assert "3 questions and 1 exercise open" in repr(progress_panel([practice_kit()], tmp_path))

    def test_no_lessons(self, tmp_path):
        assert repr(progress_panel([], tmp_path)) == "No lessons here."

    def test_a_title_brings_no_html_of_its_own(self, tmp_path):
        page = progress_panel([practice_kit(title="<b>x")], tmp_path)._repr_html_()
        assert "<b>x" not in page
