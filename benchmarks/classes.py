"""A large class of submissions of every kind, graded as in a term: early ones, the rest, again.

    python benchmarks/classes.py --students 100            # a quick look
    python benchmarks/classes.py                           # 2,000: a quarter of an hour
    python benchmarks/classes.py --gradebook postgresql+psycopg://me@host/empty_database
    python benchmarks/classes.py --scheduler tcp://host:8786

The class is made from a real lesson, from its notebook with outputs as learners hand it in. Each
exercise is solved (the reference, or another right way), wrong in a known way, blank, broken, or
once in a while endless; some work is late, some files are damaged, some learners hand in again.
Then `course grade` runs four times: on a tenth, on all others, on what was handed in again, and
with nothing new. The table says what each took. Every exercise's score is compared with what was
put in; a submission that fails or a score that is not as it must be makes the benchmark void, with
exit code 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import sqlalchemy
from grading import PROGRAM, nbgrader, run

from course_utils.authoring.build import NOTEBOOKS, QUIZZES
from course_utils.authoring.kits import load_exercises
from course_utils.authoring.notebook import assemble
from course_utils.grading.database import open_gradebook
from course_utils.grading.new_class import Wanted, make
from course_utils.kit import Kit, answers_path, find_kit

ROOT = Path(__file__).parents[1]
DUE = "2026-11-29 20:00:00 UTC"
SHARES = {"right": 0.66, "wrong": 0.18, "blank": 0.08, "crash": 0.078, "endless": 0.002}
DAMAGED, LATE, AGAIN = 0.01, 0.1, 0.15
BROKEN = (
    "def {name}(*given):\n    return undefined_name",
    "def {name}(*given):\n    raise ValueError('I do not know how')",
    "def {name}(\n    return 0",
    "import os\nos._exit(3)",
    "def {name}(*given):\n    return [0] * 10 ** 12",
    "print('line ' * 10 ** 7)\ndef {name}(*given):\n    return print",
    "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)",
)
ENDLESS = (
    "def {name}(*given):\n    while True:\n        pass",
    "while True:\n    pass",
)
COLUMNS = f"{'':<30}{'n':>6}{'s':>8}{'CPU s/n':>9}{'n/min':>8}{'MB':>6}{'failed':>8}"


@dataclass
class Supply:
    """What learners write: texts by exercise and kind, and answers to questions."""

    lesson: str
    kit: Kit
    chance: random.Random
    texts: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def fill(self) -> None:
        """Collect the texts."""
        solutions = {c.id: c.source for c in assemble(self.lesson, "en", solutions=True).cells}
        variants = module(ROOT / "tests" / "variants" / f"{self.lesson}.py")
        quizzes = module(QUIZZES / f"{self.lesson}.py")
        for exercise in load_exercises(self.lesson):
            name = exercise.id
            ways = variants.VARIANTS[name]
            slips = [mistake.function for mistake in exercise.mistakes]
            self.texts[name] = {
                "right": [solutions[name], *(text_of(way, variants, name) for way in ways)],
                "wrong": [text_of(slip, quizzes, name) for slip in slips],
                "crash": [text.format(name=name) for text in BROKEN],
                "endless": [text.format(name=name) for text in ENDLESS],
            }
            for kind in ("right", "wrong"):
                self.texts[name][kind] = [text for text in self.texts[name][kind] if text]

    def work(self) -> tuple[dict[str, str], dict[str, str]]:
        """One learner's kinds and texts by exercise."""
        kinds, cells = {}, {}
        for name, texts in self.texts.items():
            kinds[name] = self.chance.choices(list(SHARES), list(SHARES.values()))[0]
            if kinds[name] != "blank":
                cells[name] = self.chance.choice(texts[kinds[name]])
        return kinds, cells

    def answers(self) -> dict[str, object]:
        """One learner's answers: most are given, most of those right."""
        given: dict[str, object] = {}
        for name, question in self.kit["questions"].items():
            if self.chance.random() < 0.1:
                continue
            if question["kind"] == "numeric":
                given[name] = question["answer"] * self.chance.choice((1, 1, 1, 2))
                continue
            right = [choice["id"] for choice in question["choices"] if choice["right"]]
            every = [choice["id"] for choice in question["choices"]]
            picks = right if self.chance.random() < 0.7 else self.chance.sample(every, len(right))
            given[name] = picks[0] if question["kind"] == "single" else picks
        return given


def module(path: Path) -> ModuleType:
    """A file of the authors' side as a module."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def text_of(function: Callable[..., Any], home: ModuleType, name: str) -> str:
    """A function's own text under an exercise's name; empty where it needs others of its file."""
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        return ""
    lines = inspect.getsource(home).splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    own = {key for key, value in vars(home).items() if getattr(value, "__module__", "") ==
           function.__module__}  # fmt: skip
    if own & set(function.__code__.co_names) or function.__closure__:
        return ""
    used = [line for line in imports if "course_utils.exercises" not in line]
    source = inspect.getsource(function)
    return "\n".join([*used, "", source, f"{name} = {function.__name__}"])


@dataclass
class School:
    """The class under way: its folder, and what every learner handed in last.

    Attributes:
        kinds: by student and exercise; None for one whose notebook is damaged.
    """

    folder: Path
    lesson: str
    supply: Supply
    kinds: dict[str, dict[str, str] | None] = field(default_factory=dict)

    def hand_in(self, student: str, minute: int) -> None:
        """Put one submission into the class, in place of an earlier one."""
        place = self.folder / "submitted" / student / self.lesson
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        kinds, cells = self.supply.work()
        notebook = json.loads((NOTEBOOKS / "en" / f"{self.lesson}.ipynb").read_text("utf-8"))
        for cell in notebook["cells"]:
            if cell["id"] in cells:
                cell["source"] = cells[cell["id"]]
        text = json.dumps(notebook, ensure_ascii=False)
        damaged = self.supply.chance.random() < DAMAGED
        if damaged:
            text = self.supply.chance.choice(("", text[: len(text) // 2], "[]"))
        self.kinds[student] = None if damaged else kinds
        (place / f"{self.lesson}.ipynb").write_text(text, encoding="utf-8")
        self._write_answers(place)
        day, hour = (30, 4) if self.supply.chance.random() < LATE else (29, 12)
        moment = f"2026-11-{day} {hour:02}:{minute % 60:02}:00.000000 UTC"
        (place / "timestamp.txt").write_text(moment, encoding="utf-8")

    def _write_answers(self, place: Path) -> None:
        time = "2026-11-29T11:00:00Z"
        entries = {
            name: {"answer": answer, "time": time, "attempts": [{"answer": answer, "time": time}]}
            for name, answer in self.supply.answers().items()
        }
        content = {"version": 1, "lesson": self.lesson, "answers": entries, "checks": {}}
        path = answers_path(self.lesson, place)
        path.parent.mkdir()
        path.write_text(json.dumps(content), encoding="utf-8")

    def faults(self, db_url: str) -> list[str]:
        """Scores that are not what the work deserves."""
        found = []
        points = {exercise.id: exercise.points for exercise in load_exercises(self.lesson)}
        with open_gradebook(db_url, "large") as gradebook:
            for row in gradebook.db.execute(sqlalchemy.text(SCORES)):
                name = row.cell.removeprefix("check-")
                if name not in points:
                    continue
                kinds = self.kinds[row.student]
                kind = "damaged" if kinds is None else kinds[name]
                if not deserved(kind, row.score, points[name]):
                    found.append(f"{row.student}: {name} ({kind}) has {row.score}")
        return found


SCORES = """
SELECT w.student_id AS student, c.name AS cell, g.auto_score AS score
FROM grade AS g JOIN submitted_notebook AS n ON g.notebook_id = n.id
JOIN submitted_assignment AS w ON w.id = n.assignment_id JOIN base_cell AS c ON c.id = g.cell_id
"""


def deserved(kind: str, score: float | None, points: float) -> bool:
    """Whether a score is as it must be for this kind of work."""
    if score is None:
        return False
    if kind == "right":
        return abs(score - points) < 1e-9
    return 0 <= score < points if kind == "wrong" else score == 0


@dataclass(frozen=True)
class Stage:
    """One run of `course grade`."""

    name: str
    count: int
    seconds: float
    cpu: float
    megabytes: float
    failed: int

    def line(self) -> str:
        """The run in columns."""
        each = self.cpu / self.count if self.count else float("nan")
        rate = 60 * self.count / self.seconds
        return (
            f"{self.name:<30}{self.count:>6}{self.seconds:>8.0f}{each:>9.3f}{rate:>8.0f}"
            f"{self.megabytes:>6.0f}{self.failed:>8}"
        )


def grade(folder: Path, name: str, *options: str) -> Stage:
    """Run `course grade` in a process of its own."""
    log = folder / "log.jsonl"
    log.unlink(missing_ok=True)
    command = [sys.executable, "-c", PROGRAM, "grade", ".", "--log", log.name, *options]
    seconds, cpu, _ = run(command, folder)
    megabytes = int((folder / "size").read_text()) / 1000
    events = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    done = Counter(event["status"] for event in events)
    cpu += sum(event["cpu_seconds"] for event in events)
    return Stage(name, done["graded"], seconds, cpu, megabytes, done["failed"])


def size_of(folder: Path) -> float:
    """Megabytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def database_size(db_url: str) -> float:
    """Megabytes of the gradebook."""
    url = sqlalchemy.make_url(db_url)
    if url.get_backend_name() == "sqlite":
        return os.path.getsize(str(url.database)) / 1e6
    with sqlalchemy.create_engine(db_url).connect() as connection:
        asked = sqlalchemy.text("SELECT pg_database_size(current_database())")
        return float(connection.execute(asked).scalar_one()) / 1e6


def opened(place: Path, options: argparse.Namespace) -> tuple[School, str]:
    """A class with the lesson generated and due; and its database's address."""
    folder = place / "class"
    wanted = Wanted("en", [options.lesson], course_id="large", gradebook=options.gradebook)
    make(folder, wanted, lambda line: None)
    run(nbgrader("generate_assignment", options.lesson), folder)
    run(nbgrader("db", "assignment", "add", options.lesson, f"--duedate={DUE}"), folder)
    kit = find_kit(options.lesson, folder / "release" / options.lesson)
    assert kit is not None
    supply = Supply(options.lesson, kit, random.Random(options.seed))
    supply.fill()
    db_url = options.gradebook or f"sqlite:///{folder / 'gradebook.db'}"
    return School(folder, options.lesson, supply), db_url


def go(school: School, students: Sequence[str], more: Sequence[str]) -> list[Stage]:
    """The four runs; prints each as it ends."""
    early, again = students[: len(students) // 10], students[:: round(1 / AGAIN)]
    for number, student in enumerate(students):
        school.hand_in(student, number)
    stages: list[Stage] = []

    def stage(name: str, *options: str) -> None:
        stages.append(grade(school.folder, name, *more, *options))
        print(stages[-1].line(), flush=True)

    print(COLUMNS)
    stage("a tenth of the class", "--only", *early)
    stage("all others")
    for number, student in enumerate(again):
        school.hand_in(student, number)
    stage("handed in again")
    stage("nothing new")
    return stages


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--lesson", default="01_language_models")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gradebook", help="an empty database's address; default: a file")
    parser.add_argument("--scheduler", help="a Dask scheduler's address; default: this machine")
    return parser.parse_args()


def main() -> int:
    """Grade the class and print the table."""
    options = parse()
    more = ["--scheduler", options.scheduler] if options.scheduler else []
    students = [f"student{number:05d}" for number in range(options.students)]
    with tempfile.TemporaryDirectory() as name:
        school, db_url = opened(Path(name), options)
        stages = go(school, students, more)
        found = school.faults(db_url)
        pages = list((school.folder / "feedback").rglob("*.html"))
        print(f"gradebook {database_size(db_url):.1f} MB", end="; ")
        for what in ("submitted", "autograded", "feedback"):
            print(f"{what} {size_of(school.folder / what):.0f} MB", end="; ")
        print(f"{len(pages)} pages")
    failed = sum(stage.failed for stage in stages)
    counts = [stage.count for stage in stages]
    again = len(students[:: round(1 / AGAIN)])
    if counts[0] + counts[1] != len(students) or counts[2:] != [again, 0]:
        found.append(f"graded {counts}, which is not what was handed in")
    if failed or found or len(pages) != len(students):
        print("\n".join([f"VOID: {failed} failed, {len(found)} faults", *found[:20]]))
        return 1
    print("no submission failed; every exercise's score is what its work deserves")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
