"""Fixtures: the small lesson's repository, and a class with it."""

import pytest

from course_utils.grading import confined
from course_utils.grading.classroom import read_assignment
from tests.grading import lesson as mini
from tests.grading import postgres


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server. Without the programs its tests are skipped; in CI they fail."""
    postgres.expect_programs()
    with postgres.running_server() as running:
        yield running


@pytest.fixture(params=postgres.WAYS)
def gradebook_url(request):
    """Where the gradebook is: empty for nbgrader's file, or a fresh database of the server."""
    if request.param == "file":
        return ""
    return request.getfixturevalue("server").new_database()


@pytest.fixture
def warmed(warm, monkeypatch):
    """Whoever grades in a fork of this process finds a warm process there, and leaves it there."""
    assert not warm.why_not()
    monkeypatch.setattr(warm, "close", lambda: None)
    monkeypatch.setattr(confined, "Warm", lambda: warm)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    folder = tmp_path / "repository"
    mini.write_repository(folder)
    mini.use_repository(folder, monkeypatch)
    return folder


@pytest.fixture
def classroom(repository, tmp_path):
    """A class in English, released."""
    folder = tmp_path / "class"
    mini.make_class(folder)
    mini.release(folder)
    return folder


@pytest.fixture
def assignment(classroom):
    return read_assignment(classroom, mini.LESSON)
