"""`course submit`: what is not in order is pointed out in plain words; the zip holds both files."""

import hashlib
import json
import zipfile

import pytest

from course_utils.authoring.kits import build_kit
from course_utils.cli import main
from course_utils.grading.hand_in import function_source
from course_utils.kit import answers_path, kit_path, write_kit
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, TOTAL, hand_in, work


@pytest.fixture
def desk(repository, tmp_path, monkeypatch):
    """A learner's folder: everything right, checked and saved."""
    folder = hand_in(tmp_path / "desk", work({"double": DOUBLE, "total": TOTAL}), RIGHT)
    write_kit(build_kit(LESSON, "en", "practice"), kit_path(LESSON, folder))
    checked(folder, double=DOUBLE, total=TOTAL)
    monkeypatch.chdir(folder)
    return folder


def checked(folder, **sources):
    """Note in the answers file that these functions were checked and right."""
    path = answers_path(LESSON, folder)
    content = json.loads(path.read_text(encoding="utf-8"))
    for name, source in sources.items():
        digest = hashlib.sha256(source.encode()).hexdigest()
        noted = {"source_sha256": digest, "score": 1, "points": 1, "time": "2026-11-29T20:00:00Z"}
        content["checks"][name] = noted
    path.write_text(json.dumps(content), encoding="utf-8")


def test_work_in_order_is_packed_without_a_word(desk, capsys):
    assert main(["submit", "--strict"]) == 0
    assert capsys.readouterr().out.startswith("Packed")
    with zipfile.ZipFile(desk / f"{LESSON}.submission.zip") as archive:
        assert archive.namelist() == [f"{LESSON}.ipynb", f".course/{LESSON}.answers.json"]


@pytest.mark.parametrize("what", [LESSON, f"{LESSON}.ipynb", "."])
def test_the_work_can_be_named_as_lesson_or_file(desk, what, monkeypatch):
    monkeypatch.chdir(desk.parent if what == "." else desk)
    assert main(["submit", f"desk/{LESSON}" if what == "." else what]) == 0


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"double": DOUBLE + " + 0"}, "double: the saved notebook is not what was checked"),
        ({"double": "def double(x) return"}, "double: its cell does not define"),
        ({"double": "twice = 3"}, "double: its cell does not define"),
    ],
)
def test_a_notebook_that_is_not_what_was_checked_is_pointed_out(desk, capsys, cells, said):
    answers = answers_path(LESSON, desk).read_text(encoding="utf-8")
    hand_in(desk, work({"total": TOTAL} | cells))
    answers_path(LESSON, desk).write_text(answers, encoding="utf-8")
    assert main(["submit", "--strict"]) == 1
    assert said in capsys.readouterr().out
    assert not list(desk.glob("*.zip"))
    assert main(["submit"]) == 0


def test_unchecked_untouched_and_unanswered_work_is_pointed_out(desk, capsys):
    hand_in(desk, work({"double": DOUBLE}), {"twice": "two"})
    assert main(["submit"]) == 0
    said = capsys.readouterr().out
    assert "double: never checked" in said
    assert "total: not attempted" in said
    assert "Questions without an answer: even." in said


@pytest.mark.parametrize("content", ["", "{", "[]", "\x00"])
def test_a_damaged_notebook_gets_a_clear_word(desk, capsys, content):
    (desk / f"{LESSON}.ipynb").write_text(content, encoding="utf-8")
    assert main(["submit"]) == 2
    assert "is damaged" in capsys.readouterr().err


def test_a_damaged_answers_file_is_pointed_out(desk, capsys):
    answers_path(LESSON, desk).write_text("{", encoding="utf-8")
    assert main(["submit", "--strict"]) == 1


@pytest.mark.parametrize("what", ["nothing", "../elsewhere.ipynb", "\x00"])
def test_what_is_not_there_gets_a_clear_word(desk, capsys, what):
    assert main(["submit", what]) == 2
    assert capsys.readouterr().err.startswith("course: ")


def test_a_functions_source_is_the_one_that_check_saw():
    cell = (
        "import numpy as np\n\n@decorated\ndef f(x):\n    if x:\n        return 1\n"
        "    # a remark\n    return 2\n\n\nf(3)\n"
    )
    source = function_source(cell, "f")
    assert source.startswith("@decorated\ndef f(x):")
    assert source.strip().endswith("return 2")
