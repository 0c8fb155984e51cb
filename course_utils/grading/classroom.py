"""A class: an instructor's nbgrader course folder, and what is frozen in it.

The folder holds, besides nbgrader's own folders, `class.json` (language, lessons, the secret seed
of the hidden cases, limits) and `judge/NN_name.kit.json` (hidden cases with expected values and
the key). Grading needs only these data files; no lesson code runs on the trusted side.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from course_utils.errors import UserError
from course_utils.grading.grade import Assignment
from course_utils.grading.graft import read_master
from course_utils.grading.limits import Limits, limits_from
from course_utils.kit import Kit, kit_path, read_kit, write_kit
from course_utils.words import say

CLASS_VERSION = 1
CLASS_FILE = "class.json"
CONFIG_FILE = "nbgrader_config.py"
CONFIG = '''"""nbgrader's settings for this class. Your own settings may follow below."""

from course_utils.grading.nbgrader_hooks import configure

c = get_config()  # noqa: F821
configure(c, __file__)
'''


@dataclass(frozen=True)
class ClassSettings:
    """What `class.json` holds.

    Attributes:
        lang: language of notebooks and feedback.
        course_id: nbgrader's name of the course.
        seed: draws the hidden cases; known to nobody but the instructor.
        graded: learners get no verdict and no key (graded kits).
        lessons: names of the lessons in the class.
        code_stub: what stands where the learner writes.
        exchange: nbgrader's exchange folder; empty for nbgrader's default.
        run_demos: run demonstration cells too when grading.
        unconfined: grade without a sandbox where the system has none, at the class's own risk.
        limits: limits on one submission other than the defaults.
    """

    lang: str
    course_id: str
    seed: int
    graded: bool = False
    lessons: tuple[str, ...] = ()
    code_stub: str = "raise NotImplementedError"
    exchange: str = ""
    run_demos: bool = False
    unconfined: bool = False
    limits: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LessonFiles:
    """A lesson as it is put into a class."""

    name: str
    notebook: str
    kit: Kit
    judge: Kit


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(62)


def is_class(folder: Path) -> bool:
    """Whether `folder` is a class made by this course."""
    return (folder / CLASS_FILE).is_file()


def read_class(folder: Path) -> ClassSettings:
    """The settings of the class in `folder`.

    Raises:
        UserError: there is none, or its file cannot be used.
    """
    path = folder / CLASS_FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        version = data.pop("version")
        _expect_known(path, version, data)
        data["lessons"] = tuple(data["lessons"])
        limits_from(data.get("limits", {}))
        return ClassSettings(**data)
    except FileNotFoundError as problem:
        raise UserError(
            f"{folder} is no class: `course class create {folder} --lang en` makes one."
        ) from problem
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(f"{path} cannot be used: {problem}") from problem


def _expect_known(path: Path, version: Any, data: Mapping[str, Any]) -> None:
    """Refuse a class file of a newer course; what an older one does not state has defaults."""
    unknown = sorted(set(data) - {one.name for one in fields(ClassSettings)})
    if version == CLASS_VERSION and not unknown:
        return
    what = f"settings that this course does not know: {', '.join(unknown)}"
    if version != CLASS_VERSION:
        what = f"version {version}; this course reads version {CLASS_VERSION}"
    raise UserError(f"{path} has {what}. Update the course (`git pull`), or mend the file.")


def create_class(
    folder: Path, settings: ClassSettings, lessons: Sequence[LessonFiles], gradebook: str = ""
) -> None:
    """Make a class in `folder`, which must not exist or be empty; all of it or nothing.

    `gradebook` is the address of a database other than nbgrader's file beside the class.

    Raises:
        UserError: the folder holds something.
    """
    expect_free(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        making.mkdir(mode=0o755)
        base = f"c.CourseDirectory.db_url = {json.dumps(gradebook)}\n" if gradebook else ""
        (making / CONFIG_FILE).write_text(CONFIG + base, encoding="utf-8")
        (making / "judge").mkdir(mode=0o700)
        (making / "README.md").write_text(_readme(settings, folder.name), encoding="utf-8")
        _put_lessons(making, settings, lessons)
        if folder.exists():
            folder.rmdir()
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def expect_free(folder: Path) -> None:
    """See to it that a class may be made in `folder`.

    Raises:
        UserError: it holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty and no class: choose another folder.")


def add_lessons(folder: Path, lessons: Sequence[LessonFiles]) -> None:
    """Add lessons to a class; the lessons that it has stay as they are."""
    settings = read_class(folder)
    fresh = [lesson for lesson in lessons if lesson.name not in settings.lessons]
    _put_lessons(folder, settings, fresh)


def _put_lessons(folder: Path, settings: ClassSettings, lessons: Sequence[LessonFiles]) -> None:
    """Write the lessons' files, then the class file that names them."""
    for lesson in lessons:
        source = folder / "source" / lesson.name
        source.mkdir(parents=True, exist_ok=True)
        (source / f"{lesson.name}.ipynb").write_text(lesson.notebook, encoding="utf-8")
        write_kit(lesson.kit, kit_path(lesson.name, source))
        write_private(judge_path(folder, lesson.name), json.dumps(lesson.judge, ensure_ascii=False))
    names = sorted({*settings.lessons, *(lesson.name for lesson in lessons)})
    data = {"version": CLASS_VERSION} | asdict(replace(settings, lessons=tuple(names)))
    write_private(folder / CLASS_FILE, json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, in one step."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)


def judge_path(folder: Path, lesson: str) -> Path:
    """Where a class keeps the hidden cases of `lesson`."""
    return folder / "judge" / f"{lesson}.kit.json"


def read_assignment(folder: Path, lesson: str, release: Path | None = None) -> Assignment:
    """What grading a lesson of the class takes; `release` is by default `release/<lesson>`.

    Raises:
        UserError: the class has no such lesson, or it was not generated yet.
    """
    settings = read_class(folder)
    if lesson not in settings.lessons:
        known = ", ".join(settings.lessons) or "none"
        raise UserError(f"This class has no lesson {lesson}. It has: {known}.")
    release = release or folder / "release" / lesson
    master = release / f"{lesson}.ipynb"
    parts, metadata = read_master(master)
    return Assignment(
        lesson=lesson,
        kit=_judge_kit(folder, lesson),
        parts=parts,
        metadata=metadata,
        files=_released_files(lesson, release),
        limits=limits_from(settings.limits) if settings.limits else Limits(),
        demos=settings.run_demos,
        mark=_mark(master, judge_path(folder, lesson)),
    )


def _judge_kit(folder: Path, lesson: str) -> Kit:
    try:
        return read_kit(judge_path(folder, lesson))
    except (OSError, ValueError) as problem:
        raise UserError(f"The class's hidden cases cannot be read: {problem}") from problem


def _released_files(lesson: str, release: Path) -> Mapping[str, str]:
    """The kit that learners have, for `quiz` and `check` in cells of their own."""
    path = kit_path(lesson, release)
    return {f".course/{path.name}": path.read_text("utf-8")} if path.is_file() else {}


def _mark(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _readme(settings: ClassSettings, name: str) -> str:
    return say("class_readme", settings.lang, name=name)
