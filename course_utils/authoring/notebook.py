"""Turn a lesson's cells into a notebook in one language, with nbgrader's metadata."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.preprocessors import ClearSolutions

from course_utils.authoring.elsewhere import links_line
from course_utils.authoring.kits import load_exercises, load_questions_of
from course_utils.authoring.pairs import check_pair
from course_utils.authoring.source import SourceCell, read_lesson

CODE_STUB = "# Write your code here.\nraise NotImplementedError"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def assemble(lesson: str, lang: str, solutions: bool) -> nbformat.NotebookNode:
    """The lesson's notebook in `lang`, without outputs.

    Args:
        lesson: e.g. `01_language_models`.
        lang: `en` or `zh`.
        solutions: True for the instructor's version, with the solutions between their markers;
            False for the learner's, with a stub in their place.

    Raises:
        BuildError: the source cannot be built; the text names cell and cure.
    """
    seen: Counter[str] = Counter()
    cells = []
    for cell in read_lesson(lesson):
        if cell.kind == "text":
            check_pair(cell)
        cells.append(_notebook_cell(cell, lesson, lang, seen))
    metadata = {
        "course": {"lesson": lesson, "lang": lang},
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
    }
    notebook = new_notebook(cells=cells, metadata=metadata)
    if not solutions:
        _tell_where_it_runs(notebook, lesson, lang)
        ClearSolutions(code_stub={"python": CODE_STUB}).preprocess(notebook, {})
    nbformat.validate(notebook)
    return notebook


def _notebook_cell(
    cell: SourceCell, lesson: str, lang: str, seen: Counter[str]
) -> nbformat.NotebookNode:
    if cell.kind == "text":
        return new_markdown_cell(cell.text[lang], id=_stable_id(cell.text["en"], seen))
    if cell.kind == "demo":
        return new_code_cell(cell.code, id=_stable_id(cell.code, seen))
    metadata = _grade_metadata(cell, lesson)
    return new_code_cell(cell.code, id=metadata["grade_id"], metadata={"nbgrader": metadata})


def _tell_where_it_runs(notebook: nbformat.NotebookNode, lesson: str, lang: str) -> None:
    """End the first cell with the links to Binder and Colab. A class's own notebook has none."""
    first = notebook.cells[0]
    if first.cell_type == "markdown":
        first.source += f"\n\n{links_line(lesson, lang)}"


def _stable_id(text: str, seen: Counter[str]) -> str:
    """An id that depends on the cell's text alone; repeated texts are numbered."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    seen[digest] += 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _grade_metadata(cell: SourceCell, lesson: str) -> dict[str, Any]:
    """The metadata that nbgrader (schema version 3) reads."""
    answer = cell.kind == "exercise"
    metadata: dict[str, Any] = {
        "cell_type": "code",
        "grade": not answer,
        "grade_id": cell.name if answer else f"{cell.kind}-{cell.name}",
        "locked": not answer,
        "schema_version": 3,
        "solution": answer,
        "task": False,
    }
    if not answer:
        metadata["points"] = points_of(lesson)[metadata["grade_id"]]
    return metadata


@cache
def points_of(lesson: str) -> dict[str, float]:
    """Points by grade id: `check-<exercise>` and `quiz-<question>`."""
    points = {f"check-{one.id}": float(one.points) for one in load_exercises(lesson)}
    questions = load_questions_of(lesson)
    return points | {f"quiz-{one['id']}": float(one["points"]) for one in questions}
