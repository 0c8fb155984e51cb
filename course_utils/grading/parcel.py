"""Jobs and what they gave as bytes (compressed JSON), for machines that share no disk.

A parcel to a worker holds a learner's code, the inputs of the cases and the released kit: what a
runner is told anyway. No key, no expected value and no other submission travels. What comes back
is checked as a runner's answers are.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode

from course_utils.exercises.call import Outcome
from course_utils.grading.border import GARBLED, checked_cell, checked_outcome, stopped
from course_utils.grading.execute import Job, Ran
from course_utils.grading.graft import Grafted, Part
from course_utils.grading.limits import Limits

LEVEL = 1


def packed(content: Mapping[str, Any]) -> bytes:
    """JSON data as bytes."""
    return zlib.compress(json.dumps(content).encode(), LEVEL)


def unpacked(parcel: bytes) -> dict[str, Any]:
    """The JSON data of a parcel."""
    content: dict[str, Any] = json.loads(zlib.decompress(parcel))
    return content


def job_data(job: Job) -> dict[str, Any]:
    """A job as JSON data; of cells that are no code only the place is kept."""
    return {
        "parts": [_part_data(part) for part in job.grafted.parts],
        "missing": sorted(job.grafted.missing),
        "cases": job.cases,
        "limits": job.limits.as_dict(),
        "files": dict(job.files),
        "demos": job.demos,
    }


def _part_data(part: Part) -> list[str]:
    kind = part.cell.cell_type
    return [part.role, part.name, kind, part.cell.source if kind == "code" else ""]


def job_from(data: Mapping[str, Any]) -> Job:
    """The job that `job_data` described."""
    parts = [
        Part(role, name, NotebookNode(cell_type=kind, source=source, metadata=NotebookNode()))
        for role, name, kind, source in data["parts"]
    ]
    return Job(
        Grafted(parts, set(data["missing"])),
        data["cases"],
        Limits(**data["limits"]),
        data["files"],
        data["demos"],
    )


def ran_data(ran: Ran) -> dict[str, Any]:
    """What running gave as JSON data."""
    cells = [[position, result] for position, result in ran.cells.items()]
    return {"outcomes": ran.outcomes, "cells": cells, "cpu_seconds": ran.cpu_seconds}


def ran_from(data: Mapping[str, Any], job: Job) -> Ran:
    """What a worker says that running `job` gave: exactly one outcome for each case."""
    outcomes = {}
    for name, cases in job.cases.items():
        given = data["outcomes"].get(name, [])
        outcomes[name] = [
            _outcome(given[n]) if n < len(given) else {"unsupported": GARBLED}
            for n in range(len(cases))
        ]
    limit = job.limits.output_characters
    cells = {
        int(position): _stopped(result) or checked_cell(result, limit)
        for position, result in data["cells"]
    }
    return Ran(outcomes, cells, float(data["cpu_seconds"]))


def _outcome(given: dict[str, Any]) -> Outcome:
    return _stopped(given) or checked_outcome(given)


def _stopped(given: dict[str, Any]) -> dict[str, Any] | None:
    """The reason why something did not come to its end, if that is what a worker says."""
    if "stopped" not in given:
        return None
    return stopped(str(given["stopped"]), **dict(given["facts"]))
