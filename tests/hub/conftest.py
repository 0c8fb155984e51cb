"""Fixtures: a department's hub, with a class that has gone from handing out to feedback."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

from course_utils.authoring.notebook import CODE_STUB
from course_utils.grading.classroom import ClassSettings, create_class
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, SQUARED, TOTAL

from .hub import DEPLOY, Person, account, jupyterhub, proxy_command

NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
WORK = {
    "ada": ({"double": DOUBLE, "total": TOTAL}, RIGHT),
    "bob": ({"double": SQUARED, "total": TOTAL}, {"twice": "two", "even": ["ten"]}),
    "eve": ({}, {}),
}
LANGUAGES = {"bob": "zh-CN,zh;q=0.9,en;q=0.8"}


def missing() -> str:
    """What this machine lacks for a hub with real accounts; empty where nothing."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "root, for accounts of its own"
    if not shutil.which("useradd") or not shutil.which("chpasswd"):
        return "useradd and chpasswd (Debian: passwd)"
    if not Path("/etc/pam.d/login").exists():
        return "PAM's login service (Debian: login)"
    if proxy_command() is None:
        return "configurable-http-proxy (npm install --prefix build/proxy configurable-http-proxy)"
    return ""


def load(name: str) -> ModuleType:
    """One of the scripts in deploy/jupyterhub, as a module."""
    with patch.object(sys, "path", [str(DEPLOY), *sys.path]):
        return __import__(name)


@dataclass
class Department:
    """A hub, its places, and who is there.

    Attributes:
        address: of the hub.
        course: the course's name, which is also its account's.
        folder: below it everybody's homes, the exchange, the hub's state.
        passwords: of each account, by first name.
        people: who has logged in.
    """

    address: str
    course: str
    folder: Path
    passwords: dict[str, str]
    people: dict[str, Person]

    @property
    def home(self) -> Path:
        """The course's home, with the class in it."""
        return self.folder / "home" / self.course

    @property
    def exchange(self) -> Path:
        """The course's folders in the exchange."""
        return self.folder / "exchange" / self.course

    def account(self, name: str) -> str:
        """The account of somebody, by first name."""
        return f"{name}-{self.course.split('-')[1]}"

    def log_in(self, name: str) -> Person:
        """Somebody at the hub's login page."""
        lang = LANGUAGES.get(name, "en-GB,en;q=0.9")
        return Person(self.address, self.account(name), self.passwords[name], lang)

    def formgrader(self, path: str) -> dict[str, Any]:
        """The instructor presses one of formgrader's buttons."""
        route = f"services/{self.course}/formgrader/api/{path}"
        answer = self.people["wang"].call("POST", route)
        assert answer.ok, answer.text
        assert answer.json()["success"], answer.text
        return answer.json()


@pytest.fixture(scope="module")
def empty_department() -> Iterator[Department]:
    """A hub with an instructor, three learners, somebody of another course, and no class yet."""
    if missing():
        if os.environ.get("CI"):
            pytest.fail(f"CI must not go without {missing()}")
        pytest.skip(f"needs {missing()}")
    tag = secrets.token_hex(3)
    course = f"nlp-{tag}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="course-hub-")))
        folder.chmod(0o755)
        (folder / "home").mkdir(mode=0o755)
        (folder / "state").mkdir(mode=0o700)

        def add(name: str, *options: str) -> str:
            return stack.enter_context(account(name, folder / "home" / name, *options))

        add(course, "--system", "--shell", "/usr/sbin/nologin")
        passwords = {name: add(f"{name}-{tag}") for name in (*WORK, "wang", "kim")}
        make_class(folder, course)
        names = [f"{name}-{tag}  # {name}" for name in (*WORK, "misspelt")]
        (folder / "state" / f"{course}.txt").write_text("\n".join(names), encoding="utf-8")
        settings = {
            "EXCHANGE": str(folder / "exchange"),
            "COURSES": {course: [f"wang-{tag}"]},
            "ADMINS": [],
            "SPAWNER": "local",
        }
        address = stack.enter_context(jupyterhub(folder / "state", settings))
        yield Department(address, course, folder, passwords, {})


def make_class(folder: Path, course: str) -> None:
    """What prepare.py makes, with a small lesson in the place of the course's."""
    prepare = load("prepare")
    owner = prepare.make_account(course)
    prepare.make_exchange(folder / "exchange", course, owner)
    place = folder / "home" / course / "class"
    settings = ClassSettings(
        lang="en",
        course_id=course,
        seed=1,
        code_stub=CODE_STUB,
        exchange=str(folder / "exchange"),
    )
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as name:
        mini.write_repository(Path(name) / "repository")
        mini.use_repository(Path(name) / "repository", patched)
        create_class(place, settings, [mini.lesson_files("en", "graded")])
    subprocess.run(["chown", "-R", f"{course}:", str(place)], check=True)


@pytest.fixture(scope="module")
def department(empty_department: Department) -> Department:
    """The same after a lesson was handed out, worked on, handed in, graded and given back."""
    there = empty_department
    there.people |= {name: there.log_in(name) for name in ("wang", *WORK)}
    there.people["wang"].browser.get(f"{there.address}/services/{there.course}/formgrader")
    there.formgrader(f"assignment/{LESSON}/assign")
    there.formgrader(f"assignment/{LESSON}/release")
    for name, (cells, answers) in WORK.items():
        there.people[name].start_server()
        there.people[name].assignments("fetch", LESSON, there.course)
        work(there.people[name], cells, answers)
        there.people[name].assignments("submit", LESSON, there.course)
    forge(there)
    there.formgrader(f"assignment/{LESSON}/collect")
    there.formgrader(f"submission/{LESSON}/{there.account('ada')}/autograde")
    grade_the_rest(there)
    there.formgrader(f"assignment/{LESSON}/generate_feedback")
    there.formgrader(f"assignment/{LESSON}/release_feedback")
    return there


def grade_the_rest(there: Department) -> None:
    """`course grade .` in the instructor's terminal."""
    with there.people["wang"].kernel("", f"services/{there.course}") as kernel:
        kernel.run("import subprocess; subprocess.run(['course', 'grade', '.'], check=True)")


def work(person: Person, cells: dict[str, str], answers: dict[str, Any]) -> None:
    """Fill in a notebook and save it; answer questions in its kernel."""
    file = person.mine("GET", f"api/contents/{NOTEBOOK}")
    for cell in file["content"]["cells"]:
        cell["source"] = cells.get(cell["id"], cell["source"])
    saved = {"type": "notebook", "format": "json", "content": file["content"]}
    person.mine("PUT", f"api/contents/{NOTEBOOK}", saved)
    if answers:
        with person.kernel(NOTEBOOK) as kernel:
            given = [f"quiz({name!r}).answer({answer!r})" for name, answer in answers.items()]
            opening = f"from course_utils import open_lesson\nquiz, _ = open_lesson({LESSON!r})"
            kernel.run("\n".join([opening, *given]))


def forge(there: Department) -> None:
    """Eve puts empty work into the exchange, later and with Ada's name on it."""
    name = f"{there.account('ada')}+{LESSON}+2099-01-01 00:00:00.000000 UTC+forged"
    with there.people["eve"].kernel(NOTEBOOK) as kernel:
        target = str(there.exchange / "inbound" / name)
        kernel.run(f"import shutil; shutil.copytree('.', {target!r}, copy_function=shutil.copy)")
