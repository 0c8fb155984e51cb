"""How fast a class is graded, beside plain `nbgrader autograde`, in one run on equal submissions.

    python benchmarks/grading.py                    # a few minutes; --plain 1 for a quick look

Four ways over the same lesson: plain nbgrader as it stands, plain nbgrader with every cell that
only demonstrates skipped, `nbgrader autograde` in a class of this course, and `course grade` (with
feedback pages) at two sizes, from which the cost of one more submission follows. Half of the
submissions are right, half leave one exercise open. A benchmark in which a submission fails or two
ways disagree on a score is void, and says so with exit code 1.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from course_utils.authoring.notebook import CODE_STUB, assemble
from course_utils.grading.new_class import Wanted, make
from course_utils.kit import Kit, answers_path, find_kit

PLAIN_CONFIG = f"""
c = get_config()
c.CourseDirectory.course_id = "plain"
c.ClearSolutions.code_stub = {{"python": {CODE_STUB!r}}}
c.ExecutePreprocessor.timeout = 900
"""
PROGRAM = """
from course_utils.cli import main
code = main()
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
open("size", "w").write(status["VmHWM"].split()[0])
raise SystemExit(code)
"""


@dataclass(frozen=True)
class Timing:
    """What one way of grading took.

    Attributes:
        name: which way.
        count: submissions.
        seconds: wall time, with the start of all processes.
        cpu: processor seconds of all processes.
        megabytes: of our grader itself; of the largest process for the others.
        scores: by student; empty for what was not graded.
    """

    name: str
    count: int
    seconds: float
    cpu: float
    megabytes: float
    scores: dict[str, float]

    def line(self) -> str:
        """The timing in columns."""
        return (
            f"{self.name:<34}{self.count:>5}{self.seconds:>9.1f}{self.cpu / self.count:>9.3f}"
            f"{60 * self.count / self.seconds:>9.1f}{self.megabytes:>8.0f}"
        )


def run(command: Sequence[str], folder: Path) -> tuple[float, float, float]:
    """Run a command; its wall and processor seconds and largest process in MB.

    Raises:
        SystemExit: it failed.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{said.read()[-3000:]}")
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def nbgrader(*arguments: str) -> list[str]:
    """An nbgrader command line."""
    return [sys.executable, "-m", "nbgrader", *arguments]


def right_answers(kit: Kit) -> dict[str, object]:
    """The key as answers."""
    answers: dict[str, object] = {}
    for name, question in kit["questions"].items():
        if question["kind"] == "numeric":
            answers[name] = question["answer"]
            continue
        picks = [choice["id"] for choice in question["choices"] if choice["right"]]
        answers[name] = picks[0] if question["kind"] == "single" else picks
    return answers


def hand_in(folder: Path, lesson: str, count: int, skip: bool = False) -> None:
    """Put `count` submissions into a class; with `skip`, demonstration cells are tagged."""
    release = folder / "release" / lesson
    solutions = {cell.id: cell.source for cell in assemble(lesson, "en", solutions=True).cells}
    kit = find_kit(lesson, release)
    assert kit is not None
    exercises = list(kit["exercises"])
    entries = {
        name: {"answer": answer, "time": "2026-11-29T20:00:00Z", "attempts": []}
        for name, answer in right_answers(kit).items()
    }
    answers = {"version": 1, "lesson": lesson, "answers": entries, "checks": {}}
    for number in range(count):
        place = folder / "submitted" / f"student{number:04d}" / lesson
        shutil.copytree(release, place)
        notebook = nbformat.read(release / f"{lesson}.ipynb", as_version=4)
        solved = exercises if number % 2 == 0 else exercises[:-1]
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for cell in notebook.cells:
            if cell.id in solved:
                cell.source = solutions[cell.id]
        for cell in code[1:] if skip else []:
            if "nbgrader" not in cell.metadata:
                cell.metadata["tags"] = ["skip-execution"]
        nbformat.write(notebook, place / f"{lesson}.ipynb")
        answers_path(lesson, place).write_text(json.dumps(answers), encoding="utf-8")


def scores(folder: Path) -> dict[str, float]:
    """The exported grades."""
    run(nbgrader("export"), folder)
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def new_class(folder: Path, lesson: str, plain: bool) -> None:
    """A class with the lesson generated; a plain one has stock settings."""
    make(folder, Wanted("en", [lesson]), lambda line: None)
    if plain:
        for name in ("class.json", "judge"):
            path = folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (folder / "nbgrader_config.py").write_text(PLAIN_CONFIG, encoding="utf-8")
    run(nbgrader("generate_assignment", lesson), folder)


def time_plain(place: Path, lesson: str, count: int, skip: bool) -> Timing:
    """Plain nbgrader, with or without the cells that only demonstrate."""
    folder = place / f"plain-{skip}"
    new_class(folder, lesson, plain=True)
    hand_in(folder, lesson, count, skip)
    taken = run(nbgrader("autograde", lesson), folder)
    name = "plain nbgrader, demos skipped" if skip else "plain nbgrader"
    return Timing(name, count, *taken, scores(folder))


def time_ours(place: Path, lesson: str, count: int, command: str) -> Timing:
    """This course's grading, by nbgrader's command or by `course grade`."""
    folder = place / f"{command}-{count}"
    new_class(folder, lesson, plain=False)
    hand_in(folder, lesson, count)
    if command == "nbgrader":
        seconds, cpu, size = run(nbgrader("autograde", lesson), folder)
        cpu = float("nan")  # runners are nobody's children; only our log counts them
        return Timing("nbgrader autograde, this course", count, seconds, cpu, size, scores(folder))
    arguments = ["grade", ".", "--log", "log.jsonl"]
    seconds, cpu, _ = run([sys.executable, "-c", PROGRAM, *arguments], folder)
    size = int((folder / "size").read_text()) / 1000
    events = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    cpu += sum(event["cpu_seconds"] for event in events)
    pages = len(list((folder / "feedback").rglob("*.html")))
    graded = scores(folder) if pages == count else {}
    return Timing("course grade, with pages", count, seconds, cpu, size, graded)


def faults(timings: Sequence[Timing]) -> list[str]:
    """What makes the benchmark void: submissions that failed, scores that disagree."""
    found = []
    expected = max(timings, key=lambda timing: timing.count).scores
    for timing in timings:
        if len(timing.scores) != timing.count:
            found.append(f"{timing.name}: {timing.count - len(timing.scores)} failed")
        wrong = [s for s, score in timing.scores.items() if score != expected.get(s)]
        found += [f"{timing.name}: {len(wrong)} scores disagree"] if wrong else []
    if len(set(expected.values())) != 2 or 0.0 in expected.values():
        found.append(f"the scores are not what was handed in: {sorted(set(expected.values()))}")
    return found


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lesson", default="01_language_models")
    parser.add_argument("--plain", type=int, default=4, help="submissions for plain nbgrader")
    parser.add_argument("--ours", type=int, nargs=2, default=[12, 120], help="two sizes for ours")
    return parser.parse_args()


def main() -> int:
    """Time all ways and print a table and the ratios."""
    options = parse()
    small, large = options.ours
    with tempfile.TemporaryDirectory() as name:
        place, lesson = Path(name), options.lesson
        print(f"{'':<34}{'n':>5}{'s':>9}{'CPU s/n':>9}{'n/min':>9}{'MB':>8}")
        timings = []
        for timing in (
            lambda: time_plain(place, lesson, options.plain, skip=False),
            lambda: time_plain(place, lesson, options.plain, skip=True),
            lambda: time_ours(place, lesson, small, "course"),
            lambda: time_ours(place, lesson, large, "course"),
            lambda: time_ours(place, lesson, small, "nbgrader"),
        ):
            timings.append(timing())
            print(timings[-1].line(), flush=True)
    plain, skipped, few, many, _ = timings
    more = large - small
    seconds, cpu = (many.seconds - few.seconds) / more, (many.cpu - few.cpu) / more
    print(f"one more submission: {seconds:.3f} s, {cpu:.3f} CPU s; {60 / seconds:.0f} a minute")
    for other in (plain, skipped):
        ratio = (other.seconds / other.count) / (many.seconds / many.count)
        print(f"{ratio:.0f} times the submissions a minute of {other.name}, starts included")
    found = faults(timings)
    print("\n".join(["VOID:", *found]) if found else "no submission failed; all scores agree")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
