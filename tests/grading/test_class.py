"""`course class create`: all or nothing, nothing is overwritten, secrets stay with the owner."""

import json
import stat

import pytest

from course_utils.cli import main
from course_utils.grading import classroom
from course_utils.grading.classroom import read_assignment, read_class
from course_utils.kit import kit_path, read_kit
from tests.grading.lesson import LESSON
from tests.grading.test_loop import tree


@pytest.fixture
def create(repository, tmp_path, capsys):
    def run(*arguments, folder=tmp_path / "class"):
        code = main(["class", "create", str(folder), *arguments])
        return code, capsys.readouterr()

    return run


def test_a_class_holds_source_kit_config_and_hidden_cases(create, tmp_path):
    assert create("--lang", "zh")[0] == 0
    folder = tmp_path / "class"
    notebook = (folder / "source" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" in notebook
    assert read_kit(kit_path(LESSON, folder / "source" / LESSON))["audience"] == "practice"
    judge = read_kit(folder / "judge" / f"{LESSON}.kit.json")
    assert (judge["audience"], judge["lang"]) == ("judge", "zh")
    assert len(judge["exercises"]["double"]["cases"]) == 4
    assert "nbgrader autograde" in (folder / "README.md").read_text(encoding="utf-8")


def test_secrets_are_readable_by_their_owner_only(create, tmp_path):
    create("--lang", "en")
    for name in ("class.json", "judge", f"judge/{LESSON}.kit.json"):
        assert not stat.S_IMODE((tmp_path / "class" / name).stat().st_mode) & 0o077


def test_a_graded_class_gives_learners_no_key(create, tmp_path):
    create("--lang", "en", "--graded")
    kit = kit_path(LESSON, tmp_path / "class" / "source" / LESSON).read_text(encoding="utf-8")
    assert '"right"' not in kit
    assert '"why"' not in kit
    assert json.loads(kit)["audience"] == "graded"


def test_two_classes_have_different_hidden_cases(create, tmp_path):
    create("--lang", "en")
    create("--lang", "en", folder=tmp_path / "other")
    one, other = (read_class(tmp_path / name).seed for name in ("class", "other"))
    assert one != other


def test_an_existing_class_is_left_as_it_is(create, tmp_path):
    create("--lang", "en")
    before = tree(tmp_path / "class")
    for wish in (["--lang", "en"], ["--lang", "zh"], [], ["--graded"], ["--course-id", "x"]):
        code, said = create(*wish)
        assert (code, said.err[:7]) == (2, "course:")
    assert tree(tmp_path / "class") == before


def test_a_folder_with_anything_else_in_it_is_refused(create, tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "note.txt").write_text("mine", encoding="utf-8")
    assert create("--lang", "en")[0] == 2
    assert tree(tmp_path / "class").keys() == {(tmp_path / "class" / "note.txt").relative_to(
        tmp_path / "class")}  # fmt: skip


def test_an_empty_folder_is_taken(create, tmp_path):
    (tmp_path / "class").mkdir()
    assert create("--lang", "en")[0] == 0


def test_a_failure_in_the_middle_leaves_nothing(create, tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("disk full")

    monkeypatch.setattr(classroom, "write_kit", fail)
    with pytest.raises(RuntimeError):
        create("--lang", "en")
    assert {path.name for path in tmp_path.iterdir()} == {"repository"}


@pytest.mark.parametrize("wish", [["--lessons", "09_none"], ["--course-id", "a/b"],
                                  ["--course-id", ""], ["--course-id", ".."]])  # fmt: skip
def test_wishes_that_cannot_be_met_get_a_clear_word(create, wish):
    code, said = create("--lang", "en", *wish)
    assert (code, said.err[:7]) == (2, "course:")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"version": 9}', '{"version": 1}'])
def test_a_broken_class_file_gets_a_clear_word(classroom, content):
    (classroom / "class.json").write_text(content, encoding="utf-8")
    with pytest.raises(classroom_error(), match=r"class\.json"):
        read_class(classroom)


def classroom_error():
    from course_utils.errors import UserError

    return UserError


def test_points_are_what_the_instructors_notebook_says(classroom):
    path = classroom / "release" / LESSON / f"{LESSON}.ipynb"
    text = path.read_text(encoding="utf-8").replace('"points": 3.0', '"points": 7.0')
    path.write_text(text, encoding="utf-8")
    parts = read_assignment(classroom, LESSON).parts
    assert next(p.points for p in parts if p.grade_id == "check-double") == 7
