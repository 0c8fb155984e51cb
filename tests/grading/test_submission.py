"""A submission's folder is hostile: kinds, sizes and names are looked at before contents."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from course_utils.grading.submission import read_submission, students_of
from tests.grading.lesson import LESSON, RIGHT, blank, hand_in, work

KNOWN = {"double", "total", "check-double"}


@pytest.fixture
def read(repository, tmp_path):
    def run(lesson=LESSON):
        return read_submission(tmp_path / "work", lesson, KNOWN, "en")

    return run


@pytest.fixture
def place(repository, tmp_path):
    return hand_in(tmp_path / "work", work({}), RIGHT, "2026-11-01 10:00:00 UTC")


def test_a_sound_submission_has_no_remarks(place, read):
    found = read()
    assert found.remarks == []
    assert len(found.cells) == len(blank().cells)
    assert found.answers["answers"].keys() == RIGHT.keys()
    assert found.timestamp == datetime(2026, 11, 1, 10)


def test_a_renamed_notebook_is_found_by_its_cells(place, read):
    (place / "other.ipynb").write_text("{}", encoding="utf-8")
    (place / f"{LESSON}.ipynb").rename(place / "我的 作业\n.ipynb")
    found = read()
    assert found.cells
    assert "another name" in found.remarks[0]


@pytest.mark.parametrize("kind", ["link", "dangling", "loop", "folder", "pipe", "hard", "large"])
def test_what_is_no_plain_notebook_file_is_not_opened(place, read, tmp_path, kind, monkeypatch):
    path = place / f"{LESSON}.ipynb"
    aside = tmp_path / "secret.ipynb"
    path.rename(aside)
    if kind == "link":
        path.symlink_to(aside)
    elif kind == "dangling":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "hard":
        os.link(aside, path)
    else:
        with path.open("wb") as file:
            file.truncate(10**12)
    found = read()
    assert found.cells is None
    assert found.remarks


def test_a_linked_folder_is_not_followed(place, read, tmp_path):
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    found = read()
    assert found.cells is None
    assert not found.answers["answers"]


@pytest.mark.parametrize(
    "text",
    ["garbage", "9999-12-31 00:00:00 UTC", "2026-13-01", "x" * 5000, "\x00",
     pytest.param(str(datetime.now(UTC) + timedelta(days=3)), id="in three days")],
)  # fmt: skip
def test_an_impossible_time_is_ignored_and_said(place, read, text):
    (place / "timestamp.txt").write_text(text, encoding="utf-8")
    found = read()
    assert found.timestamp is None
    assert len(found.remarks) == (len(text) < 1000)


def test_another_lesson_is_said(place, read):
    assert "another lesson" in read("02_other").remarks[-1] or read("02_other").cells is None


def test_the_digest_follows_what_counts(place, read):
    before = read().digest
    assert read().digest == before
    (place / "note.txt").write_text("nothing", encoding="utf-8")
    assert read().digest == before
    hand_in(place, work({"double": "1"}), RIGHT)
    assert read().digest != before


def test_students_are_folder_names_whatever_they_are(tmp_path):
    names = ["[ab]*", "--help", "李 雷", "new\nline", "a?b", ".hidden"]
    for name in names:
        (tmp_path / name / LESSON).mkdir(parents=True)
    (tmp_path / "without").mkdir()
    assert list(students_of(tmp_path, LESSON)) == sorted(names)
