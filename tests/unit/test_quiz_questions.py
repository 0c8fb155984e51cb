"""A question file is refused with its file, its question and the cure, or becomes kit entries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from course_utils.quiz.questions import QuestionError, load_questions, question_for_kit


def both(text: str) -> dict[str, str]:
    return {"en": text, "zh": f"{text}（中文）"}


def choice(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "text": both(name), "why": both(f"why {name}"), **more}


def single() -> dict[str, Any]:
    choices = [choice("four", right=True), choice("ln_four"), choice("sixteen")]
    text = both("Perplexity?")
    return {"id": "perplexity", "kind": "single", "points": 1, "text": text, "choices": choices}


def multiple() -> dict[str, Any]:
    choices = [choice("added", right=True), choice("kept", right=True), choice("parallel")]
    text = both("Which?")
    return {"id": "gates", "kind": "multiple", "points": 2, "text": text, "choices": choices}


def numeric() -> dict[str, Any]:
    return {
        "id": "uniform",
        "kind": "numeric",
        "points": 1,
        "text": both("How many?"),
        "answer": 15,
        "tolerance": 0.01,
        "why": both("why"),
        "hint": both("hint"),
        "slips": [{"value": 3.9, "why": both("that is log2")}],
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a question file from its questions, or from raw text."""

    def written(*questions: dict[str, Any], text: str | None = None) -> Path:
        path = tmp_path / "01_lesson.yml"
        content = {"questions": list(questions)}
        path.write_text(text if text is not None else yaml.safe_dump(content, allow_unicode=True))
        return path

    return written


def refusal(path: Path) -> str:
    with pytest.raises(QuestionError) as caught:
        load_questions(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_questions_come_in_file_order_and_every_choice_says_whether_it_is_right(write):
    loaded = load_questions(write(single(), multiple(), numeric()))
    assert [question["id"] for question in loaded] == ["perplexity", "gates", "uniform"]
    assert [entry["right"] for entry in loaded[0]["choices"]] == [True, False, False]


def broken(make: Callable[[], dict[str, Any]], change: Callable[[dict[str, Any]], Any]) -> Any:
    question = make()
    change(question)
    return question


FAULTS = {
    "text without Chinese": (
        single,
        lambda q: q["text"].pop("zh"),
        "text: the translation `zh` is missing; write it.",
    ),
    "explanation without English": (
        single,
        lambda q: q["choices"][1]["why"].pop("en"),
        "choice `ln_four`, why: the translation `en` is missing; write it.",
    ),
    "empty translation": (
        single,
        lambda q: q["text"].update(zh="  "),
        "text, zh: the text is empty; write it.",
    ),
    "English twice": (
        single,
        lambda q: q["text"].update(zh=q["text"]["en"]),
        "text: `zh` repeats the English; translate it.",
    ),
    "no right choice": (
        single,
        lambda q: q["choices"][0].pop("right"),
        "no choice is right; mark one with `right: true`.",
    ),
    "single with two right": (
        single,
        lambda q: q["choices"][1].update(right=True),
        "2 choices are right; keep one, or make it `kind: multiple`.",
    ),
    "multiple with all right": (
        multiple,
        lambda q: q["choices"][2].update(right=True),
        "all choices are right; add a wrong one.",
    ),
    "repeated choice id": (
        single,
        lambda q: q["choices"][1].update(id="four"),
        "the choice id `four` is used 2 times; give each choice its own.",
    ),
    "choice id like a letter": (
        single,
        lambda q: q["choices"][1].update(id="b"),
        "the choice id `b` looks like a shown letter",
    ),
    "two choices that read alike": (
        single,
        lambda q: q["choices"][1].update(text=q["choices"][0]["text"]),
        "2 choices read 'four' in `en`; make them differ.",
    ),
    "too few choices": (
        single,
        lambda q: q["choices"].pop(),
        "choices: only 2; give at least 3.",
    ),
    "choice without explanation": (
        single,
        lambda q: q["choices"][2].pop("why"),
        "choice `sixteen`: `why` is missing; add it.",
    ),
    "right that is a word": (
        single,
        lambda q: q["choices"][0].update(right="sure"),
        "choice `four`, right: 'sure' is neither true nor false",
    ),
    "unknown key": (
        single,
        lambda q: q.update(answr=3),
        "unknown key `answr`; remove it, or use one of: id, kind, points, text, choices.",
    ),
    "unknown kind": (
        single,
        lambda q: q.update(kind="essay"),
        "`kind` is 'essay'; write single, multiple or numeric.",
    ),
    "points of zero": (
        single,
        lambda q: q.update(points=0),
        "points: 0 is not positive; give a number above 0.",
    ),
    "points that are text": (
        single,
        lambda q: q.update(points="one"),
        "points: 'one' is text; write a plain number",
    ),
    "id with capitals": (single, lambda q: q.update(id="Big-Id"), "id: 'Big-Id' is no id"),
    "numeric without answer": (
        numeric,
        lambda q: q.pop("answer"),
        "`answer` is missing; add it.",
    ),
    "numeric with a negative tolerance": (
        numeric,
        lambda q: q.update(tolerance=-1),
        "tolerance: -1 is negative; give 0 or more.",
    ),
    "numeric with nan": (
        numeric,
        lambda q: q.update(answer=float("nan")),
        "must be finite numbers",
    ),
    "slip that is right": (
        numeric,
        lambda q: q["slips"][0].update(value=15.005),
        "slip 1: 15.005 counts as right; remove it.",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_question_is_refused_with_its_id_and_cure(write, fault):
    make, change, expected = FAULTS[fault]
    question = broken(make, change)
    message = refusal(write(question))
    assert expected in message
    assert f"question `{question['id']}`" in message


def test_a_question_without_an_id_is_named_by_its_position(write):
    message = refusal(write(single(), broken(multiple, lambda q: q.pop("id"))))
    assert "question 2: `id` is missing; add it." in message


def test_all_faults_of_a_file_are_told_at_once(write):
    one = broken(single, lambda q: q["text"].pop("zh"))
    two = broken(numeric, lambda q: q.pop("answer"))
    assert len(refusal(write(one, two)).splitlines()) == 2


def test_a_repeated_question_id_is_refused(write):
    assert "question `perplexity`: this id is used 2 times" in refusal(write(single(), single()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("questions: [", "not valid YAML"),
        ("questions:\n- id: one: two", "line 2"),
        (
            "questions:\n- id: one\n  id: two\n",
            "line 3, column 3: the key `id` is given twice; keep one",
        ),
        ("", "must hold one key, `questions:`"),
        ("- id: one", "must hold one key, `questions:`"),
        ("questions: []", "at least one question"),
        ("questions:\n- just text", "question 1: must be a mapping"),
        ("questions:\n- kind: single\n  id: no\n", "id: False is no text; put it in quotes."),
    ],
)
def test_a_file_that_is_no_question_file_is_refused(write, text, expected):
    assert expected in refusal(write(text=text))


def test_a_missing_file_is_refused(tmp_path):
    assert "no such file" in refusal(tmp_path / "none.yml")


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "gbk.yml"
    path.write_bytes("questions: 中文".encode("gbk"))
    assert "Save it as UTF-8" in refusal(path)


def test_a_practice_kit_carries_key_and_explanations_in_one_language(write):
    [question] = load_questions(write(single()))
    entry = question_for_kit(question, "zh", "practice")
    assert entry["text"] == "Perplexity?（中文）"
    assert entry["choices"][0] == {
        "id": "four",
        "text": "four（中文）",
        "right": True,
        "why": "why four（中文）",
    }


@pytest.mark.parametrize("make", [single, multiple, numeric])
def test_a_graded_kit_carries_no_trace_of_the_key(write, make):
    [question] = load_questions(write(make()))
    entry = question_for_kit(question, "en", "graded")
    told = yaml.safe_dump(entry)
    for secret in ("right", "why", "answer", "tolerance", "hint", "slips", "3.9"):
        assert secret not in told


def test_the_order_of_choices_in_a_graded_kit_does_not_depend_on_the_authors(write):
    forwards, backwards = single(), single()
    backwards["choices"].reverse()
    entries = [
        question_for_kit(load_questions(write(question))[0], "en", "graded")
        for question in (forwards, backwards)
    ]
    assert entries[0] == entries[1]


def test_a_numeric_question_in_a_practice_kit(write):
    [question] = load_questions(write(numeric()))
    entry = question_for_kit(question, "en", "practice")
    assert (entry["answer"], entry["tolerance"]) == (15, 0.01)
    assert entry["slips"] == [{"value": 3.9, "why": "that is log2"}]
