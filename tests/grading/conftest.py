"""Fixtures: the small lesson's repository, and a class with it."""

import pytest

from course_utils.grading.classroom import read_assignment
from tests.grading import lesson as mini


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
