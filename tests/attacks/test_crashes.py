"""`kill -9` anywhere: nothing is lost, and the next run ends in the same gradebook."""

import os
import shutil
import signal
import threading
import time

import psutil
import pytest
from sqlalchemy.orm import Session

from course_utils.grading.classroom import read_assignment
from course_utils.grading.database import open_gradebook
from course_utils.grading.driver import Places, Plan, grade_class
from course_utils.grading.feedback import page_of
from course_utils.grading.record import Recorder, write_page
from tests.attacks.conftest import FULL
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, SQUARED, TOTAL
from tests.grading.test_execute import Plain
from tests.grading.test_loop import tree

MANY = 200


def grade_all(folder):
    """Grade two students and make their pages, as `course grade` does."""
    assignment = read_assignment(folder, LESSON)

    def at(step):
        return lambda student: folder / step / student / LESSON

    def after(graded, marks):
        page = page_of(graded.notebook, marks)
        write_page(graded, page, at("feedback")(graded.student), LESSON)

    with open_gradebook(f"sqlite:///{folder}/gradebook.db", "mini") as gradebook:
        places = Places(at("submitted"), at("autograded"))
        plan = Plan(workers=1, after=after)
        grade_class(assignment, ["ada", "bob"], places, Recorder(gradebook, LESSON), Plain(), plan)


def result(folder):
    """Everything that a run leaves: graded notebooks, pages, and the gradebook's scores."""
    rows = mini.grades(folder / "gradebook.db")
    return rows, tree(folder / "autograded"), tree(folder / "feedback")


def killed_at(step, folder):
    """Grade in a fork that is killed at its `step`-th write; says whether it got that far."""
    child = os.fork()
    if child == 0:
        count = 0

        def deadly(function):
            def call(*arguments, **options):
                nonlocal count
                count += 1
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*arguments, **options)

            return call

        for owner, name in [(os, "replace"), (os, "mkdir"), (os, "open"), (shutil, "rmtree"),
                            (Session, "flush"), (Session, "commit"), (os, "chmod")]:  # fmt: skip
            setattr(owner, name, deadly(getattr(owner, name)))
        grade_all(folder)
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL


@pytest.fixture
def classes(template, tmp_path):
    """Makes copies of a class with two submissions."""

    def copy(name):
        folder = tmp_path / name
        shutil.copytree(template[0], folder)
        shutil.rmtree(folder / "autograded")
        for student, double in (("ada", DOUBLE), ("bob", SQUARED)):
            notebook = mini.nbformat.from_dict(template[1])
            for cell in notebook.cells:
                cell.source = {"double": double, "total": TOTAL}.get(cell.id, cell.source)
            mini.hand_in(folder / "submitted" / student / LESSON, notebook, RIGHT)
        return folder

    return copy


def test_a_grader_killed_at_any_write_loses_nothing(classes):
    whole = classes("whole")
    grade_all(whole)
    expected = result(whole)
    assert len(expected[0]) == 8
    points = 0
    for step in range(1, MANY, 2):
        folder = classes(f"killed-{step}")
        if not killed_at(step, folder):
            break
        points += 1
        grade_all(folder)
        assert result(folder) == expected, f"killed at write {step}"
        shutil.rmtree(folder)
    assert points > 12


def family(arena):
    """The warm process, its keepers and their runners."""
    warm = psutil.Process(arena.runners.warm.process.pid)
    keepers = warm.children()
    return warm, keepers, [child for keeper in keepers for child in keeper.children()]


@pytest.mark.parametrize("who", ["warm", "keeper", "runner"])
def test_work_whose_process_was_killed_from_outside_is_run_again(arena, who):
    slow = "import time\ntime.sleep(1.0)\n" + DOUBLE
    arena.hand_in({"double": slow, "total": TOTAL}, RIGHT)
    grading = threading.Thread(target=arena.grade, args=("mallory",))
    grading.start()
    runners = []
    while not runners:
        time.sleep(0.02)
        warm, keepers, runners = family(arena)
    time.sleep(0.3)
    {"warm": [warm], "keeper": keepers, "runner": runners}[who][0].kill()
    grading.join()
    assert arena.scores() == FULL
    assert not family(arena)[2]


def test_code_that_brings_a_kill_upon_itself_again_and_again_gets_its_grade(arena, monkeypatch):
    from course_utils.grading import confined

    told = confined.ConfinedRunner._told
    monkeypatch.setattr(
        confined.ConfinedRunner, "_told", lambda self: told(self) | {"ended": -9, "memory": False}
    )
    arena.hand_in({"double": "import os\nos._exit(1)", "total": TOTAL}, RIGHT)
    arena.grade("mallory")
    assert arena.events["mallory"].status == "graded"
    assert arena.scores() == FULL | {"check-double": 0.0}


def test_runners_end_with_their_grader(template, tmp_path):
    """A grader that is killed leaves no process behind, however stubborn the learner's code."""
    from course_utils.grading.confined import Warm
    from course_utils.grading.limits import Limits

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        warm = Warm()
        runner = warm.runner(Limits(), {})
        runner.start()
        os.write(writer, str(warm.process.pid).encode())
        runner.run_cell(
            "import ctypes, time, signal\nctypes.CDLL(None).prctl(1, 0)\n"
            "for n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
            "    except (OSError, ValueError): pass\nwhile True: time.sleep(1)",
            60,
        )
    warm = psutil.Process(int(os.read(reader, 100)))
    time.sleep(1)
    everyone = [warm, *warm.children(recursive=True)]
    assert len(everyone) == 3
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _, alive = psutil.wait_procs(everyone, timeout=10)
    assert not alive
