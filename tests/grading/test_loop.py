"""The whole loop of a class, by nbgrader's own commands on real files."""

import csv
import os
import subprocess
import sys
import tempfile

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp

from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, SQUARED, TOTAL
from tests.grading.test_execute import run_plainly

PARTLY = {"twice": "two", "even": ["ten"]}
EXPECTED = {"ada": 8.0, "bob": 3.0, "eve": 0.0}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs an nbgrader command line in a folder; `alone` gives it a process of its own."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))

    def nbgrader(folder, *arguments, alone=False):
        monkeypatch.chdir(folder)
        if alone:
            command = [sys.executable, "-m", "nbgrader", *arguments]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stdout + result.stderr
            return result.stdout + result.stderr
        return forked(arguments)

    return nbgrader


def forked(arguments):
    """The same in a fork of this process, without the seconds that starting nbgrader takes."""
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            code = 70
            try:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                sys.stdout = sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
                NbGraderApp.launch_instance(list(arguments))
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        text = said.read()
    assert status == 0, text
    return text


def begin(function, *arguments):
    """Begin in a fork; what is returned waits for its end and gives its exit code."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = function(*arguments) or 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def in_a_fork(function, *arguments):
    """Run in a fork, so that nothing of nbgrader's settings stays in this process."""
    assert begin(function, *arguments)() == 0


def scores(folder):
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def tree(folder):
    """Every file below a folder with its content."""
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_class_from_assignment_to_feedback_and_again(
    repository, tmp_path, run, gradebook_url, monkeypatch
):
    run_plainly(monkeypatch)  # except the run that is `alone`
    exchange, folder = tmp_path / "exchange", tmp_path / "class"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    mini.make_class(folder, exchange=str(exchange), gradebook=gradebook_url)
    run(folder, "generate_assignment", LESSON)
    assert (folder / "gradebook.db").exists() == (not gradebook_url)
    run(folder, "release_assignment", LESSON)

    desk = tmp_path / "desk"
    desk.mkdir()
    common = ["--course", "mini", f"--Exchange.root={exchange}"]
    run(desk, "fetch_assignment", LESSON, *common)
    released = mini.nbformat.read(desk / LESSON / f"{LESSON}.ipynb", as_version=4)
    assert "YOUR CODE HERE" not in str(released)
    assert not (desk / LESSON / ".course" / f"{LESSON}.answers.json").exists()

    def submit(student, cells, answers):
        mini.hand_in(desk / LESSON, mini.work(cells), answers)
        run(desk, "submit", LESSON, *common, f"--student={student}")

    submit("ada", {"double": DOUBLE, "total": TOTAL}, RIGHT)
    submit("bob", {"double": SQUARED, "total": TOTAL}, PARTLY)
    submit("eve", {}, {})
    inbound = next((exchange / "mini" / "inbound").glob("eve+*"))
    inbound.chmod(0o755)
    (inbound / "look.txt").symlink_to(folder / "gradebook.db")
    (inbound / "timestamp.txt").chmod(0o644)
    (inbound / "timestamp.txt").write_text("not a time", encoding="utf-8")
    os.mkfifo(inbound / "pipe")
    run(folder, "collect", LESSON)
    assert (folder / "submitted" / "eve" / LESSON / "look.txt").is_symlink()
    assert not (folder / "submitted" / "eve" / LESSON / "pipe").exists()
    run(folder, "autograde", LESSON, alone=not gradebook_url)
    run(folder, "generate_feedback", LESSON)
    run(folder, "release_feedback", LESSON)
    run(folder, "export")
    assert scores(folder) == EXPECTED
    page = (folder / "feedback" / "bob" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "squared instead" in page
    assert len(list((exchange / "mini" / "feedback").glob("*.html"))) == 3
    times = [p.read_text() for p in (folder / "autograded").rglob("timestamp.txt")]
    assert len(times) == 3
    assert all(time.startswith("20") for time in times)

    before = tree(folder / "autograded") | tree(folder / "feedback")
    log = run(folder, "autograde", LESSON)
    assert "Graded 0 submissions; 3 had nothing new" in log
    assert tree(folder / "autograded") | tree(folder / "feedback") == before

    submit("bob", {"double": DOUBLE, "total": TOTAL}, RIGHT)
    run(folder, "collect", LESSON, "--update")
    log = run(folder, "autograde", LESSON)
    assert "Graded 1 submissions; 2 had nothing new" in log
    run(folder, "export")
    assert scores(folder) == EXPECTED | {"bob": 8.0}


def test_a_class_in_chinese(repository, tmp_path, run, warmed):
    folder = tmp_path / "班级"
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)
    mini.make_class(folder, "zh", exchange=str(tmp_path / "exchange"))
    run(folder, "generate_assignment", LESSON)
    place = folder / "submitted" / "李雷" / LESSON
    mini.hand_in(place, mini.work({"double": SQUARED}, "zh"), RIGHT)
    run(folder, "autograde", LESSON)
    run(folder, "generate_feedback", LESSON)
    run(folder, "release_feedback", LESSON)
    run(folder, "export")
    assert scores(folder) == {"李雷": 3.0}
    page = (folder / "feedback" / "李雷" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "你求了平方" in page
