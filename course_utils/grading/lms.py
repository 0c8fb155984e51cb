"""Files as a learning management system names them, and whose they are.

Canvas puts `doejane_12345_67890_<file>` into its download of all submissions (sortable name
without marks, `LATE_` where it was late, id of the user, id of the file), Moodle
`Jane Doe_12345_assignsubmission_file_/<file>` (full name, and a number of the participant that is
another one for each assignment).
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_utils.errors import UserError

ANONYMOUS = "anon"
COLLECTED = "collected.json"
ROSTER = "roster.csv"
MAX_ROSTER_BYTES = 20_000_000
MAX_PATH = 1000

_CANVAS = re.compile(
    r"(?P<name>\S+?)_(?P<late>LATE_)?(?P<number>\d+)_(?P<order>\d+)_(?P<file>.+)", re.IGNORECASE
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon)_(?P<number>[A-Za-z0-9]+)_(?P<order>\d+)_(?P<file>.+)"
)
_MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_file_?(?P<file>.*)")
_AGAIN = re.compile(r"-(\d{1,3})(?=\.\w+$)")
_NO_ID = re.compile(r"[\x00-\x1f/\\*?\[\]]")

# What the systems call their columns, in English and Chinese.
NUMBERS = {"canvas": ("ID",), "moodle": ("Identifier", "标识符", "编号")}
STUDENT_IDS = (
    "student_id", "SIS Login ID", "Username", "用户名", "ID number", "学号", "SIS User ID",
    "Email address", "电子邮件地址", "Email地址",
)  # fmt: skip
FULL_NAMES = ("Student", "Full name", "全名", "姓名")
FIRST_NAMES, LAST_NAMES = ("First name", "FirstName", "名", "名字"), (
    "Last name", "LastName", "Surname", "姓", "姓氏",
)  # fmt: skip


@dataclass(frozen=True)
class Upload:
    """One file of a download, as its name tells.

    Attributes:
        system: `canvas` or `moodle`.
        name: the learner's name as the system writes it there.
        number: the system's number of the learner.
        file: the name that the learner gave the file.
        late: the system says that it was handed in late.
        order: of several by one learner the highest is the latest.
    """

    system: str
    name: str
    number: str
    file: str
    late: bool = False
    order: tuple[int, int] = (0, 0)

    @property
    def default_id(self) -> str:
        """An nbgrader student id where nothing better is known: the same for each lesson."""
        name = f"{self.name}_{self.number}" if self.system == "canvas" else self.name
        return re.sub("_+", "_", "".join(map(_kept, name))).strip("._-")[:100]


def _kept(letter: str) -> str:
    """A character of a name as it may stand in a folder's; letters of any script stay whole."""
    mark = unicodedata.category(letter)[0] == "M"
    return letter if mark or letter.isalnum() or letter in ".@-" else "_"


def upload_of(path: str) -> Upload | None:
    """What the path of a file in a download tells; None where no system made it."""
    if len(path) > MAX_PATH:
        return None
    parts = unicodedata.normalize("NFC", path).replace("\\", "/").split("/")
    for at, part in enumerate(parts):
        found = _MOODLE.fullmatch(part)
        if found and (found["file"] or at + 1 < len(parts)):
            file = found["file"] or parts[-1]
            return Upload("moodle", found["name"].strip(), found["number"], file)
    found = _CANVAS_ANONYMOUS.fullmatch(parts[-1]) or _CANVAS.fullmatch(parts[-1])
    if not found:
        return None
    again = _AGAIN.search(found["file"])
    order = (int(found["order"][:18]), int(again[1]) if again else 0)
    late = bool(found["late"])
    return Upload("canvas", found["name"], found["number"], found["file"], late, order)


@dataclass(frozen=True)
class Known:
    """A learner that a roster or the gradebook names.

    Attributes:
        student: nbgrader's id.
        numbers: by system, e.g. `{"canvas": "12345"}`.
        names: as `plain` writes them.
    """

    student: str
    numbers: Mapping[str, str]
    names: frozenset[str]


def plain(name: str) -> str:
    """A name without marks, blanks and capitals, as Canvas writes it."""
    return re.sub(r"[\W_]+", "", name).lower()


def both_orders(first: str, last: str) -> frozenset[str]:
    """The full name with either part first."""
    return frozenset({plain(first + last), plain(last + first)} - {""})


def usable_id(student: str) -> bool:
    """Whether a text can be the name of a student's folder."""
    return 0 < len(student) <= 120 and student[0] != "." and not _NO_ID.search(student)


class People:
    """Whose an upload is: by the system's number, else by a full name that only one has."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.by_number: dict[tuple[str, str], str] = {}
        self.by_name: dict[str, set[str]] = {}
        for one in known:
            for system, number in one.numbers.items():
                self.by_number.setdefault((system, number), one.student)
            for name in one.names:
                self.by_name.setdefault(name, set()).add(one.student)

    def student(self, upload: Upload) -> str | None:
        """The nbgrader id of whoever handed this in; None where that is not known."""
        numbered = self.by_number.get((upload.system, upload.number))
        if numbered:
            return numbered
        named = self.by_name.get(plain(upload.name), set())
        return next(iter(named)) if len(named) == 1 else None


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file of a system's, whatever its encoding and separator.

    Raises:
        UserError: it cannot be read as a table.
    """
    try:
        content = path.read_bytes()
        if len(content) > MAX_ROSTER_BYTES:
            raise UserError(f"{path} is too large for a table of learners.")
        text = _decoded(content)
        header = text.partition("\n")[0]
        separator = max(",;\t", key=header.count)
        rows = list(csv.reader(text.splitlines(), delimiter=separator))
    except (OSError, csv.Error) as problem:
        raise UserError(f"{path} cannot be read as a table (CSV): {problem}") from problem
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise UserError(f"{path} is empty.")
    return [cell.strip() for cell in rows[0]], rows[1:]


def _decoded(content: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "gbk"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("utf-8", "replace")


def read_roster(path: Path) -> list[Known]:
    """The learners in a list that a system exported, or that an instructor wrote.

    Raises:
        UserError: it has no column that could be nbgrader's student id.
    """
    header, rows = read_table(path)
    ids = [header.index(name) for name in STUDENT_IDS if name in header]
    if not ids:
        wanted = ", ".join(STUDENT_IDS[:5])
        raise UserError(f"{path} has no column that tells learners apart ({wanted} …).")
    return list(_known_rows(header, rows, ids))


def _known_rows(
    header: Sequence[str], rows: Iterable[Sequence[str]], ids: Sequence[int]
) -> Iterator[Known]:
    for row in rows:
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        student = next((row[at].strip() for at in ids if at < len(row) and row[at].strip()), "")
        if not usable_id(student):
            continue
        numbers = {
            system: digits[0]
            for system, names in NUMBERS.items()
            if (digits := re.findall(r"\d+", _first(cells, names)))
        }
        first, last = _first(cells, FIRST_NAMES), _first(cells, LAST_NAMES)
        full = plain(_first(cells, FULL_NAMES))
        turned = plain("".join(reversed(_first(cells, FULL_NAMES).split(",", 1))))
        names = both_orders(first, last) | ({full, turned} - {""})
        yield Known(student, numbers, names)


def _first(cells: Mapping[str, str], names: Iterable[str]) -> str:
    return next((cells[name] for name in names if cells.get(name)), "")


def collected(folder: Path, lesson: str) -> dict[str, dict[str, Any]]:
    """What the system said of each student when the lesson's work was collected: `late`, and its
    `number` of the student where it was Canvas."""
    try:
        noted = json.loads((folder / "downloaded" / lesson / COLLECTED).read_text("utf-8"))
        return {
            str(student): {
                "late": bool(about["late"]),
                "number": str(about["number"]) if about["system"] == "canvas" else "",
            }
            for student, about in noted.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
