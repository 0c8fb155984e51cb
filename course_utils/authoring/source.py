"""Read a lesson's source: jupytext percent cells, short metadata, both languages in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import jupytext

from course_utils.errors import UserError
from course_utils.kit import REPOSITORY
from course_utils.words import LANGUAGES

SOURCES = REPOSITORY / "notebooks" / "source"
NAMED_KINDS = ("exercise", "check", "quiz")
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


class BuildError(UserError):
    """A source that cannot be built: its text names the file, the cell and the cure."""


@dataclass(frozen=True)
class SourceCell:
    """One cell of a lesson.

    Attributes:
        kind: `text`, `demo`, `exercise`, `check` or `quiz`.
        name: the exercise's or question's id; empty for text and demo.
        code: the code; empty for text.
        text: the prose by language; empty for code.
        place: where the cell stands, for error messages.
    """

    kind: str
    name: str
    code: str
    text: dict[str, str]
    place: str


def lesson_names() -> list[str]:
    """All lessons that have a source, in order."""
    return sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.py"))


def read_lesson(lesson: str) -> tuple[SourceCell, ...]:
    """The cells of `notebooks/source/<lesson>.py`, with every language pair joined.

    Raises:
        BuildError: no such source, a cell with unknown or missing metadata, a missing twin.
    """
    path = SOURCES / f"{lesson}.py"
    if not path.exists():
        known = ", ".join(lesson_names()) or "none yet"
        raise BuildError(f"There is no source {path.name}. Lessons with a source: {known}.")
    return parse_source(path.read_text(encoding="utf-8"), path.name)


@lru_cache(maxsize=32)  # one build asks for a lesson several times
def parse_source(text: str, filename: str) -> tuple[SourceCell, ...]:
    """Parse the text of a source; `filename` is used in error messages only."""
    cells = jupytext.reads(text, fmt="py:percent").cells
    return tuple(_joined(cells, filename))


def _joined(cells: list, filename: str) -> Iterator[SourceCell]:
    waiting: tuple[str, str] | None = None  # an English text and its place
    for number, cell in enumerate(cells, 1):
        place = f"{filename}, cell {number} ({_first_line(cell.source)!r})"
        if cell.cell_type != "markdown":
            if waiting:
                raise BuildError(f"{waiting[1]}: its Chinese twin is missing. {PAIR_CURE}")
            yield _code_cell(cell, place)
        elif waiting is None:
            _expect_language(cell, "en", place)
            waiting = cell.source, place
        else:
            _expect_language(cell, "zh", place)
            yield SourceCell("text", "", "", {"en": waiting[0], "zh": cell.source}, waiting[1])
            waiting = None
    if waiting:
        raise BuildError(f"{waiting[1]}: its Chinese twin is missing. {PAIR_CURE}")


PAIR_CURE = (
    'Write `# %% [markdown] lang="en"` followed at once by `# %% [markdown] lang="zh"` '
    "for every piece of prose."
)


def _expect_language(cell: dict, lang: str, place: str) -> None:
    found = cell["metadata"].get("lang")
    if found not in LANGUAGES:
        raise BuildError(f"{place}: a text cell without lang. {PAIR_CURE}")
    if found != lang:
        raise BuildError(f"{place}: lang={found!r} stands where {lang!r} is due. {PAIR_CURE}")


def _first_line(source: str) -> str:
    return source.strip().partition("\n")[0][:60]


def _code_cell(cell: dict, place: str) -> SourceCell:
    """A demo, exercise, check or quiz cell, by its metadata."""
    # jupytext notes blank lines as `lines_to_…`; everything else is the author's.
    stated = {k: v for k, v in cell["metadata"].items() if not k.startswith("lines_to_")}
    kinds = [kind for kind in NAMED_KINDS if kind in stated]
    if set(stated) - set(NAMED_KINDS) or len(kinds) > 1:
        raise BuildError(
            f"{place}: cannot read its metadata {stated}. A code cell has none, or "
            f"one of {', '.join(NAMED_KINDS)} with a name."
        )
    kind = kinds[0] if kinds else "demo"
    name = str(cell["metadata"].get(kind, ""))
    source = SourceCell(kind, name, cell["source"].strip(), {}, place)
    _check_form(source)
    return source


def _check_form(cell: SourceCell) -> None:
    """Named cells have a fixed form, on which release and grading rely."""
    one_line = {"check": f"check({cell.name})", "quiz": f'quiz("{cell.name}")'}
    due = one_line.get(cell.kind)
    if due is not None and cell.code != due:
        raise BuildError(f"{cell.place}: a {cell.kind} cell holds exactly `{due}`.")
    if cell.kind != "exercise":
        return
    if cell.code.count(BEGIN) != 1 or cell.code.count(END) != 1:
        raise BuildError(
            f"{cell.place}: put the solution between one `{BEGIN}` and one `{END}` line."
        )
    if not re.search(rf"^def {re.escape(cell.name)}\(", cell.code, re.MULTILINE):
        raise BuildError(f"{cell.place}: the cell must define the function `{cell.name}`.")
