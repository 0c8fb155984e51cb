"""A class on a real JupyterHub, and what its learners cannot reach."""

from __future__ import annotations

import json

import pytest
from nbgrader.api import Gradebook

from tests.grading.lesson import LESSON

from .conftest import WORK, Department

pytestmark = pytest.mark.xdist_group("hub")
TRANSLATION = "@jupyterlab/translation-extension:plugin"
LOOK = """
import glob, json, os
def seen(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else open(path).read(9)
    except (PermissionError, FileNotFoundError) as problem:
        return type(problem).__name__
print(json.dumps([seen(path) for path in {paths!r}]))
"""


def by_learner(there: Department) -> dict[str, float]:
    database = f"sqlite:///{there.home / 'class' / 'gradebook.db'}"
    with Gradebook(database, there.course) as gradebook:
        found = {s.student_id: s.score for s in gradebook.assignment_submissions(LESSON)}
    return {name: found.get(there.account(name)) for name in WORK}


def test_grades_are_what_the_work_deserves(department):
    assert by_learner(department) == {"ada": 8.0, "bob": 3.0, "eve": 0.0}


def test_learners_read_their_feedback(department):
    for name, said in (("ada", "8"), ("bob", "squared instead")):
        person = department.people[name]
        told = person.assignments("fetch_feedback", LESSON, department.course)
        submitted = next(entry for entry in told if entry["status"] == "submitted")
        place = submitted["submissions"][0]["local_feedback_path"]
        page = person.mine("GET", f"api/contents/{place}/{LESSON}.html")["content"]
        assert said in page


def test_lessons_are_there_in_the_language_of_the_learners_browser(department):
    for name, lang in (("ada", "en"), ("bob", "zh")):
        person = department.people[name]
        start = person.mine("GET", "api/contents/lessons/00_start.ipynb")["content"]
        assert start["metadata"]["course"]["lang"] == lang
        settings = person.mine("GET", f"lab/api/settings/{TRANSLATION}")
        locale = settings["schema"]["properties"]["locale"]["default"]
        assert locale == ("zh_CN" if lang == "zh" else "default")


def test_who_is_not_on_a_list_does_not_get_in(department):
    assert not department.log_in("kim").is_in


@pytest.mark.parametrize("name", ["eve", "ada"])
def test_a_learner_cannot_open_formgrader(department, name):
    person = department.people[name]
    course, mine = department.course, f"user/{person.name}"
    for path in ("formgrader", "formgrader/api/status", "formgrader/api/students"):
        assert person.call("GET", f"services/{course}/{path}").status_code == 403
        assert person.call("GET", f"{mine}/{path}").status_code == 404


def test_a_learner_cannot_open_anothers_server(department):
    eve, ada = department.people["eve"], department.account("ada")
    for path in ("lab", "api/contents", "api/kernels", f"api/contents/{LESSON}/{LESSON}.ipynb"):
        assert eve.call("GET", f"user/{ada}/{path}").status_code in (403, 404)
    assert eve.call("GET", f"hub/api/users/{ada}").status_code in (403, 404)
    assert eve.call("DELETE", f"hub/api/users/{ada}/server").status_code in (403, 404)
    group = f"hub/api/groups/formgrade-{department.course}/users"
    assert eve.call("POST", group, {"users": [eve.name]}).status_code in (403, 404)


def test_a_learner_cannot_read_what_is_not_hers(department):
    folder, home = department.folder, department.home
    handed_in = (department.exchange / "inbound").glob(f"{department.account('ada')}+*")
    submission = next(path for path in handed_in if not path.name.endswith("+forged"))
    closed = [
        folder / "home" / department.account("ada"),
        folder / "home" / department.account("ada") / LESSON / f"{LESSON}.ipynb",
        home / "class" / "gradebook.db",
        home / "class" / "class.json",
        home / "class" / "judge" / f"{LESSON}.kit.json",
        home / "class" / "submitted" / department.account("ada"),
        department.exchange / "inbound",
        department.exchange / "feedback",
        folder / "state" / "cookie_secret",
        folder / "state" / "jupyterhub.sqlite",
    ]
    assert all(path.exists() for path in closed)
    with department.people["eve"].kernel(f"{LESSON}/{LESSON}.ipynb") as kernel:
        told = json.loads(kernel.run(LOOK.format(paths=[str(path) for path in closed])))
        assert told == ["PermissionError"] * len(closed)
        # A name that is guessed leads to work that may be read (nbgrader's way), never moved.
        move = f"import os; os.rename({str(submission)!r}, {str(submission) + 'x'!r})"
        with pytest.raises(RuntimeError, match="PermissionError"):
            kernel.run(move)
