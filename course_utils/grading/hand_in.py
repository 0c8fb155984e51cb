"""`course submit`: pack a lesson's work for an upload, after a look at what is not in order."""

from __future__ import annotations

import ast
import inspect
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course_utils.errors import UserError
from course_utils.exercises.check import source_digest
from course_utils.grading.submission import (
    MAX_NOTEBOOK_BYTES,
    LearnerCell,
    Unusable,
    cells_of,
    parse_notebook,
)
from course_utils.kit import Kit, answers_path, find_kit, kits_in
from course_utils.quiz.answers import Answers, read_submitted_answers
from course_utils.words import LANGUAGES, say


@dataclass(frozen=True)
class Work:
    """A lesson's notebook and answers in a learner's folder."""

    lesson: str
    lang: str
    notebook: Path
    cells: list[LearnerCell]
    kit: Kit | None
    answers: Answers
    problem: str | None

    @property
    def answers_file(self) -> Path:
        """Where the answers lie."""
        return answers_path(self.lesson, self.notebook.parent)


def find_work(what: str | None, folder: Path) -> Work:
    """The work that `what` names: a notebook file, a lesson, or nothing where only one is there.

    Raises:
        UserError: there is no such notebook, or it cannot be read.
    """
    return read_work(_find_notebook(what, folder))


def _find_notebook(what: str | None, folder: Path) -> Path:
    if what is not None:
        named = folder / what
        for path in (named, named.with_name(f"{named.name}.ipynb"), named / f"{named.name}.ipynb"):
            if path.is_file():
                return path
        raise UserError(f"There is no notebook {what} here ({folder}).")
    lessons = [folder / f"{kit['lesson']}.ipynb" for kit in kits_in(folder)]
    found = [path for path in lessons if path.is_file()]
    if len(found) == 1:
        return found[0]
    names = ", ".join(path.stem for path in found)
    if found:
        raise UserError(f"Several lessons are here; name one of them: {names}.")
    raise UserError(f"No lesson's notebook is here ({folder}): name the file to hand in.")


def read_work(path: Path) -> Work:
    """Read a notebook of a learner's own and its answers.

    Raises:
        UserError: the file cannot be read as a notebook.
    """
    try:
        data = parse_notebook(path.read_bytes())
    except Unusable as problem:
        raise UserError(
            f"{path} is damaged: it cannot be read as a notebook. Open it in JupyterLab and save "
            "it again, or take the last copy from .ipynb_checkpoints beside it."
        ) from problem
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror}.") from problem
    lesson, lang = _lesson_of(data, path.stem)
    kit = _kit_beside(lesson, path.parent)
    lang = kit["lang"] if kit else lang
    answers, trouble = read_submitted_answers(answers_path(lesson, path.parent), lesson=lesson)
    return Work(lesson, lang, path, cells_of(data), kit, answers, trouble)


def _lesson_of(data: dict, stem: str) -> tuple[str, str]:
    """Lesson and language by the notebook's metadata; its file's name where that says nothing."""
    metadata = data.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    stated = course if isinstance(course, dict) else {}
    lesson, lang = stated.get("lesson"), stated.get("lang")
    if not isinstance(lesson, str) or not re.fullmatch(r"\w{1,100}", lesson):
        lesson = stem
    return lesson, lang if lang in LANGUAGES else "en"


def _kit_beside(lesson: str, folder: Path) -> Kit | None:
    try:
        return find_kit(lesson, folder)
    except (ValueError, OSError) as problem:
        raise UserError(str(problem)) from problem


def complaints(work: Work) -> list[str]:
    """What is not in order, one sentence each, in the learner's language."""
    found = []
    if work.notebook.stat().st_size > MAX_NOTEBOOK_BYTES:
        found.append(say("submit_too_large", work.lang, limit=MAX_NOTEBOOK_BYTES // 1_000_000))
    if work.problem not in (None, "missing"):
        found.append(say(f"answers_problem_{work.problem}", work.lang))
    if work.kit is None:
        return [*found, say("submit_no_kit", work.lang, lesson=work.lesson)]
    for name in work.kit["exercises"]:
        key = _exercise_trouble(work, name)
        if key:
            found.append(say(f"submit_{key}", work.lang, name=name))
    open_questions = [q for q in work.kit["questions"] if q not in work.answers["answers"]]
    if open_questions:
        names = ", ".join(open_questions)
        found.append(say("submit_unanswered", work.lang, names=names))
    return found


def _exercise_trouble(work: Work, name: str) -> str:
    """The key of what is not in order with an exercise, or an empty string."""
    cell = next((c for c in work.cells if name in (c.grade_id, c.cell_id)), None)
    if cell is None:
        return "no_cell"
    source = function_source(cell.text, name)
    check = work.answers["checks"].get(name)
    if source is None:
        return "broken_cell"
    if check is None:
        return "not_attempted" if "raise NotImplementedError" in source else "not_checked"
    if source_digest(source) != check["source_sha256"]:
        return "changed"
    return "" if check["score"] >= check["points"] else "not_right"


def function_source(cell: str, name: str) -> str | None:
    """The source of the last function of that name in a cell, as `inspect.getsource` gives it."""
    try:
        definitions = list(_functions(ast.parse(cell), name))
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not definitions:
        return None
    last = definitions[-1]
    first = min([last.lineno, *(d.lineno for d in last.decorator_list)])
    return "".join(inspect.getblock(cell.splitlines(keepends=True)[first - 1 :]))


def _functions(tree: ast.Module, name: str) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            yield node


def pack(work: Work, target: Path) -> list[str]:
    """Write the zip file in one step; returns the names in it."""
    files = {f"{work.lesson}.ipynb": work.notebook}
    if work.answers_file.is_file():
        files[f".course/{work.answers_file.name}"] = work.answers_file
    new = target.with_name(f".{target.name}.new")
    try:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in files.items():
                archive.write(path, name)
        os.replace(new, target)
    except OSError as problem:
        raise UserError(f"{target} cannot be written: {problem.strerror}.") from problem
    finally:
        new.unlink(missing_ok=True)
    return list(files)


def submit(what: str | None, folder: Path, strict: bool) -> int:
    """Check a lesson's work and pack it.

    Returns:
        0 when the zip file was written; 1 when `strict` and something is not in order.
    """
    work = find_work(what, folder)
    found = complaints(work)
    for line in found:
        print(f"! {line}")
    if found and strict:
        print(say("submit_strict", work.lang))
        return 1
    target = work.notebook.parent / f"{work.lesson}.submission.zip"
    names = pack(work, target)
    print(say("submit_packed", work.lang, target=target, names=", ".join(names)))
    return 0
