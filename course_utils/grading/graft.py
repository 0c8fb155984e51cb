"""Graft a learner's work onto the instructor's notebook.

The result is the instructor's notebook with three things of the learner's: the text of each
exercise cell (by grade id, wherever it stands; the first copy that was worked on wins), code
cells of the instructor's that the learner changed (kept right after the original), and cells
that the learner added (kept in place). Metadata, tags, tests and outputs never come from the
submission.
"""

from __future__ import annotations

import re
from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from course_utils.errors import UserError
from course_utils.grading.submission import LearnerCell
from course_utils.words import say

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}


@dataclass(frozen=True)
class Part:
    """One cell of a notebook and what it is for.

    Attributes:
        role: `prose`, `first` (the import cell), `demo`, `exercise`, `check`, `quiz`, `locked`
            (another cell of nbgrader's) for the instructor's cells; `added` or `edited` for the
            learner's.
        name: the exercise's or question's id; for `edited`, the role of the cell it changes.
        cell: the notebook cell.
    """

    role: str
    name: str
    cell: nbformat.NotebookNode

    @property
    def grade_id(self) -> str:
        """nbgrader's id of the cell, or an empty string."""
        return str(self.cell.metadata.get("nbgrader", {}).get("grade_id", ""))

    @property
    def points(self) -> float:
        """What the cell is worth by the instructor's notebook."""
        return float(self.cell.metadata.get("nbgrader", {}).get("points", 0))


@dataclass
class Grafted:
    """The joined notebook's parts, and what the learner should be told.

    Attributes:
        parts: all cells in order.
        missing: ids of exercises whose cell the submission does not hold.
        remarks: by exercise id, for the feedback.
    """

    parts: list[Part]
    missing: set[str] = field(default_factory=set)
    remarks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def notebook(self, metadata: dict) -> nbformat.NotebookNode:
        """The parts as a notebook, with unique cell ids."""
        return new_notebook(cells=[part.cell for part in self.parts], metadata=deepcopy(metadata))


def read_master(path: Path) -> tuple[list[Part], dict]:
    """The parts and metadata of the instructor's (released) notebook.

    Raises:
        UserError: it is not there or cannot be read.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except FileNotFoundError as problem:
        raise UserError(
            f"{path} is missing: run `nbgrader generate_assignment {path.parent.name}` first."
        ) from problem
    except Exception as problem:
        raise UserError(f"{path} cannot be read ({problem}): generate it again.") from problem
    return parts_of(notebook), notebook.metadata


def parts_of(notebook: nbformat.NotebookNode) -> list[Part]:
    """Each cell with its role."""
    parts: list[Part] = []
    for cell in notebook.cells:
        role, name = _role(cell)
        if role == "demo" and not any(part.cell.cell_type == "code" for part in parts):
            role = "first"
        parts.append(Part(role, name, cell))
    return parts


def _role(cell: nbformat.NotebookNode) -> tuple[str, str]:
    marks = cell.metadata.get("nbgrader", {})
    grade_id = str(marks.get("grade_id", ""))
    if marks.get("solution"):
        return "exercise", grade_id
    for role in ("check", "quiz"):
        if marks.get("grade") and grade_id.startswith(f"{role}-"):
            return role, grade_id.removeprefix(f"{role}-")
    if marks.get("grade") or marks.get("locked"):
        return "locked", grade_id
    return ("demo" if cell.cell_type == "code" else "prose"), ""


def graft(master: list[Part], cells: list[LearnerCell] | None, lang: str) -> Grafted:
    """Join a submission's cells (None: it has no readable notebook) with the master's parts."""
    placed = _Placed(master)
    for cell in cells or []:
        placed.put(cell)
    result = Grafted([])
    for position, part in enumerate(master):
        if part.role == "exercise":
            result.parts.append(_answered(part, placed.copies[position], result, lang))
        else:
            result.parts.append(Part(part.role, part.name, deepcopy(part.cell)))
            _remark_changed(part, placed.copies[position], result, lang)
        result.parts += _changed_code(part, placed.copies[position])
        result.parts += [_learners(cell, "added") for cell in placed.after[position]]
    first = [_learners(cell, "added") for cell in placed.after[-1]]
    result.parts = _with_unique_ids(first + result.parts)
    return result


class _Placed:
    """Sorts a submission's cells: copies of the master's cells, and cells of the learner's own."""

    def __init__(self, master: list[Part]) -> None:
        self.by_grade_id = {part.grade_id: n for n, part in enumerate(master) if part.grade_id}
        self.by_cell_id = {part.cell.id: n for n, part in enumerate(master) if "id" in part.cell}
        self.by_text: dict[str, list[int]] = defaultdict(list)
        for number, part in enumerate(master):
            self.by_text[part.cell.source.strip()].append(number)
        self.copies: dict[int, list[LearnerCell]] = defaultdict(list)
        self.after: dict[int, list[LearnerCell]] = defaultdict(list)
        self.latest = -1

    def put(self, cell: LearnerCell) -> None:
        """Sort in the next cell of the submission."""
        position = self._position(cell)
        if position is not None:
            self.copies[position].append(cell)
            self.latest = position
        elif cell.text.strip():
            self.after[self.latest].append(cell)

    def _position(self, cell: LearnerCell) -> int | None:
        """Which of the master's cells this is a copy of, if any."""
        for index, key in ((self.by_grade_id, cell.grade_id), (self.by_cell_id, cell.cell_id)):
            if key and key in index:
                return index[key]
        same = self.by_text.get(cell.text.strip(), [])
        return next((n for n in same if n not in self.copies), same[0] if same else None)


def _answered(part: Part, copies: list[LearnerCell], result: Grafted, lang: str) -> Part:
    """The exercise cell with the learner's text."""
    cell = deepcopy(part.cell)
    if not copies:
        result.missing.add(part.name)
        result.remarks[part.name].append(say("graft_missing", lang))
        return Part(part.role, part.name, cell)
    worked_on = [copy for copy in copies if copy.text.strip() != part.cell.source.strip()]
    cell.source = (worked_on or copies)[0].text
    if len({copy.text.strip() for copy in worked_on}) > 1:
        result.remarks[part.name].append(say("graft_copies", lang, count=len(copies)))
    if (worked_on or copies)[0].kind != cell.cell_type:
        result.remarks[part.name].append(say("graft_retyped", lang))
    return Part(part.role, part.name, cell)


def _remark_changed(part: Part, copies: list[LearnerCell], result: Grafted, lang: str) -> None:
    """A changed check or quiz cell is not taken, and the learner is told."""
    changed = any(copy.text.strip() != part.cell.source.strip() for copy in copies)
    if part.role in ("check", "quiz") and changed:
        result.remarks[part.grade_id].append(say("graft_locked", lang))


def _changed_code(part: Part, copies: list[LearnerCell]) -> list[Part]:
    """The learner's version of an import or demo cell, where it is another than the master's."""
    if part.role not in ("first", "demo"):
        return []
    changed = [copy for copy in copies if copy.text.strip() != part.cell.source.strip()]
    return [_learners(copy, "edited", part.role) for copy in changed if copy.kind == "code"][:1]


def _learners(cell: LearnerCell, role: str, name: str = "") -> Part:
    """A cell of the learner's own, with nothing but its text."""
    new = NEW_CELL[cell.kind](cell.text, metadata={"course": {"by": "learner"}})
    new.id = f"learner-{cell.cell_id}"
    return Part(role, name, new)


def _with_unique_ids(parts: list[Part]) -> list[Part]:
    """Number repeated cell ids, and mend those that are none (nbformat's rule)."""
    seen: set[str] = set()
    for part in parts:
        clean = re.sub(r"[^A-Za-z0-9_-]", "-", part.cell.get("id", ""))[:60] or "cell"
        name, number = clean, 2
        while name in seen:
            name, number = f"{clean[:54]}-{number}", number + 1
        seen.add(name)
        part.cell.id = name
    return parts
