"""How learners are called in the report: by name, or by a code that tells nobody who it is."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b32encode
from collections.abc import Callable, Iterable

from course_utils.grading.submission import shown_name
from course_utils.reporting.gather import Class, Student
from course_utils.reporting.words import tell

SHORT, LONG = 6, 16


def shown_names(group: Class, hide: bool) -> Callable[[str], str]:
    """What to call a learner by id; not escaped."""
    if hide:
        codes = codes_of((student.id for student in group.students), group.key)
        return lambda student: tell("learner", group.lang, code=codes[student])
    names = {student.id: _full(student) for student in group.students}
    return lambda student: names[student]


def codes_of(students: Iterable[str], key: bytes) -> dict[str, str]:
    """A code for each id: the same in every report of the class, and without `key` not to be
    found out by trying ids."""
    ids = sorted(students)
    long = {name: _code(name, key) for name in ids}
    short = [code[:SHORT] for code in long.values()]
    width = SHORT if len(set(short)) == len(short) else LONG
    return {name: code[:width] for name, code in long.items()}


def _code(name: str, key: bytes) -> str:
    digest = hmac.new(key, name.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return b32encode(digest).decode()[:LONG]


def _full(student: Student) -> str:
    first, last = student.first_name.strip(), student.last_name.strip()
    name = f"{first} {last}".strip()
    if first and last and _is_chinese(first + last):
        name = last + first
    known = shown_name(student.id)
    return f"{shown_name(name)} ({known})" if name else known


def _is_chinese(name: str) -> bool:
    return all("\u3400" <= letter <= "\u9fff" for letter in name)
