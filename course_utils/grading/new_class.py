"""`course class create`: make a class of the repository's lessons, or add lessons to one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from course_utils.authoring.kits import build_kit
from course_utils.authoring.notebook import CODE_STUB, assemble, points_of
from course_utils.authoring.source import lesson_names
from course_utils.errors import UserError
from course_utils.grading.classroom import (
    CONFIG_FILE,
    ClassSettings,
    LessonFiles,
    add_lessons,
    create_class,
    expect_free,
    is_class,
    new_seed,
    read_class,
)


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for; None where it says nothing."""

    lang: str | None = None
    lessons: Sequence[str] | None = None
    graded: bool = False
    course_id: str | None = None
    exchange: str | None = None
    gradebook: str | None = None


def make(folder: Path, wanted: Wanted, say: Callable[[str], None]) -> None:
    """Make a class in `folder`; where there is one, add the lessons that it does not have.

    Raises:
        UserError: the folder holds something else, or a wish contradicts the class that is there.
    """
    names = _names(wanted.lessons)
    if is_class(folder):
        _extend(folder, wanted, names, say)
        return
    if wanted.lang is None:
        raise UserError("Say which language the class has: --lang en or --lang zh.")
    settings = ClassSettings(
        lang=wanted.lang,
        course_id=_course_id(wanted, folder),
        seed=new_seed(),
        graded=wanted.graded,
        code_stub=CODE_STUB,
        exchange=str(Path(wanted.exchange).resolve()) if wanted.exchange else "",
    )
    expect_free(folder)
    gradebook = _gradebook(wanted)
    create_class(folder, settings, _files(names, settings, say), gradebook)
    say(f"Made the class {folder} with {', '.join(names)}. Its README.md says how to go on.")


def _extend(folder: Path, wanted: Wanted, names: Sequence[str], say: Callable[[str], None]) -> None:
    settings = read_class(folder)
    for name in ("lang", "course_id", "exchange"):
        wish, is_so = getattr(wanted, name), getattr(settings, name)
        if wish is not None and wish != is_so:
            raise UserError(f"{folder} is a class already, with {name} {is_so!r}, not {wish!r}.")
    if wanted.gradebook is not None:
        raise UserError(
            f"{folder} is a class already; where its gradebook is, {CONFIG_FILE} says "
            "(c.CourseDirectory.db_url)."
        )
    if wanted.graded and not settings.graded:
        raise UserError(f"{folder} is a class already, and not a graded one.")
    fresh = [name for name in names if name not in settings.lessons]
    if not fresh:
        have = ", ".join(settings.lessons)
        raise UserError(f"{folder} is a class already, with {have}. Nothing was changed.")
    add_lessons(folder, _files(fresh, settings, say))
    say(f"Added {', '.join(fresh)} to the class {folder}; what it had is untouched.")


def _gradebook(wanted: Wanted) -> str:
    """The address of the class's database; empty for nbgrader's own choice, a file."""
    if wanted.gradebook is None:
        return ""
    from course_utils.grading.database import checked_url  # it takes a while to import

    return checked_url(wanted.gradebook)


def _names(lessons: Sequence[str] | None) -> list[str]:
    known = [name for name in lesson_names() if points_of(name)]
    unknown = [name for name in lessons or () if name not in known]
    if unknown:
        raise UserError(f"There is no lesson {', '.join(unknown)}. Lessons: {', '.join(known)}.")
    return list(dict.fromkeys(lessons or known))


def _course_id(wanted: Wanted, folder: Path) -> str:
    course_id = wanted.course_id
    if course_id is None:
        course_id = re.sub(r"[^\w-]+", "-", folder.resolve().name)
    if not course_id.strip("-_.") or not re.fullmatch(r"[\w.-]+", course_id):
        raise UserError(
            f"{course_id!r} cannot be a course's name: use letters, digits, - and _ "
            "(--course-id NAME)."
        )
    return course_id


def _files(
    names: Sequence[str], settings: ClassSettings, say: Callable[[str], None]
) -> list[LessonFiles]:
    """The lessons' notebooks with solutions, their kits, and hidden cases from the class's seed."""
    files = []
    audience = "graded" if settings.graded else "practice"
    for number, name in enumerate(names, 1):
        say(f"[{number}/{len(names)}] {name}: notebook, kit and hidden cases …")
        files.append(
            LessonFiles(
                name=name,
                notebook=nbformat.writes(assemble(name, settings.lang, solutions=True)),
                kit=build_kit(name, settings.lang, audience),
                judge=build_kit(name, settings.lang, "judge", settings.seed),
            )
        )
    return files
