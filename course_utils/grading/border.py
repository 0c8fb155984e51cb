"""What a runner answers, checked field by field: nothing that learner code made is believed."""

from __future__ import annotations

import json
from typing import Any

from course_utils.exercises.call import MAX_MESSAGE, Outcome
from course_utils.exercises.values import MAX_ELEMENTS

MAX_REPLY_BYTES = 32_000_000
MAX_PARTS = 3 * MAX_ELEMENTS
ERROR_FIELDS = ("type", "message", "line", "number")
GARBLED = "data that describes no plain value"
UNENDING_INT = 4000


def stopped(reason: str, **facts: object) -> dict[str, Any]:
    """An outcome that is no value: why there is none. `say("stopped_" + reason)` words it."""
    return {"stopped": reason, "facts": facts}


def parse_reply(line: bytes) -> dict[str, Any]:
    """One line of a runner as a dict; `{"unsupported": why}` where it is none.

    The number of parts is bounded before parsing, so that a small line cannot become a huge
    structure in this process.
    """
    if sum(line.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        return {"unsupported": f"the value holds more than {MAX_ELEMENTS:,} numbers"}
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return {"unsupported": GARBLED}
    return reply if isinstance(reply, dict) else {"unsupported": GARBLED}


def checked_cell(reply: dict[str, Any], printed_limit: int) -> dict[str, Any]:
    """What running a cell gave: `error` (None or a clean error) and `printed`."""
    printed, error = reply.get("printed"), reply.get("error")
    return {
        "error": clean_error(error) if isinstance(error, dict) else None,
        "printed": _text(printed, printed_limit + 2) if isinstance(printed, str) else "",
    }


def checked_outcome(reply: dict[str, Any]) -> Outcome:
    """What a call gave, with exactly one of the keys of `exercises.call`; values stay encoded."""
    if reply.get("missing") is True:
        return stopped("missing")
    if reply.get("not_attempted") is True:
        return {"not_attempted": True}
    if isinstance(reply.get("error"), dict):
        return {"error": clean_error(reply["error"])}
    if "unsupported" in reply or "value" not in reply:
        return {"unsupported": _text(reply.get("unsupported", GARBLED), MAX_MESSAGE)}
    outcome = {"value": reply["value"]}
    if isinstance(reply.get("gradients"), list):
        outcome["gradients"] = reply["gradients"]
    if reply.get("changed"):
        outcome["changed"] = _positions(reply["changed"])
    return outcome


def clean_error(error: dict[str, Any]) -> dict[str, str]:
    """An error's texts, bounded; fields that are not there are empty."""
    return {field: _text(error.get(field, ""), MAX_MESSAGE) for field in ERROR_FIELDS}


def _text(value: object, limit: int) -> str:
    """A short, storable text of a value that JSON gave."""
    if isinstance(value, int) and value.bit_length() > UNENDING_INT:
        return ""
    return str(value)[:limit].encode("utf-8", "replace").decode("utf-8")


def _positions(value: object) -> list[int]:
    """Argument positions; something that is none counts as the first argument."""
    if isinstance(value, list) and value and all(type(n) is int and 0 <= n < 100 for n in value):
        return value[:100]
    return [0]
