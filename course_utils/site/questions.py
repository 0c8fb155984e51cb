"""A question as a form that the page itself judges: what its script needs is embedded."""

from __future__ import annotations

from typing import Any

from course_utils.kit import Kit
from course_utils.quiz.markup import to_html
from course_utils.quiz.order import shown_to
from course_utils.quiz.view import view_of
from course_utils.words import say

READER = "learner"  # whose order of choices the stored notebooks show, too
WORDS = (
    "right", "wrong", "partly", "your_answer", "choice_right", "choice_wrong", "missing", "mixed",
    "pick_first", "type_first", "no_number",
)  # fmt: skip


def form_of(kit: Kit, name: str) -> dict[str, Any]:
    """Everything the template shows of a question, and the key that its script reads."""
    question = shown_to(kit["questions"][name], name, READER)
    view = view_of(question, kit["lang"], reveal=True)
    return view | {
        "name": name,
        "lesson": kit["lesson"],
        "key": _number_key(question) if question["kind"] == "numeric" else None,
    }


def _number_key(question: dict[str, Any]) -> dict[str, Any]:
    slips = [{"value": slip["value"], "why": to_html(slip["why"])} for slip in question["slips"]]
    return {
        "answer": question["answer"],
        "tolerance": question["tolerance"],
        "why": to_html(question["why"]),
        "hint": to_html(question["hint"]),
        "slips": slips,
    }


def words(lang: str) -> dict[str, str]:
    """What the script says. A number that is none is quoted where `{given}` stands."""
    told = {name: say(f"quiz_{name}", lang, given="{given}") for name in WORDS}
    return told | {"score": say("site_score", lang, right="{right}", total="{total}")}
