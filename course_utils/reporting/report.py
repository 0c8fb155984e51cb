"""`course report DIR`: write the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from course_utils.errors import UserError
from course_utils.reporting.gather import read_whole_class
from course_utils.reporting.page import report_page


def write_report(
    folder: Path, lessons: Sequence[str] = (), hide_names: bool = False, to: Path | None = None
) -> Path:
    """Write the report on a class in one step; only its owner can read it.

    Raises:
        UserError: there is no such class or lesson, or the file cannot be written.
    """
    group = read_whole_class(folder, lessons)
    page = report_page(group, hide_names, datetime.now(UTC))
    target = to or folder / "report.html"
    write_in_one_step(target, page)
    return target


def write_in_one_step(target: Path, text: str) -> None:
    """Replace a file by a new one that only its owner can read.

    Raises:
        UserError: it cannot be written.
    """
    new = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(new, target)
    except OSError as problem:
        raise UserError(f"{target} cannot be written: {problem.strerror}.") from problem
    finally:
        new.unlink(missing_ok=True)
