"""The answers file: a learner's responses to one lesson, in `.course/NN_name.answers.json`.

Writers hold a lock and replace the file in one step, so that two notebooks, a double click or a
crash never lose an answer. What cannot be read is kept under a new name and said aloud. The same
file arrives with a submission, where nothing in it is believed: `read_submitted_answers`.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from course_utils.words import say

ANSWERS_VERSION = 1
KEPT_ATTEMPTS = 50
MAX_BYTES = 1_000_000
LOCK_SECONDS = 5.0

Answer = str | list[str] | int | float
Answers = dict[str, Any]

_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_MAX_ENTRIES = 1000
_MAX_PICKS = 100


@dataclass(frozen=True)
class Recorded:
    """What became of one write.

    Attributes:
        saved: the file now holds what was given.
        set_aside: the new name of a malformed file that lay in the way, or None.
        problem: why nothing was saved: `read_only`, `disk_full`, `busy`, `failed`, or None.
    """

    saved: bool
    set_aside: str | None = None
    problem: str | None = None

    def notes(self, lang: str) -> list[str]:
        """What the learner should be told, in plain words; empty when all went well."""
        notes = []
        if self.set_aside:
            notes.append(say("answers_set_aside", lang, name=self.set_aside))
        if self.problem:
            notes.append(say(f"answers_{self.problem}", lang))
        return notes


class Unreadable(Exception):
    """An answers file that cannot be used; its text is a problem code (see `words`)."""


def empty_answers(lesson: str) -> Answers:
    """The content of an answers file before the first answer."""
    return {"version": ANSWERS_VERSION, "lesson": lesson, "answers": {}, "checks": {}}


def now() -> str:
    """The present moment in UTC, to the second: `2026-11-29T20:00:00Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# Reading


def read_answers(path: Path, lesson: str | None = None) -> Answers:
    """A learner's own answers, always in the right shape; what cannot be used is left out."""
    return read_submitted_answers(path, lesson=lesson, follow_links=True)[0]


def read_submitted_answers(
    path: Path,
    max_bytes: int = MAX_BYTES,
    *,
    lesson: str | None = None,
    follow_links: bool = False,
) -> tuple[Answers, str | None]:
    """Read an answers file that may be hostile; never raises.

    Returns:
        The answers in the right shape (only entries that are well formed), and a problem code or
        None. Codes: `missing`, `not_a_file` (a link, folder, pipe), `too_large`, `unreadable`,
        `not_json`, `repeated_key`, `wrong_shape`, `other_lesson`, `bad_entries` (some were left
        out). `say("answers_problem_" + code, lang)` puts one into words.
    """
    path = Path(path)
    try:
        raw = _parse(_read_bytes(path, max_bytes, follow_links))
        return _usable(raw, lesson)
    except Unreadable as problem:
        return empty_answers(lesson or ""), str(problem)
    except Exception:  # hostile input: whatever is wrong with it, the batch goes on
        return empty_answers(lesson or ""), "unreadable"


def _read_bytes(path: Path, max_bytes: int, follow_links: bool) -> bytes:
    """The bytes of a regular file of at most `max_bytes`; opens no link unless told to."""
    if not follow_links and (path.is_symlink() or path.parent.is_symlink()):
        raise Unreadable("not_a_file")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow_links:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError as problem:
        raise Unreadable("missing") from problem
    except (OSError, ValueError) as problem:
        code = "not_a_file" if getattr(problem, "errno", 0) == errno.ELOOP else "unreadable"
        raise Unreadable(code) from problem
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Unreadable("not_a_file")
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise Unreadable("too_large")
    return content


def _parse(content: bytes) -> Any:
    """Strict JSON: UTF-8, no repeated keys, no NaN or Infinity, no absurd depth."""
    try:
        return json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_without_repeats,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError) as problem:
        raise Unreadable("not_json") from problem


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("repeated_key")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _usable(raw: Any, lesson: str | None) -> tuple[Answers, str | None]:
    """Keep the well-formed entries of `raw`, and say whether any was left out."""
    if not isinstance(raw, dict) or type(raw.get("version")) is not int:
        raise Unreadable("wrong_shape")
    parts = [raw.get("answers", {}), raw.get("checks", {})]
    if raw["version"] != ANSWERS_VERSION or not all(isinstance(part, dict) for part in parts):
        raise Unreadable("wrong_shape")
    if not isinstance(raw.get("lesson"), str) or not _ID.fullmatch("L" + raw["lesson"]):
        raise Unreadable("wrong_shape")
    if lesson is not None and raw["lesson"] != lesson:
        raise Unreadable("other_lesson")
    kept = empty_answers(raw["lesson"])
    kept["answers"] = _kept(parts[0], _clean_entry)
    kept["checks"] = _kept(parts[1], _clean_check)
    whole = len(kept["answers"]) == len(parts[0]) and len(kept["checks"]) == len(parts[1])
    return kept, None if whole else "bad_entries"


def _kept(entries: dict[str, Any], clean: Callable[[Any], Any]) -> dict[str, Any]:
    """The entries whose id and content are well formed, at most `_MAX_ENTRIES`."""
    kept = {}
    for key in list(entries)[:_MAX_ENTRIES]:
        entry = clean(entries[key]) if _ID.fullmatch(key) else None
        if entry is not None:
            kept[key] = entry
    return kept


def _clean_entry(raw: Any) -> dict[str, Any] | None:
    """One question's entry, or None where it is malformed."""
    if not isinstance(raw, dict) or not is_answer(raw.get("answer")):
        return None
    attempts = raw.get("attempts", [])
    if not isinstance(attempts, list):
        return None
    kept = [_clean_attempt(attempt) for attempt in attempts[-KEPT_ATTEMPTS:]]
    if not _is_time(raw.get("time")) or None in kept:
        return None
    return {"answer": raw["answer"], "time": raw["time"], "attempts": kept}


def _clean_attempt(raw: Any) -> dict[str, Any] | None:
    if not isinstance(raw, dict) or not is_answer(raw.get("answer")):
        return None
    return {"answer": raw["answer"], "time": raw["time"]} if _is_time(raw.get("time")) else None


def _clean_check(raw: Any) -> dict[str, Any] | None:
    """One exercise's entry, or None where it is malformed."""
    if not isinstance(raw, dict):
        return None
    source, score, points = (raw.get(key) for key in ("source_sha256", "score", "points"))
    if not isinstance(source, str) or not _SHA256.fullmatch(source):
        return None
    if not _is_number(score) or not _is_number(points) or not 0 <= score <= points:
        return None
    if not _is_time(raw.get("time")):
        return None
    return {"source_sha256": source, "score": score, "points": points, "time": raw["time"]}


def is_answer(value: Any) -> bool:
    """Whether `value` can stand in an answers file: an id, a list of ids or a finite number."""
    if isinstance(value, list):
        return len(value) <= _MAX_PICKS and all(_is_id(pick) for pick in value)
    return _is_id(value) or _is_number(value)


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_]{1,100}", value) is not None


def _is_number(value: Any) -> TypeGuard[int | float]:
    if type(value) not in (int, float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


# Writing


def record_answer(path: Path, lesson: str, question_id: str, answer: Answer) -> Recorded:
    """Keep `answer` to a question, with its time; the same answer again is no new attempt."""

    def add(answers: Answers) -> bool:
        entry = answers["answers"].get(question_id)
        if entry is not None and _same(entry["answer"], answer):
            return False
        attempt = {"answer": answer, "time": now()}
        earlier = entry["attempts"] if entry else []
        answers["answers"][question_id] = {
            **attempt,
            "attempts": [*earlier, attempt][-KEPT_ATTEMPTS:],
        }
        return True

    if not is_answer(answer):
        raise TypeError(f"{answer!r} is no answer: give an id, a list of ids or a finite number.")
    return _change(path, lesson, add)


def record_check(
    path: Path, lesson: str, exercise_id: str, source_sha256: str, score: float, points: float
) -> Recorded:
    """Keep the latest verdict on an exercise together with the digest of the code it judged."""

    def put(answers: Answers) -> bool:
        found = {"source_sha256": source_sha256, "score": score, "points": points}
        earlier = answers["checks"].get(exercise_id, {})
        if {**earlier, **found} == earlier:
            return False
        answers["checks"][exercise_id] = {**found, "time": now()}
        return True

    return _change(path, lesson, put)


def _same(one: Any, other: Any) -> bool:
    """Whether two answers are the same; the order of several picks says nothing."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(one) == sorted(other)
    return type(one) is type(other) and one == other


def _change(path: Path, lesson: str, change: Callable[[Answers], bool]) -> Recorded:
    """Read, change and replace the file under its lock; an unwritable place is no exception."""
    from filelock import Timeout

    set_aside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            answers, problem = read_submitted_answers(path, lesson=lesson, follow_links=True)
            if problem == "unreadable":
                return Recorded(saved=False, problem="failed")
            if problem not in (None, "missing"):
                set_aside = _set_aside(path)
            if change(answers) or set_aside:
                _replace(path, answers)
            return Recorded(saved=True, set_aside=set_aside)
    except Timeout:
        return Recorded(saved=False, problem="busy")
    except OSError as failure:
        return Recorded(saved=False, set_aside=set_aside, problem=_problem_of(failure))


def _problem_of(problem: OSError) -> str:
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "read_only"
    if problem.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "disk_full"
    return "failed"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file's lock; it is a file of its own, for the answers file is replaced."""
    from filelock import FileLock

    with FileLock(path.with_name(path.name + ".lock"), timeout=LOCK_SECONDS, poll_interval=0.01):
        yield


def _set_aside(path: Path) -> str:
    """Move a malformed file to a free name beside it, and return that name."""
    stem = path.name.removesuffix(".json")
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    name, number = f"{stem}.malformed-{moment}.json", 1
    while path.with_name(name).exists():
        number += 1
        name = f"{stem}.malformed-{moment}-{number}.json"
    os.replace(path, path.with_name(name))
    return name


def _replace(path: Path, answers: Answers) -> None:
    """Write a whole new file beside `path`, then put it in its place in one step."""
    content = json.dumps(answers, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    new = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(new, flags, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
