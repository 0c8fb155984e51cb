"""Classes whose gradebook is filled by hand, so that no learner code runs."""

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from sqlalchemy import text

from course_utils.grading.classroom import judge_path
from course_utils.grading.database import open_gradebook
from course_utils.grading.grade import Graded
from course_utils.grading.judging import Item
from course_utils.grading.record import Recorder, write_graded
from course_utils.kit import answers_path, read_kit
from tests.grading import lesson as mini
from tests.grading.lesson import LESSON

DUE = datetime(2026, 11, 29, 22)
POINTS = {"check-double": 3.0, "check-total": 2.0, "quiz-twice": 1.0, "quiz-even": 2.0}


class Classroom:
    """A class on disk, and hands that put work and grades into it."""

    def __init__(self, folder: Path, lang: str, empty: Path | None = None, url: str = "") -> None:
        self.folder, self.lang, self.empty = folder, lang, empty
        self.url = url or f"sqlite:///{folder}/gradebook.db"
        mini.make_class(folder, lang, gradebook=url)
        mini.release(folder, lang)

    def gradebook(self):
        gradebook = open_gradebook(self.url, "mini")
        if self.empty:
            gradebook.db.execute(text("PRAGMA synchronous = OFF"))
        return gradebook

    def generate(self, students=()):
        """What `nbgrader generate_assignment` and `db student add` leave."""
        if self.empty:
            shutil.copy(self.empty, self.folder / "gradebook.db")
        with self.gradebook() as gradebook:
            gradebook.update_or_create_assignment(LESSON, duedate=str(DUE))
            gradebook.update_or_create_notebook(LESSON, LESSON)
            for name, points in POINTS.items():
                gradebook.update_or_create_grade_cell(
                    name, LESSON, LESSON, max_score=points, cell_type="code"
                )
            for student, first, last in students:
                gradebook.update_or_create_student(student, first_name=first, last_name=last)

    def hand_in(self, student, answers=None, checks=None):
        """An answers file: attempts by question, times by check; `answers` may be raw text."""
        path = answers_path(LESSON, self.folder / "submitted" / student / LESSON)
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(answers, str):
            path.write_text(answers, encoding="utf-8")
            return
        noted = {"version": 1, "lesson": LESSON, "answers": {}, "checks": {}}
        for name, given in (answers or {}).items():
            tries = [
                {"answer": answer, "time": f"2026-11-29T20:{minute:02}:00Z"}
                for minute, answer in given
            ]
            noted["answers"][name] = tries[-1] | {"attempts": tries}
        for name, minute in (checks or {}).items():
            time = f"2026-11-29T20:{minute:02}:00Z"
            digest = {"source_sha256": "0" * 64, "score": 1.0, "points": 1.0}
            noted["checks"][name] = digest | {"time": time}
        path.write_text(json.dumps(noted), encoding="utf-8")

    def grade(self, student, scores, mistakes=None, late=timedelta(0), noted=True):
        """Record scores by grade id as grading does."""
        items = [
            _item(name, scores.get(name, 0.0), (mistakes or {}).get(name, "")) for name in POINTS
        ]
        course = {"lesson": LESSON, "lang": self.lang, "graded": "x"}
        if noted:
            names = ("name", "kind", "status", "score", "points", "mistake")
            course["items"] = [{key: getattr(item, key) for key in names} for item in items]
        page = nbformat.writes(nbformat.v4.new_notebook(metadata={"course": course}))
        moment = DUE - timedelta(hours=1) + late
        graded = Graded(student, items, [], page, frozenset(), "x", moment, "")
        with self.gradebook() as gradebook:
            Recorder(gradebook, LESSON).record(graded)
        write_graded(graded, self.folder / "autograded" / student / LESSON, LESSON, 0o644)

    @property
    def kit(self):
        return read_kit(judge_path(self.folder, LESSON))


def _item(name, score, mistake):
    kind, _, short = name.partition("-")
    if score is None:
        return Item(name, kind, short, 0.0, POINTS[name], "open", "", "")
    status = "right" if score >= POINTS[name] else "part" if score else "wrong"
    return Item(name, kind, short, score, POINTS[name], status, "", "", mistake)


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory):
    """A gradebook with its tables, which take long to make on a slow disk."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    open_gradebook(f"sqlite:///{path}", "mini").close()
    return path


@pytest.fixture(scope="module")
def make_class_once(tmp_path_factory, empty_gradebook):
    """Makes a class that a module's tests share."""
    place = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        mini.write_repository(place / "repository")
        mini.use_repository(place / "repository", patch)
        yield lambda: Classroom(place / "class", "en", empty_gradebook)


@pytest.fixture
def make_class(tmp_path, monkeypatch, empty_gradebook):
    """Makes a class in a language."""
    folder = tmp_path / "repository"
    mini.write_repository(folder)
    mini.use_repository(folder, monkeypatch)
    return lambda lang="en": Classroom(tmp_path / f"class-{lang}", lang, empty_gradebook)
