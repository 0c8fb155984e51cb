"""Tables for Canvas and Moodle, read back by the rules of their importers."""

import csv
import re

import pytest

from course_utils.cli import main
from course_utils.grading.lms import COLLECTED
from course_utils.reporting.exports import as_csv
from tests.grading.lesson import LESSON

FULL = {"check-double": 3, "check-total": 2, "quiz-twice": 1, "quiz-even": 2}


@pytest.fixture(scope="module")
def room(make_class_once):
    room = make_class_once()
    room.generate([("ada", "Ada", "Byron"), ("=cmd|'/c calc'!A0", "@x", "+y"), ("new", "N", "N")])
    room.grade("ada", FULL)
    room.grade("=cmd|'/c calc'!A0", {"check-double": 1 / 3})
    room.grade("李雷", {"quiz-twice": 1})
    return room


def exported(room, system, *options):
    assert main(["export", str(room.folder), "--for", system, *options]) == 0
    path = room.folder / f"{system}.csv"
    assert path.stat().st_mode & 0o077 == 0
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def canvas_reads(rows):
    """What Canvas's importer makes of a table: points by column, grades by learner."""
    header, points, *learners = rows
    assert "Student" in header[0]
    assert "ID" in header[1]
    assert header[2:5] == ["SIS User ID", "SIS Login ID", "Section"]
    assert "Points Possible" in points[0]
    assert all(len(row) == len(header) for row in rows)
    grades = {row[3]: dict(zip(header[5:], row[5:], strict=True)) for row in learners}
    return dict(zip(header[5:], points[5:], strict=True)), grades


def test_canvas_by_itself(room):
    rows = exported(room, "canvas")
    points, grades = canvas_reads(rows)
    assert points == {"Doubling": "8"}
    assert grades["ada"] == {"Doubling": "8"}
    assert grades["李雷"] == {"Doubling": "1"}
    assert "new" not in grades
    assert ["Byron, Ada", "", "", "ada", "", "8"] in rows
    assert ["'+y, @x", "", "", "'=cmd|'/c calc'!A0", "", "0.33"] in rows


ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section,Notes,Doubling (4711),Essay (12),Final Score
,,,,,,Manual Posting,,
    Points Possible,,,,,,80.00,10,(read only)
"Byron, Ada",501,u1,ADA,Group 1,hm,3.00,9,30
李雷,502,u2,li,Group 1,,4,8,40
"Nemo, Captain",503,u3,nemo,Group 1,,55,8,41
"Student, Test",9,,,Group 1,,,,
"""


def test_canvas_onto_the_instructors_own_file(room, tmp_path, capsys):
    path = tmp_path / "grades.csv"
    path.write_text(ROSTER, encoding="utf-8-sig")
    rows = exported(room, "canvas", "--roster", str(path))
    points, _ = canvas_reads(rows)
    assert points == {"Doubling (4711)": "80"}
    assert rows[2:] == [
        ["Byron, Ada", "501", "u1", "ADA", "Group 1", "80"],
        ["李雷", "502", "u2", "li", "Group 1", "10"],
    ]
    said = capsys.readouterr().out
    assert "8 points here are 80 there; converted" in said
    assert "Not in the roster, and left out: 1 (=cmd|" in said


def test_moodle_by_itself(room):
    rows = exported(room, "moodle", "--lesson", LESSON)
    assert rows[0] == ["Username", "First name", "Last name", "Email address", "Doubling"]
    assert ["ada", "Ada", "Byron", "", "8"] in rows
    assert all(re.fullmatch(r"\d+(\.\d+)?", row[4]) for row in rows[1:])


def test_moodle_onto_its_own_file(room, tmp_path):
    path = tmp_path / "grades.csv"
    path.write_text(
        "First name;Last name;ID number;Email address;Assignment: Doubling (Real)\n"
        "Ada;Byron;77;ada@x.org;-\n雷;李;78;li@x.org;2\nNo;Body;79;no@x.org;3\n",
        encoding="utf-8",
    )
    rows = exported(room, "moodle", "--roster", str(path))
    header = ["First name", "Last name", "ID number", "Email address"]
    assert rows == [
        [*header, "Assignment: Doubling (Real)"],
        ["Ada", "Byron", "77", "ada@x.org", "8"],
        ["雷", "李", "78", "li@x.org", "1"],
    ]


def test_canvas_ids_that_zip_collect_saw_are_used(room):
    folder = room.folder / "downloaded" / LESSON
    folder.mkdir(parents=True)
    about = '{"ada": {"late": false, "system": "canvas", "number": "501", "name": "byronada"}}'
    (folder / COLLECTED).write_text(about, encoding="utf-8")
    assert ["Byron, Ada", "501", "", "ada", "", "8"] in exported(room, "canvas")
    (folder / COLLECTED).unlink()


def test_no_cell_is_a_formula():
    rows = list(csv.reader(as_csv([["=1+1", "+1", "-1", "@a", "\tx", "a=b", "1"]]).splitlines()))
    assert rows == [["'=1+1", "'+1", "'-1", "'@a", "'\tx", "a=b", "1"]]


def test_what_cannot_be_exported_is_said(make_class, tmp_path, capsys):
    room = make_class()
    for ready in (False, True):
        if ready:
            room.generate()
        assert main(["export", str(room.folder), "--for", "canvas"]) == 2
    room.grade("ada", FULL)
    (tmp_path / "bad.csv").write_text("Colour\nred\n")
    for roster in ("none.csv", "bad.csv"):
        wish = ["--roster", str(tmp_path / roster)]
        assert main(["export", str(room.folder), "--for", "moodle", *wish]) == 2
    said = capsys.readouterr().err
    assert "no gradebook yet" in said
    assert "Nothing is graded yet" in said
    assert "cannot be read as a table" in said
    assert "none of the columns" in said
