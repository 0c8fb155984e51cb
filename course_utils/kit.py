"""Kits: what a learner's quiz and check need at run time, in one JSON file beside the notebook.

A kit lies in `.course/NN_name.kit.json`. Its audience is `practice` (with the key), `graded`
(without it) or `judge` (hidden cases; it never leaves the instructor's side).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KIT_VERSION = 1
FOLDER = ".course"

Kit = dict[str, Any]

REPOSITORY = Path(__file__).resolve().parent.parent


def kit_path(lesson: str, folder: Path) -> Path:
    """Where the kit of `lesson` lies for a notebook in `folder`."""
    return folder / FOLDER / f"{lesson}.kit.json"


def answers_path(lesson: str, folder: Path) -> Path:
    """Where a learner's answers to `lesson` lie for a notebook in `folder`."""
    return folder / FOLDER / f"{lesson}.answers.json"


def find_kit(lesson: str, folder: Path) -> Kit | None:
    """The kit of `lesson` beside `folder`'s notebooks, or None where there is none.

    Raises:
        ValueError: the file is there but is no kit of this version.
    """
    path = kit_path(lesson, folder)
    if not path.exists():
        return None
    return read_kit(path)


def read_kit(path: Path) -> Kit:
    """Read one kit file.

    Raises:
        ValueError: the file is not JSON, or not a kit of this version.
    """
    try:
        kit = json.loads(path.read_text(encoding="utf-8"))
        version = kit["version"]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as problem:
        raise ValueError(
            f"{path} is damaged ({problem}). Fetch the lesson again, or run `course build`."
        ) from problem
    if version != KIT_VERSION:
        raise ValueError(
            f"{path} is of version {version}; this course reads version {KIT_VERSION}. "
            "Fetch the lesson again, or update the course."
        )
    return kit


def write_kit(kit: Kit, path: Path) -> None:
    """Write `kit` to `path`, the same bytes for the same kit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kit, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def kits_in(folder: Path) -> list[Kit]:
    """All kits beside the notebooks of `folder`, in lesson order."""
    return [read_kit(path) for path in sorted((folder / FOLDER).glob("*.kit.json"))]
