"""A gradebook on a server: what is away or locked is waited for, or said in a sentence."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy
from nbgrader import api
from nbgrader.apps import NbGrader
from nbgrader.apps.api import NbGraderAPI

from course_utils.errors import UserError
from course_utils.grading import database
from course_utils.grading.classroom import read_assignment
from course_utils.grading.database import checked_url, open_gradebook
from course_utils.grading.driver import Places, Plan, grade_class
from course_utils.grading.execute import runs_in
from course_utils.grading.grade import grade_submission, read_for
from course_utils.grading.new_class import Wanted, make
from course_utils.grading.record import Recorder
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, TOTAL
from tests.grading.test_execute import Plain, Pretended
from tests.grading.test_loop import forked, in_a_fork

pytestmark = pytest.mark.xdist_group("postgres")  # one server, one class

LONG = "李雷" * 40
LONGER = "x" * 200  # nbgrader allows 128 characters, a folder's name may be longer
STUDENTS = ["ada", "bob", "eve", LONG, LONGER]


@pytest.fixture(scope="module")
def served(tmp_path_factory, server):
    """A class on the server, generated, with work handed in; and the database's address."""
    place = tmp_path_factory.mktemp("served")
    patch = pytest.MonkeyPatch()
    mini.write_repository(place / "repository")
    mini.use_repository(place / "repository", patch)
    url = server.new_database()
    mini.make_class(place / "class", gradebook=url)
    patch.chdir(place / "class")
    forked(["generate_assignment", LESSON])
    for student in STUDENTS:
        notebook = mini.work({"double": DOUBLE, "total": TOTAL})
        mini.hand_in(place / "class" / "submitted" / student / LESSON, notebook, RIGHT)
    patch.undo()
    return place / "class", url


@pytest.fixture
def grade(served):
    """Grades all once more; `notice` is called after each."""

    def run(notice=lambda event: None, course_id="mini"):
        folder, url = served
        places = Places(*(at(folder / step) for step in ("submitted", "autograded")))
        plan = Plan(force=True, workers=1, notice=notice)
        assignment = read_assignment(folder, LESSON)
        with open_gradebook(url, course_id) as gradebook:
            recorder = Recorder(gradebook, LESSON)
            return grade_class(assignment, STUDENTS, places, recorder, Plain(), plan)

    def at(place):
        return lambda student: place / student / LESSON

    return run


def all_scores(url):
    with api.Gradebook(url, "mini") as gradebook:
        return {work.student_id: work.score for work in gradebook.assignment_submissions(LESSON)}


def once(function):
    """A notice that does something after the first submission."""
    left = [function]
    return lambda event: left.pop()() if left else None


def test_names_of_any_length(served, grade):
    assert grade().count("graded") == len(STUDENTS)
    assert all_scores(served[1]) == dict.fromkeys(STUDENTS, 8.0)


def test_a_connection_lost_within_a_transaction_is_made_again(served, grade, monkeypatch, caplog):
    other = sqlalchemy.create_engine(served[1])
    victims = ["bob"]
    penalise = Recorder._penalise

    def cut(self, submission, notebook, graded):
        if graded.student in victims:
            victims.remove(graded.student)
            pid = self.gradebook.db.execute(sqlalchemy.text("SELECT pg_backend_pid()")).scalar()
            with other.connect() as connection:
                connection.execute(sqlalchemy.text(f"SELECT pg_terminate_backend({pid})"))
        penalise(self, submission, notebook, graded)

    monkeypatch.setattr(Recorder, "_penalise", cut)
    monkeypatch.setattr(database, "PAUSE_SECONDS", 0.1)
    assert grade().count("graded") == len(STUDENTS)
    other.dispose()
    assert not victims
    assert "does not answer; trying again" in caplog.text
    assert all_scores(served[1]) == dict.fromkeys(STUDENTS, 8.0)


def test_a_server_that_is_down_for_long_ends_the_run_and_the_next_completes(
    served, grade, server, monkeypatch, caplog
):
    monkeypatch.setattr(database, "PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(database, "LOST_SECONDS", 0.5)
    with pytest.raises(UserError, match=r"does not answer any more .* the same command goes on"):
        grade(once(lambda: server.control("stop", "-m", "immediate")))
    with pytest.raises(UserError, match="cannot be used"):
        grade()
    monkeypatch.setattr(database, "LOST_SECONDS", 60)
    server.control("start")
    soon = threading.Timer(1, server.control, ["start"])

    def stop():
        server.control("stop", "-m", "immediate")
        soon.start()

    assert grade(once(stop)).count("graded") == len(STUDENTS)
    soon.join()
    assert all_scores(served[1]) == dict.fromkeys(STUDENTS, 8.0)


def test_a_locked_row_is_waited_for(served, grade, monkeypatch, caplog):
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.2)
    other = sqlalchemy.create_engine(served[1])
    connection = other.connect()
    connection.execute(sqlalchemy.text("SELECT * FROM grade FOR UPDATE"))
    connection.execute(sqlalchemy.text("LOCK TABLE submitted_assignment"))
    free = threading.Timer(1, connection.close)
    free.start()
    assert grade().count("graded") == len(STUDENTS)
    free.join()
    other.dispose()
    assert "locked by another program; waiting" in caplog.text


def ask_as_formgrader_does():
    """The queries behind formgrader's pages, one after another."""
    app = NbGrader()
    app.initialize([])
    asked = NbGraderAPI(app.coursedir, parent=app)
    (assignment,) = asked.get_assignments()
    assert (assignment["average_score"], assignment["num_submissions"]) == (8.0, len(STUDENTS))
    assert {row["id"]: row["score"] for row in asked.get_students()} == {
        **dict.fromkeys(STUDENTS, 8.0),
        "zoe": 0.0,
    }
    assert len(asked.get_submissions(LESSON)) == len(STUDENTS)
    assert asked.get_notebooks(LESSON)[0]["average_score"] == 8.0
    assert len(asked.get_notebook_submissions(LESSON, LESSON)) == len(STUDENTS)
    assert asked.get_student_notebook_submissions("ada", LESSON)[0]["score"] == 8.0


def test_nbgraders_own_commands_and_formgraders_queries(served, grade, monkeypatch):
    monkeypatch.chdir(served[0])
    grade()
    forked(["db", "student", "add", "zoe", "--first-name=Zoe"])
    forked(["db", "assignment", "add", LESSON, "--duedate=2026-11-01 12:00 UTC"])
    assert "zoe (None, Zoe)" in forked(["db", "student", "list"])
    in_a_fork(ask_as_formgrader_does)
    forked(["db", "student", "remove", "zoe"])
    told = forked(["db", "upgrade"])
    assert "PostgresqlImpl" in told
    assert "Running upgrade" not in told  # it was made in the newest form


def test_two_people_who_record_the_same_new_learners_at_once(served):
    folder, url = served
    assignment = read_assignment(folder, LESSON)
    work = read_for(assignment, folder / "submitted" / "ada" / LESSON)
    news = [f"new{number}" for number in range(12)]
    together = threading.Barrier(2, timeout=30)

    def record(_):
        with open_gradebook(url, "mini") as gradebook:
            recorder = Recorder(gradebook, LESSON)
            for student in news:
                graded = grade_submission(assignment, work, student, runs_in(Pretended))
                together.wait()
                recorder.record(graded)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(record, range(2)))
    scores = all_scores(url)
    assert [scores.pop(student) for student in news] == [8.0] * len(news)
    with api.Gradebook(url, "mini") as gradebook:
        assert len(gradebook.assignment_submissions(LESSON)) == len(scores) + len(news)
        for student in news:
            gradebook.remove_student(student)


def test_a_database_of_another_class_is_refused(grade):
    with pytest.raises(UserError, match=r"holds the class mini\. Give each class a database"):
        grade(course_id="other")


@pytest.mark.parametrize("command", [["generate_assignment", LESSON], ["export"],
                                     ["autograde", LESSON], ["db", "student", "list"]])  # fmt: skip
def test_nbgraders_commands_say_that_a_server_is_away(served, tmp_path, monkeypatch, command):
    nowhere = f"postgresql+psycopg://course@/none?host={tmp_path}"
    monkeypatch.chdir(served[0])
    with pytest.raises(AssertionError) as said:
        forked([*command, f"--CourseDirectory.db_url={nowhere}"])
    assert "cannot be used: " in str(said.value)
    assert "No such file" in str(said.value)
    assert "Traceback" not in str(said.value)


@pytest.mark.parametrize(("url", "problem"), [
    ("gradebook", "no database's address"),
    ("postgresql+psycopg://me:secret@host/nlp", "pgpass"),
    ("postgresql+psycopg://me@host", "names no database"),
    ("oracle+nothing://me@host/nlp", "no driver"),
    ("postgresql+pg8000://me@host/nlp", r"no driver .* pip install 'psycopg\[binary\]'"),
])  # fmt: skip
def test_addresses_that_cannot_be_used(url, problem):
    with pytest.raises(UserError, match=problem) as said:
        checked_url(url)
    assert "secret" not in str(said.value)


def test_a_class_is_made_with_its_gradebook_elsewhere(repository, tmp_path):
    url = "postgresql+psycopg://course@localhost/nlp"
    make(tmp_path / "class", Wanted("en", gradebook=url), print)
    config = (tmp_path / "class" / "nbgrader_config.py").read_text("utf-8")
    assert config.endswith(f'c.CourseDirectory.db_url = "{url}"\n')
    with pytest.raises(UserError, match=r"nbgrader_config\.py"):
        make(tmp_path / "class", Wanted("en", gradebook=url), print)
