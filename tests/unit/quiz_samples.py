"""A small lesson kit in both languages, for the quiz's tests."""

from __future__ import annotations

from typing import Any

LESSON = "01_language_models"


def choice(name: str, text: str, right: bool, why: str) -> dict[str, Any]:
    return {"id": name, "text": text, "right": right, "why": why}


def questions() -> dict[str, Any]:
    return {
        "perplexity": {
            "kind": "single",
            "points": 1,
            "text": "Mean cross-entropy is ln 4 nats. What is the **perplexity**?",
            "choices": [
                choice("four", "4 candidates", True, "Because `exp(ln 4) = 4`."),
                choice("ln_four", "ln 4", False, "That is the cross-entropy itself."),
                choice("sixteen", "16", False, "Nothing is squared."),
            ],
        },
        "gates": {
            "kind": "multiple",
            "points": 2,
            "text": "Which are right of an LSTM?",
            "choices": [
                choice("adds", "c_t is updated by addition", True, "So gradient travels."),
                choice("keeps", "f near 1 keeps memory", True, "f multiplies the old state."),
                choice("cures", "gradients never vanish", False, "f below 1 still shrinks."),
                choice("parallel", "steps run in parallel", False, "Each needs the last."),
            ],
        },
        "uniform": {
            "kind": "numeric",
            "points": 1,
            "text": "Uniform over 15 characters: the perplexity?",
            "answer": 15,
            "tolerance": 0.01,
            "why": "It hesitates between all 15.",
            "hint": "How many candidates are there?",
            "slips": [{"value": 2.708, "why": "That is ln 15."}],
        },
    }


def practice_kit(**more: Any) -> dict[str, Any]:
    exercise = {"points": 2, "rtol": 1e-6, "atol": 1e-8, "cases": [], "hints": {}}
    return {
        "version": 1,
        "lesson": LESSON,
        "lang": "en",
        "title": "Counting",
        "audience": "practice",
        "questions": questions(),
        "exercises": {"bigram_counts": exercise},
        **more,
    }


def graded_kit(**more: Any) -> dict[str, Any]:
    """The same kit without any of the key."""
    bare = questions()
    for question in bare.values():
        for secret in ("answer", "tolerance", "why", "hint", "slips"):
            question.pop(secret, None)
        for entry in question.get("choices", ()):
            del entry["right"], entry["why"]
    return practice_kit(questions=bare, audience="graded", **more)
