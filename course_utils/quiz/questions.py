"""Load and check a lesson's questions (`quizzes/NN_name.yml`): the authoring side of the quiz.

Every refusal names the file, the question and the cure; all of a file's faults are told at once.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course_utils.errors import UserError
from course_utils.words import LANGUAGES

Question = dict[str, Any]

KINDS = ("single", "multiple", "numeric")
FEWEST_CHOICES = 3
MOST_CHOICES = 10

_ID = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,59}$"}
_TEXT = {
    "type": "object",
    "required": list(LANGUAGES),
    "additionalProperties": False,
    "properties": {lang: {"type": "string", "pattern": r"\S"} for lang in LANGUAGES},
}
_CHOICE = {
    "type": "object",
    "required": ["id", "text", "why"],
    "additionalProperties": False,
    "properties": {"id": _ID, "text": _TEXT, "right": {"type": "boolean"}, "why": _TEXT},
}
_SLIP = {
    "type": "object",
    "required": ["value", "why"],
    "additionalProperties": False,
    "properties": {"value": {"type": "number"}, "why": _TEXT},
}
_COMMON = {
    "id": _ID,
    "kind": {"enum": list(KINDS)},
    "points": {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
    "text": _TEXT,
}
_CHOICES = {
    "type": "array",
    "items": _CHOICE,
    "minItems": FEWEST_CHOICES,
    "maxItems": MOST_CHOICES,
}
_NUMBER = {
    "answer": {"type": "number"},
    "tolerance": {"type": "number", "minimum": 0},
    "why": _TEXT,
    "hint": _TEXT,
    "slips": {"type": "array", "items": _SLIP},
}


class QuestionError(UserError):
    """A question file that cannot be used: one line per fault, each with its cure."""


def question_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one question of `kind`."""
    own = _NUMBER if kind == "numeric" else {"choices": _CHOICES}
    properties = {**_COMMON, **own}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": [name for name in properties if name != "slips"],
        "additionalProperties": False,
        "properties": properties,
    }


def load_questions(path: Path) -> list[Question]:
    """The questions of one file in its order, checked; every choice says whether it is right.

    Raises:
        QuestionError: naming file, question and cure of every fault.
    """
    path = Path(path)
    entries = _entries(path)
    faults = [
        f"{path}: {_name(entry, position)}: {fault}"
        for position, entry in enumerate(entries, 1)
        for fault in _faults(entry)
    ]
    faults += [f"{path}: {fault}" for fault in _repeated_ids(entries)]
    if faults:
        raise QuestionError("\n".join(faults))
    return [_complete(entry) for entry in entries]


def _complete(question: Question) -> Question:
    if question["kind"] == "numeric":
        return {**question, "slips": question.get("slips", [])}
    choices = [{**choice, "right": choice.get("right", False)} for choice in question["choices"]]
    return {**question, "choices": choices}


# Reading


def _entries(path: Path) -> list[Any]:
    """The list under `questions:`."""
    content = _read_yaml(path)
    if not isinstance(content, dict) or set(content) != {"questions"}:
        raise QuestionError(f"{path}: the file must hold one key, `questions:`, with a list.")
    if not isinstance(content["questions"], list) or not content["questions"]:
        raise QuestionError(f"{path}: `questions:` must be a list of at least one question.")
    return content["questions"]


def _read_yaml(path: Path) -> Any:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=_strict_loader())
    except FileNotFoundError as problem:
        raise QuestionError(f"{path}: there is no such file. Write the lesson's questions.") from (
            problem
        )
    except UnicodeDecodeError as problem:
        raise QuestionError(f"{path}: not UTF-8 text ({problem}). Save it as UTF-8.") from problem
    except yaml.YAMLError as problem:
        raise QuestionError(f"{path}: {_yaml_fault(problem)}") from problem


def _yaml_fault(problem: Any) -> str:
    mark = getattr(problem, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    what = str(getattr(problem, "problem", None) or problem)
    if what.startswith("the key "):
        return where + what
    return f"{where}not valid YAML: {what}. Quote texts that hold a colon, `#`, `[` or `{{`."


def _strict_loader() -> Any:
    """PyYAML's safe loader, except that a key given twice is an error."""
    import yaml

    class StrictLoader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen: list[Any] = []
            for key_node, _ in node.value:
                key = self.construct_object(key_node, deep=True)
                if key in seen:
                    problem = f"the key `{key}` is given twice; keep one of them."
                    raise yaml.constructor.ConstructorError(
                        None, None, problem, key_node.start_mark
                    )
                seen.append(key)
            return super().construct_mapping(node, deep=deep)

    return StrictLoader


# Checking


def _name(entry: Any, position: int) -> str:
    """How a message calls a question: by its id where it has one, else by its position."""
    name = entry.get("id") if isinstance(entry, dict) else None
    return f"question `{name}`" if isinstance(name, str) else f"question {position}"


def _repeated_ids(entries: list[Any]) -> Iterator[str]:
    ids = Counter(str(entry.get("id")) for entry in entries if isinstance(entry, dict))
    for name, times in ids.items():
        if times > 1 and name != "None":
            yield f"question `{name}`: this id is used {times} times; give each question its own."


def _faults(entry: Any) -> Iterator[str]:
    """Every fault of one question, the schema's first; meaning is checked once the form holds."""
    if not isinstance(entry, dict):
        yield "must be a mapping with id, kind, points, text."
        return
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        yield f"`kind` is {kind!r}; write single, multiple or numeric."
        return
    faults = list(_faults_of_form(entry, kind))
    yield from faults or _faults_of_meaning(entry)


def _faults_of_form(entry: Question, kind: str) -> Iterator[str]:
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(question_schema(kind)).iter_errors(entry)
    for error in sorted(errors, key=lambda error: [str(part) for part in error.absolute_path]):
        place = _place(entry, list(error.absolute_path))
        yield f"{place}{_cure(error)}"


def _place(entry: Question, parts: list[Any]) -> str:
    """Where in a question a fault lies, in the author's words: "choice `four`, why: "."""
    words: list[str] = []
    for depth, part in enumerate(parts):
        if isinstance(part, int):
            item = entry[parts[depth - 1]][part]
            name = item.get("id") if isinstance(item, dict) else None
            words[-1] = f"{words[-1].rstrip('s')} " + (f"`{name}`" if name else str(part + 1))
        else:
            words.append(str(part))
    return ", ".join(words) + ": " if words else ""


def _cure(error: Any) -> str:
    """What to do about one of the schema's complaints."""
    value, rule = error.instance, error.validator_value
    cures = {
        "required": lambda: _cure_missing(value, rule),
        "additionalProperties": lambda: _cure_unknown(value, error.schema["properties"]),
        "type": lambda: _cure_type(value, rule),
        "pattern": lambda: _cure_pattern(value, rule),
        "minItems": lambda: f"only {len(value)}; give at least {rule}.",
        "maxItems": lambda: f"{len(value)} are too many; keep at most {rule}.",
        "exclusiveMinimum": lambda: f"{value} is not positive; give a number above 0.",
        "minimum": lambda: f"{value} is negative; give 0 or more.",
        "maximum": lambda: f"{value} is too large; give at most {rule}.",
    }
    return cures.get(error.validator, lambda: error.message)()


def _cure_missing(value: dict[str, Any], names: list[str]) -> str:
    missing = [name for name in names if name not in value]
    if set(missing) <= set(LANGUAGES):
        return f"the translation `{', '.join(missing)}` is missing; write it."
    return f"`{', '.join(missing)}` is missing; add it."


def _cure_unknown(value: dict[str, Any], known: dict[str, Any]) -> str:
    unknown = ", ".join(str(name) for name in value if name not in known)
    return f"unknown key `{unknown}`; remove it, or use one of: {', '.join(known)}."


def _cure_type(value: Any, rule: str) -> str:
    if rule == "string":
        return f"{value!r} is no text; put it in quotes."
    if rule == "number" and isinstance(value, str):
        return f"{value!r} is text; write a plain number (1e-3 must be written 1.0e-3)."
    if rule == "boolean":
        return f"{value!r} is neither true nor false; write one of them."
    return f"{value!r} is no {rule}; see the example in README.md."


def _cure_pattern(value: str, rule: str) -> str:
    if rule == _ID["pattern"]:
        return f"{value!r} is no id; use small letters, digits and _, a letter first."
    return "the text is empty; write it."


def _faults_of_meaning(question: Question) -> Iterator[str]:
    english, chinese = question["text"]["en"].strip(), question["text"]["zh"].strip()
    if english == chinese:
        yield "text: `zh` repeats the English; translate it."
    if question["kind"] == "numeric":
        yield from _faults_of_number(question)
    else:
        yield from _faults_of_choices(question)


def _faults_of_choices(question: Question) -> Iterator[str]:
    choices = question["choices"]
    for name, times in Counter(choice["id"] for choice in choices).items():
        if times > 1:
            yield f"the choice id `{name}` is used {times} times; give each choice its own."
        if re.fullmatch("[a-j]", name):
            yield f"the choice id `{name}` looks like a shown letter; use a longer, telling one."
    for lang in LANGUAGES:
        texts = Counter(" ".join(choice["text"][lang].split()) for choice in choices)
        for text, times in texts.items():
            if times > 1:
                yield f"{times} choices read {text!r} in `{lang}`; make them differ."
    right = sum(choice.get("right", False) for choice in choices)
    yield from _faults_of_key(question["kind"], right, len(choices))


def _faults_of_key(kind: str, right: int, choices: int) -> Iterator[str]:
    if right == 0:
        yield "no choice is right; mark one with `right: true`."
    elif kind == "single" and right > 1:
        yield f"{right} choices are right; keep one, or make it `kind: multiple`."
    elif right == choices:
        yield "all choices are right; add a wrong one."


def _faults_of_number(question: Question) -> Iterator[str]:
    slips = question.get("slips", [])
    values = [question["answer"], question["tolerance"], *(slip["value"] for slip in slips)]
    if not all(math.isfinite(value) for value in values):
        yield "answer, tolerance and slips must be finite numbers; write them out."
        return
    for position, slip in enumerate(slips, 1):
        if abs(slip["value"] - question["answer"]) <= question["tolerance"]:
            yield f"slip {position}: {slip['value']} counts as right; remove it."
    if any(times > 1 for times in Counter(slip["value"] for slip in slips).values()):
        yield "two slips have the same value; keep one."


# For a kit


def question_for_kit(question: Question, lang: str, audience: str) -> Question:
    """A loaded question as a kit carries it: one language; no trace of the key when graded."""
    entry = {"kind": question["kind"], "points": question["points"], "text": question["text"][lang]}
    keyed = audience != "graded"
    if question["kind"] != "numeric":
        choices = question["choices"] if keyed else sorted(question["choices"], key=_neutral)
        return {**entry, "choices": [_choice(choice, lang, keyed) for choice in choices]}
    if not keyed:
        return entry
    slips = [{"value": slip["value"], "why": slip["why"][lang]} for slip in question["slips"]]
    return {
        **entry,
        "answer": question["answer"],
        "tolerance": question["tolerance"],
        "why": question["why"][lang],
        "hint": question["hint"][lang],
        "slips": slips,
    }


def _neutral(choice: dict[str, Any]) -> str:
    """A sort key that says nothing of the author's order, where the right choice may come first."""
    return hashlib.sha256(choice["id"].encode()).hexdigest()


def _choice(choice: dict[str, Any], lang: str, keyed: bool) -> dict[str, Any]:
    shown = {"id": choice["id"], "text": choice["text"][lang]}
    return {**shown, "right": choice["right"], "why": choice["why"][lang]} if keyed else shown
