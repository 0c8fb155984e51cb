"""Tables of grades that Canvas and Moodle import.

Canvas: `Student, ID, SIS User ID, SIS Login ID, Section`, a column for each assignment called
`Title` or `Title (id)`, and a second row `Points Possible`. Moodle: a header row, columns that
tell the learner (`Username`, `ID number`, `Email address`), one column for each grade.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from course_utils.errors import UserError
from course_utils.grading.lms import both_orders, collected, plain, read_table
from course_utils.grading.submission import shown_name
from course_utils.quiz.markup import to_plain
from course_utils.reporting.gather import Lesson, Student, read_scores
from course_utils.reporting.report import write_in_one_step

POINTS_ROW = "    Points Possible"
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
CANVAS_ABOUT = (*CANVAS, "LastName", "FirstName", "Integration ID", "Root Account")
MOODLE = ("Username", "First name", "Last name", "Email address")
MOODLE_ABOUT = (
    *MOODLE, "Surname", "Full name", "ID number", "用户名", "名", "名字", "姓", "姓氏", "姓名",
    "全名", "学号", "电子邮件地址", "Email地址",
)  # fmt: skip
NUMBER = "ID"
NAMES = ("Student", "Full name", "全名", "姓名")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
SHOWN = 10
Row = list[str]
Tell = Callable[[str], None]


@dataclass
class Grades:
    """Whom to export and what; `numbers` are Canvas's of students, where they are known."""

    students: list[Student]
    lessons: list[Lesson]
    numbers: dict[str, str]
    scores: dict[str, dict[str, float]] = field(init=False)

    def __post_init__(self) -> None:
        self.scores = {
            lesson.name: {work.student: work.score for work in lesson.works}
            for lesson in self.lessons
        }

    def has_any(self, student: str) -> bool:
        """Whether there is anything to export of a student."""
        return any(student in scores for scores in self.scores.values())


def export(
    folder: Path,
    system: str,
    lessons: Sequence[str] = (),
    roster: Path | None = None,
    to: Path | None = None,
    tell: Tell = print,
) -> Path:
    """Write the table of a class's grades for `canvas` or `moodle`.

    Args:
        folder: the class.
        system: for whom.
        lessons: which; by default all.
        roster: a file of grades or participants that the system exported, to take its ids from.
        to: the file; by default `DIR/canvas.csv` or `DIR/moodle.csv`.
        tell: called with what the instructor should know.

    Raises:
        UserError: there is nothing to export, or a file cannot be used.
    """
    grades = _read(folder, lessons)
    if roster is None:
        rows = (_canvas if system == "canvas" else _moodle)(grades)
    else:
        about = CANVAS_ABOUT if system == "canvas" else MOODLE_ABOUT
        rows = _onto_roster(grades, Roster.read(roster, about), system, tell)
    target = to or folder / f"{system}.csv"
    write_in_one_step(target, as_csv(rows))
    return target


def _read(folder: Path, lessons: Sequence[str]) -> Grades:
    students, read = read_scores(folder, lessons)
    if not any(lesson.works for lesson in read):
        raise UserError("Nothing is graded yet: run `course grade` first.")
    numbers = {
        student: about["number"]
        for lesson in read
        for student, about in collected(folder, lesson.name).items()
        if about["number"]
    }
    numbers |= {student.id: student.lms_id for student in students if student.lms_id}
    return Grades(students, [lesson for lesson in read if lesson.works], numbers)


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """The rows as CSV text in which no cell is a formula."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([_harmless(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def _harmless(cell: str) -> str:
    """A cell that a spreadsheet takes for text: one like `=HYPERLINK(…)` gets a quote before."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _title(lesson: Lesson) -> str:
    return to_plain(str(lesson.kit["title"]))


def number(value: float | None) -> str:
    """A score with at most two decimals; empty for none."""
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _canvas(grades: Grades) -> list[Row]:
    rows = [
        [*CANVAS, *map(_title, grades.lessons)],
        [POINTS_ROW, "", "", "", "", *(number(lesson.points) for lesson in grades.lessons)],
    ]
    for student in grades.students:
        if grades.has_any(student.id):
            names = [part for part in (student.last_name, student.first_name) if part]
            about = [", ".join(names) or student.id, grades.numbers.get(student.id, "")]
            rows.append([*about, "", student.id, "", *_scores(grades, student.id)])
    return rows


def _moodle(grades: Grades) -> list[Row]:
    rows = [[*MOODLE, *map(_title, grades.lessons)]]
    for student in grades.students:
        if grades.has_any(student.id):
            about = [student.id, student.first_name, student.last_name, student.email]
            rows.append([*about, *_scores(grades, student.id)])
    return rows


def _scores(grades: Grades, student: str) -> Row:
    return [number(grades.scores[lesson.name].get(student)) for lesson in grades.lessons]


@dataclass
class Roster:
    """A table that the system exported: columns that tell learners apart, and all its cells."""

    header: list[str]
    rows: list[Row]
    about: list[int]

    @classmethod
    def read(cls, path: Path, known: Sequence[str]) -> Roster:
        """Read one.

        Raises:
            UserError: it has no column that the system tells learners by.
        """
        header, rows = read_table(path)
        about = [at for at, name in enumerate(header) if name in known]
        if not about:
            raise UserError(f"{path} has none of the columns {', '.join(known[:5])}.")
        width = len(header)
        return cls(header, [[*row, *[""] * width][:width] for row in rows], about)

    def column(self, lesson: Lesson) -> int | None:
        """Where the system keeps the lesson's grade already."""
        wanted = {plain(_title(lesson)), plain(lesson.name)}
        for at, name in enumerate(self.header):
            bare = re.sub(r"\s*\((?:\d+|Real|实际|实数)\)$", "", name).partition("Assignment:")
            if at not in self.about and plain(bare[2] or bare[0]) in wanted:
                return at
        return None

    def cells(self, row: Row) -> dict[str, str]:
        """The row's cells that tell whose it is."""
        return {self.header[at]: row[at].strip() for at in self.about}


def _onto_roster(grades: Grades, roster: Roster, system: str, tell: Tell) -> list[Row]:
    """The roster's learners, as it calls them, with the class's grades."""
    columns = [roster.column(lesson) for lesson in grades.lessons]
    titles = [
        _title(lesson) if at is None else roster.header[at]
        for lesson, at in zip(grades.lessons, columns, strict=True)
    ]
    scales = _scales(grades, roster, columns, tell)
    rows = [[*(roster.header[at] for at in roster.about), *titles]]
    if system == "canvas":
        points = [
            number(lesson.points * scale)
            for lesson, scale in zip(grades.lessons, scales, strict=True)
        ]
        rows.append([POINTS_ROW, *[""] * (len(roster.about) - 1), *points])
    found = _found(grades, roster)
    for row, student in found:
        cells = [
            _cell(grades.scores[lesson.name].get(student), scale, row, at)
            for lesson, scale, at in zip(grades.lessons, scales, columns, strict=True)
        ]
        rows.append([*(row[at] for at in roster.about), *cells])
    _tell_missing(grades, {student for _, student in found}, tell)
    return rows


def _cell(score: float | None, scale: float, row: Row, at: int | None) -> str:
    """The class's score; where it has none, what the system has."""
    if score is None:
        return "" if at is None else row[at].strip()
    return number(score * scale)


def _scales(
    grades: Grades, roster: Roster, columns: Sequence[int | None], tell: Tell
) -> list[float]:
    """By what to multiply where the system's assignment has other points than the lesson."""
    points = next((row for row in roster.rows if _is_points(row)), None)
    scales = []
    for lesson, at in zip(grades.lessons, columns, strict=True):
        theirs = 0.0
        if points is not None and at is not None:
            stated = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*", points[at])
            theirs = float(stated[1]) if stated else 0.0
        scale = theirs / lesson.points if theirs and lesson.points else 1.0
        if abs(scale - 1) > 1e-9:
            ours = number(lesson.points)
            tell(f"{lesson.name}: {ours} points here are {number(theirs)} there; converted.")
        scales.append(scale)
    return scales


def _is_points(row: Row) -> bool:
    return "Points Possible" in row[0]


def _found(grades: Grades, roster: Roster) -> list[tuple[Row, str]]:
    """The roster's rows whose learner the class has grades of; each learner once."""
    index = _index(grades)
    found: dict[str, Row] = {}
    for row in roster.rows:
        student = None if _is_points(row) else _whose(roster.cells(row), index)
        if student is not None:
            found.setdefault(student, row)
    return [(row, student) for student, row in found.items()]


def _index(grades: Grades) -> dict[tuple[str, str], set[str]]:
    """Students by what a roster may call them."""
    index: dict[tuple[str, str], set[str]] = {}
    for student in grades.students:
        if not grades.has_any(student.id):
            continue
        keys = {("id", student.id.lower()), ("number", grades.numbers.get(student.id, ""))}
        keys |= {("id", student.email.lower())}
        keys |= {("name", name) for name in both_orders(student.first_name, student.last_name)}
        keys.add(("name", plain(student.id)))
        for key in keys:
            if key[1]:
                index.setdefault(key, set()).add(student.id)
    return index


def _whose(cells: Mapping[str, str], index: Mapping[tuple[str, str], set[str]]) -> str | None:
    """The one student whom a row can mean: by the system's number, an id, the full name."""
    ordered = sorted(cells, key=lambda name: name == NUMBER)  # an id of the system's own comes last
    ids = [("id", cells[name].lower()) for name in ordered if cells[name]]
    names = [("name", plain(cells[name])) for name in NAMES if cells.get(name)]
    first, last = cells.get("First name", ""), cells.get("Last name", cells.get("Surname", ""))
    names += [("name", name) for name in sorted(both_orders(first, last)) if first and last]
    for key in [("number", cells.get(NUMBER, "")), *ids, *names]:
        meant = index.get(key, set())
        if len(meant) == 1:
            return next(iter(meant))
    return None


def _tell_missing(grades: Grades, found: set[str], tell: Tell) -> None:
    left = [s.id for s in grades.students if s.id not in found and grades.has_any(s.id)]
    if left:
        names = ", ".join(map(shown_name, left[:SHOWN])) + (" …" if len(left) > SHOWN else "")
        tell(f"Not in the roster, and left out: {len(left)} ({names}).")
