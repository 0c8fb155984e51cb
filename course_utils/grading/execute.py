"""Run a grafted notebook: which cells, in which order, and what each exercise's calls gave.

The import cell, the exercise cells and the learner's own cells run in their order; where an
exercise's check stands, its function is called on the judge's cases. Cells that only demonstrate
are left out, unless an exercise then lacks a name that they define: a second run includes them.
A cell that ends the process is left out of a fresh run, so that one bad cell costs one exercise.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from course_utils.exercises.call import Outcome
from course_utils.grading.border import stopped
from course_utils.grading.graft import Grafted, Part
from course_utils.grading.limits import Limits
from course_utils.grading.runner import MakeRunner, Runner
from course_utils.kit import Kit

MAX_RUNNERS = 4
MISSING_NAME = re.compile(r"name '(\w{1,100})' is not defined")


@dataclass
class Ran:
    """What running gave.

    Attributes:
        outcomes: by exercise id, one per case of the kit, in order.
        cells: by position in the grafted notebook: `error`, `printed` or `stopped`.
        cpu_seconds: processor time of all runners.
    """

    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    cells: dict[int, dict[str, Any]] = field(default_factory=dict)
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Job:
    """All that running a submission takes; no key and no expected value is part of it."""

    grafted: Grafted
    cases: dict[str, list[dict[str, Any]]]
    limits: Limits
    files: Mapping[str, str]
    demos: bool = False


Run = Callable[[Job], Ran]


def inputs_of(kit: Kit) -> dict[str, list[dict[str, Any]]]:
    """The cases of a kit without what is expected of them."""
    return {
        name: [{"args": case["args"], "gradients": case["gradients"]} for case in entry["cases"]]
        for name, entry in kit["exercises"].items()
    }


def run_submission(job: Job, make_runner: MakeRunner) -> Ran:
    """Run a submission; a second time with the demo cells where an exercise needs a name of theirs.

    The second run replaces only the outcomes of the exercises that lacked a name.
    """
    clock = _Clock(job.limits.total_seconds)
    ran = _Session(job, make_runner, clock, demos=job.demos).go()
    lacking = [] if job.demos else _lacking_demo_names(job, ran)
    if lacking:
        again = _Session(job, make_runner, clock, demos=True).go()
        ran.cells = again.cells
        ran.cpu_seconds += again.cpu_seconds
        ran.outcomes |= {name: again.outcomes[name] for name in lacking}
    return ran


def runs_in(make_runner: MakeRunner) -> Run:
    """What runs a submission in such runners."""
    return partial(run_submission, make_runner=make_runner)


def _lacking_demo_names(job: Job, ran: Ran) -> list[str]:
    """Exercises that failed for want of a name that a demo cell mentions."""
    demos = "\n".join(part.cell.source for part in job.grafted.parts if _is_demo(part))
    lacking = []
    for name, outcomes in ran.outcomes.items():
        own = [n for n, part in enumerate(job.grafted.parts) if _defines(part, name)]
        found = [*outcomes, *(ran.cells[n] for n in own if n in ran.cells)]
        missing = [_missing_name(one) for one in found]
        if any(one and re.search(rf"\b{one}\b", demos) for one in missing):
            lacking.append(name)
    return lacking


def _missing_name(outcome: dict[str, Any]) -> str:
    """The name whose absence an outcome or a cell reports, or an empty string."""
    error = outcome.get("error") or {}
    found = MISSING_NAME.search(error.get("message", ""))
    return found[1] if found and error.get("type") in ("NameError", "UnboundLocalError") else ""


def _is_demo(part: Part) -> bool:
    return part.role == "demo" or (part.role == "edited" and part.name == "demo")


def _defines(part: Part, name: str) -> bool:
    """Whether a part is the exercise cell of that name, or a learner's cell that defines it."""
    if part.role == "exercise":
        return part.name == name
    return part.role == "added" and f"def {name}" in part.cell.source


class _Clock:
    """The time that a submission has left; it does not pass while a process is being started."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, negative when they are over."""
        return self.until - time.monotonic()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Within this the time stands still."""
        left = self.left
        yield
        self.until = time.monotonic() + left


class _Session:
    """One run through the notebook, over as many processes as it takes."""

    def __init__(self, job: Job, make_runner: MakeRunner, clock: _Clock, demos: bool) -> None:
        self.job = job
        self.make_runner = make_runner
        self.clock = clock
        self.steps = [n for n, part in enumerate(job.grafted.parts) if self._runs(part, demos)]
        self.fatal: set[int] = set()
        self.ran = Ran()

    def _runs(self, part: Part, demos: bool) -> bool:
        if part.role == "check":
            return part.name in self.job.cases
        if part.cell.cell_type != "code" or not part.cell.source.strip():
            return False
        if part.role == "exercise":
            return part.name not in self.job.grafted.missing
        if _is_demo(part):
            return demos
        return part.role in ("first", "added", "edited")

    def go(self) -> Ran:
        """Run all steps; where the process ends, go on in a fresh one without the fatal cell."""
        for _ in range(MAX_RUNNERS):
            runner = self.make_runner(self.job.limits, self.job.files)
            with self.clock.stopped():
                runner.start()
            try:
                done = self._pass(runner)
            finally:
                runner.stop()
                self.ran.cpu_seconds += runner.cpu_seconds
            if done or self.clock.left <= 0:
                break
        for name, cases in self.job.cases.items():
            missing = [self._never()] * len(cases)
            self.ran.outcomes.setdefault(name, missing)
        return self.ran

    def _pass(self, runner: Runner) -> bool:
        """Run the steps in one process; says whether it came to the end."""
        for position in self.steps:
            part = self.job.grafted.parts[position]
            if part.role == "check":
                if part.name not in self.ran.outcomes:
                    self.ran.outcomes[part.name] = self._calls(runner, part.name)
            elif position not in self.fatal:
                self._cell(runner, position)
            if not runner.alive:
                return False
        return True

    def _cell(self, runner: Runner, position: int) -> None:
        seconds = min(self.job.limits.cell_seconds, self.clock.left)
        if seconds <= 0:
            self.ran.cells.setdefault(position, self._never())
            return
        source = self.job.grafted.parts[position].cell.source
        self.ran.cells[position] = runner.run_cell(source, seconds)
        if not runner.alive:
            self.fatal.add(position)

    def _calls(self, runner: Runner, name: str) -> list[Outcome]:
        """Call an exercise on its cases; after a call that did not come back, no more are made."""
        outcomes: list[Outcome] = []
        for case in self.job.cases[name]:
            seconds = min(self.job.limits.call_seconds, self.clock.left)
            over = outcomes and outcomes[-1].get("stopped") in ("time", "died", "output")
            if over or seconds <= 0:
                outcomes.append(outcomes[-1] if over else self._never())
            else:
                outcomes.append(runner.call(name, case, seconds))
        return outcomes

    def _never(self) -> Outcome:
        """For what was not run because the submission's time was over."""
        if self.clock.left > 0:
            return stopped("died", how="")
        return stopped("total_time", seconds=f"{self.job.limits.total_seconds:g}")
