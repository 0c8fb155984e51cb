"""What a machine of a cluster does for the grader: run a job, confined, and say what came of it.

A worker is trusted to run learners' code as the grader's own machine would, in forks of a warm
process that shut themselves in. It judges nothing: it is never told what is right.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import sys
import threading
from pathlib import Path
from typing import Any

import course_utils
from course_utils.errors import UserError
from course_utils.grading.confined import Runners
from course_utils.grading.parcel import job_from, packed, ran_data, unpacked
from course_utils.grading.runner import CannotRun

PACKAGES = ("numpy", "torch", "distributed")
LOCK = threading.Lock()
RUNNERS: dict[tuple[bool, tuple[str, ...]], Runners] = {}


@functools.cache
def about() -> dict[str, str]:
    """What must be the same on two machines that are to give the same grades."""
    versions = {"Python": "{}.{}".format(*sys.version_info[:2])}
    for name in PACKAGES:
        versions[name] = importlib.metadata.version(name)
    return versions | {"course": _digest(Path(course_utils.__file__).parent)}


def _digest(package: Path) -> str:
    """Changes when any module of the package does."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def run_parcel(parcel: bytes) -> bytes:
    """Run the job in `parcel`.

    Returns:
        A parcel with one of `ran`; `differs` (this machine's versions); `refused`, `cannot`,
        `failed` (a sentence each). Nothing is raised, so that nothing but data goes back.
    """
    return packed(_answer(unpacked(parcel)))


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    if order["about"] != about():
        return {"differs": about()}
    try:
        job = job_from(order["job"])
        runners = _runners(order["unconfined"], tuple(order["hidden"]))
        return {"ran": ran_data(runners.runs(order["last"])(job))}
    except UserError as problem:
        return {"refused": str(problem)}
    except CannotRun as problem:
        return {"cannot": str(problem)}
    except Exception as problem:
        return {"failed": f"{type(problem).__name__}: {problem}"}


def _runners(unconfined: bool, hidden: tuple[str, ...]) -> Runners:
    """This process's runners, kept from one job to the next: their warm process is dear."""
    with LOCK:
        key = (unconfined, hidden)
        if key not in RUNNERS:
            RUNNERS[key] = Runners(unconfined, [Path(place) for place in hidden])
        return RUNNERS[key]
