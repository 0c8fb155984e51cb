"""An arena: a class with a neighbour's right work, into which each test sends one attack.

Every attack is graded by the same code as `nbgrader autograde`. Afterwards the neighbour, graded
before and again after, must stand as before, and the class's own files must be untouched.
"""

import json
import shutil
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

from course_utils.grading.classroom import read_assignment
from course_utils.grading.confined import Runners
from course_utils.grading.database import open_gradebook
from course_utils.grading.driver import Places, Plan, grade_class
from course_utils.grading.feedback import page_of
from course_utils.grading.limits import Limits
from course_utils.grading.record import Recorder
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, TOTAL
from tests.grading.test_loop import forked, tree

LIMITS = Limits(
    cell_seconds=2, call_seconds=2, total_seconds=8, memory_mb=1500, file_mb=20, processes=24
)
FULL = {"check-double": 3.0, "check-total": 2.0, "quiz-twice": 1.0, "quiz-even": 2.0}
NOTHING = dict.fromkeys(FULL, 0.0)
ONLY_TOTAL = NOTHING | {"check-total": 2.0}


def pytest_collection_modifyitems(items):
    """The suite needs the confinement that only Linux gives."""
    if sys.platform.startswith("linux"):
        return
    for item in items:
        if "attacks" in item.path.parts:
            item.add_marker(pytest.mark.skip(reason="only Linux confines"))


@pytest.fixture(scope="session")
def runners(warm):
    """One warm process for all attacks: so that what one leaves behind would hurt the next."""
    made = Runners()
    made.warm = warm
    return made


@pytest.fixture(scope="session")
def template(tmp_path_factory, runners):
    """A class with the small lesson, the neighbour graded, to be copied for each test."""
    place = tmp_path_factory.mktemp("arena")
    patch = pytest.MonkeyPatch()
    mini.write_repository(place / "repository")
    mini.use_repository(place / "repository", patch)
    mini.make_class(place / "class", limits=LIMITS.as_dict())
    patch.chdir(place / "class")
    forked(["generate_assignment", LESSON])
    notebook = mini.blank()
    right = mini.work({"double": DOUBLE, "total": TOTAL})
    patch.undo()
    made = Arena(place / "class", runners, notebook)
    made.hand_in(notebook=right, answers=RIGHT, student="ada")
    made.grade("ada")
    assert made.scores("ada") == FULL
    made.gradebook.close()
    return place / "class", notebook


@dataclass
class Arena:
    """A class under attack."""

    folder: Path
    runners: Runners
    blank: mini.nbformat.NotebookNode
    events: dict = field(default_factory=dict)
    pages: dict = field(default_factory=dict)
    untouched: dict = field(default_factory=dict)

    @cached_property
    def gradebook(self):
        """Opened at the first need."""
        return open_gradebook(f"sqlite:///{self.folder}/gradebook.db", "mini")

    def place(self, student="mallory"):
        return self.folder / "submitted" / student / LESSON

    def hand_in(self, cells=None, answers=None, student="mallory", notebook=None):
        """Put work into `submitted`: texts of exercise cells, or a whole notebook."""
        if notebook is None:
            notebook = mini.nbformat.from_dict(self.blank)
            for cell in notebook.cells:
                cell.source = (cells or {}).get(cell.id, cell.source)
        return mini.hand_in(self.place(student), notebook, answers)

    def grade(self, *students, **plan):
        """Grade and return the events by student."""
        assignment = read_assignment(self.folder, LESSON)

        def after(graded, marks):
            self.pages[graded.student] = page_of(graded.notebook, marks)

        places = Places(self.place, lambda s: self.folder / "autograded" / s / LESSON)
        plan = Plan(after=after, **plan)
        recorder = Recorder(self.gradebook, LESSON)
        summary = grade_class(assignment, students, places, recorder, self.runners, plan)
        self.events |= {event.student: event for event in summary.events}
        return self.events

    def grade_all(self, works):
        """Hand in and grade the texts of exercise cells of many attackers, in one run."""
        for student, cells in works.items():
            self.hand_in(cells, student=student)
        self.grade(*works)
        assert {student: self.events[student].status for student in works} == dict.fromkeys(
            works, "graded"
        )

    def limit(self, **limits):
        """Give the class other limits."""
        path = self.folder / "class.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        settings["limits"] |= limits
        path.write_text(json.dumps(settings), encoding="utf-8")
        self.untouched[Path(path.name)] = path.read_bytes()

    def scores(self, student="mallory"):
        """What the gradebook says; nothing waits for a person."""
        own = [row for row in mini.grades(self.folder / "gradebook.db") if row[0] == student]
        assert not any(needs_a_person for *_, needs_a_person in own)
        return {cell: score for _, cell, score, *_ in own}

    def printed(self, student="mallory"):
        """All that the cells of the graded notebook printed."""
        path = self.folder / "autograded" / student / LESSON / f"{LESSON}.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = [out for cell in cells for out in cell.get("outputs", [])]
        return "".join("".join(out.get("text", "")) for out in outputs)

    def own_files(self):
        """The class's files that no submission may change."""
        return {
            name: content
            for name, content in tree(self.folder).items()
            if name.parts[0] not in ("submitted", "autograded", "gradebook.db")
        }

    def neighbour(self):
        """How the neighbour stands: scores and graded notebook."""
        path = self.folder / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb"
        return self.scores("ada"), path.read_bytes()


@pytest.fixture
def arena(template, runners, tmp_path):
    """The arena; what must be untouched is compared when the test is over."""
    folder, notebook = template
    shutil.copytree(folder, tmp_path / "class")
    made = Arena(tmp_path / "class", runners, notebook)
    before, made.untouched = made.neighbour(), made.own_files()
    yield made
    made.grade("ada", force=True)
    made.gradebook.close()
    assert made.neighbour() == before
    assert made.own_files() == made.untouched


@pytest.fixture
def attack(arena):
    """Hands in and grades one attack; returns its scores."""

    def run(double="", total=TOTAL, answers=None, **cells):
        arena.hand_in({"double": double, "total": total} | cells, answers)
        arena.grade("mallory")
        event = arena.events["mallory"]
        assert event.status == "graded", event
        return arena.scores()

    return run


@pytest.fixture
def scores_of(arena):
    """Grades attacks in one run, each of a student of its own; returns their scores."""

    def run(codes):
        arena.grade_all({name: {"double": codes[name], "total": TOTAL} for name in codes})
        return {name: arena.scores(name) for name in codes}

    return run
