"""From source to notebook: what a build makes, and what it refuses."""

import json

import nbformat
import pytest

from course_utils import cli
from course_utils.authoring import build, kits, notebook, source
from course_utils.authoring.source import BuildError
from course_utils.quiz.questions import QuestionError

from .conftest import LESSON, SOURCE, forget


def rewrite(mini, old, new):
    path = mini / f"notebooks/source/{LESSON}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    forget()


def assemble_with_kit():
    notebook.assemble(LESSON, "en", False)
    kits.build_kit(LESSON, "en", "practice")


def cells_of(lang="en", solutions=False):
    return {cell.id: cell for cell in notebook.assemble(LESSON, lang, solutions).cells}


def test_the_learners_notebook_has_a_stub_and_the_instructors_the_solution(mini):
    assert "raise NotImplementedError" in cells_of()["double"].source
    assert "2 * np.asarray" not in cells_of()["double"].source
    assert "2 * np.asarray" in cells_of(solutions=True)["double"].source
    assert "BEGIN SOLUTION" in cells_of(solutions=True)["double"].source


def test_named_cells_carry_nbgrader_metadata_and_their_grade_id_as_cell_id(mini):
    cells = cells_of()
    answer, check, quiz = (
        cells[name].metadata.nbgrader for name in ("double", "check-double", "quiz-twice")
    )
    assert (answer.solution, answer.grade, answer.locked) == (True, False, False)
    assert (check.solution, check.grade, check.locked, check.points) == (False, True, True, 3)
    assert (quiz.grade, quiz.locked, quiz.points) == (True, True, 1)
    assert all(m.grade_id == name for name, m in [("double", answer), ("quiz-twice", quiz)])


def test_code_cells_are_the_same_in_both_languages(mini):
    english, chinese = (notebook.assemble(LESSON, lang, False) for lang in ("en", "zh"))
    assert [c.id for c in english.cells] == [c.id for c in chinese.cells]
    code = [[c.source for c in nb.cells if c.cell_type == "code"] for nb in (english, chinese)]
    assert code[0] == code[1]
    assert "加倍" in chinese.cells[0].source


def test_assembling_twice_gives_the_same_bytes(mini):
    first, second = (nbformat.writes(notebook.assemble(LESSON, "zh", False)) for _ in range(2))
    assert first == second


def test_a_cell_keeps_its_id_when_other_cells_come_and_go(mini):
    before = cells_of()
    rewrite(mini, "# %% exercise", "# %%\nextra = 1\n\n# %% exercise")
    after = cells_of()
    assert set(before) < set(after)
    assert len(after) == len(before) + 1


def test_equal_cells_get_different_ids(mini):
    rewrite(mini, "# %% exercise", "# %%\n1 + 1\n\n# %%\n1 + 1\n\n# %% exercise")
    ids = [cell.id for cell in notebook.assemble(LESSON, "en", False).cells]
    assert len(ids) == len(set(ids))


def test_a_practice_kit_holds_texts_expected_values_and_the_key_in_its_language(mini):
    kit = kits.build_kit(LESSON, "zh", "practice")
    (case,) = kit["exercises"]["double"]["cases"]
    assert case["expected"]["array"]["data"] == [2.0, 10.0]
    assert case["mistakes"]["squared"]["value"]["array"]["data"] == [1.0, 25.0]
    assert kit["exercises"]["double"]["hints"] == {"squared": "你求了平方。"}
    assert kit["questions"]["twice"]["text"] == "二的两倍是多少？"
    assert kit["title"] == "加倍"


def test_a_graded_kit_does_not_tell_which_choice_is_right(mini):
    text = json.dumps(kits.build_kit(LESSON, "en", "graded"))
    assert '"right"' not in text
    assert "That is once" not in text


def test_hidden_cases_depend_on_the_seed_and_on_nothing_else(mini):
    one, same, other = (kits.build_kit(LESSON, "en", "judge", seed) for seed in (1, 1, 2))
    assert one == same
    cases = [kit["exercises"]["double"]["cases"] for kit in (one, other)]
    assert cases[0] != cases[1]
    assert len(cases[0]) == 3


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('# %% [markdown] lang="zh"\n', '# %% [markdown]\n', "without lang"),
        ("# # 加倍\n", "# ## 加倍\n", "differ in headings"),
        ("把 $x$", "把 $y$", "differ in formulas"),
        ("加倍 2 次", "加倍 3 次", "differ in numbers"),
        ("见[论文](https://example.org/paper)", "见[论文](https://example.org/x)", "in links"),
        ("把 $x$ 加倍", "**把：**加倍 $x$", "stays as it is"),
        ("    ### END SOLUTION\n", "", "between one"),
        ("def double(x)", "def twice(x)", "must define the function"),
        ("check(double)", "check(double)  # run me", "holds exactly"),
        ('quiz("twice")', 'quiz("twice");', "holds exactly"),
        ('quiz="twice"', 'quizz="twice"', "cannot read its metadata"),
        ('# %% check="double"\ncheck(double)\n', "", "exactly one cell"),
        ("2 * np.asarray(x)", "2 * later_name", "gives no clean value"),
        ("# # Doubling", "# Doubling", "differ in headings"),
    ],
)  # fmt: skip
def test_a_faulty_source_is_refused_with_the_cell_and_the_cure(mini, old, new, told):
    rewrite(mini, old, new)
    with pytest.raises(BuildError, match=told) as refusal:
        assemble_with_kit()
    assert len(str(refusal.value)) > 40


def test_a_missing_chinese_twin_is_named(mini):
    text = (
        SOURCE[: SOURCE.index('# %% [markdown] lang="zh"')] + SOURCE[SOURCE.index("# %%\nimport") :]
    )
    with pytest.raises(BuildError, match=r"cell 1 \('# Doubling'\): its Chinese twin is missing"):
        source.parse_source(text, "01_mini.py")


def test_a_mistake_that_no_case_rejects_stops_the_build(mini):
    path = mini / f"quizzes/{LESSON}.py"
    path.write_text(path.read_text().replace("[1.0, 5.0]", "[0.0, 2.0]"), encoding="utf-8")
    forget()
    with pytest.raises(BuildError, match="'squared' passes every case"):
        kits.build_kit(LESSON, "en", "practice")


def test_a_question_without_a_cell_stops_the_build(mini):
    rewrite(mini, '# %% quiz="twice"\nquiz("twice")\n', "")
    with pytest.raises(BuildError, match="quiz cells are"):
        kits.build_kit(LESSON, "en", "practice")


def test_a_faulty_question_file_is_refused_by_name(mini):
    path = mini / f"quizzes/{LESSON}.yml"
    path.write_text(path.read_text(encoding="utf-8").replace("right: true, ", ""), "utf-8")
    with pytest.raises(QuestionError, match="twice"):
        kits.build_kit(LESSON, "en", "practice")


def test_a_build_runs_both_languages_stores_outputs_and_is_in_step_afterwards(mini, capsys):
    assert cli.main(["build"]) == 0
    assert "[1/1] 01_mini" in capsys.readouterr().out
    built = nbformat.read(build.notebook_path(LESSON, "zh"), as_version=4)
    text = nbformat.writes(built)
    assert "progress 2" in text
    assert "progress 1" not in text.replace("progress 1\\\\rprogress 2", "")
    assert build.WIDGET_VIEW not in text
    assert "二的两倍是多少" in text
    assert "尚未作答" in text
    assert cli.main(["build", "--check"]) == 0


@pytest.mark.parametrize("damage", ["source", "notebook", "kit", "outputs"])
def test_check_tells_when_something_is_out_of_step(mini, capsys, monkeypatch, damage):
    monkeypatch.setattr(build, "run_clean", lambda nb, *a, **k: _fake_outputs(nb))
    build.build(None, lambda line: None)
    assert build.out_of_step(None) == []
    path = build.notebook_path(LESSON, "en")
    if damage == "source":
        rewrite(mini, "np.arange(3)", "np.arange(4)")
    elif damage == "notebook":
        path.write_text(path.read_text().replace("We double", "We triple"), encoding="utf-8")
    elif damage == "outputs":
        nb = nbformat.read(path, as_version=4)
        for cell in nb.cells:
            cell.pop("outputs", None) if cell.cell_type == "code" else None
            cell.update({"outputs": []} if cell.cell_type == "code" else {})
        nbformat.write(nb, path)
    else:
        kit = path.parent / ".course" / f"{LESSON}.kit.json"
        kit.write_text(kit.read_text().replace("10.0", "11.0"), encoding="utf-8")
    assert cli.main(["build", "--check"]) == 1
    assert "course build" in capsys.readouterr().out


def _fake_outputs(nb):
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="x")]


def test_new_prose_is_written_without_a_run_and_outputs_stay(mini, capsys, monkeypatch):
    monkeypatch.setattr(build, "run_clean", lambda nb, *a, **k: _fake_outputs(nb))
    build.build(None, lambda line: None)
    monkeypatch.setattr(build, "run_clean", None)  # nothing may run
    rewrite(mini, "# We double $x$", "# Here we double $x$")
    assert cli.main(["build", "--text"]) == 0
    written = nbformat.read(build.notebook_path(LESSON, "en"), as_version=4)
    assert "Here we double" in written.cells[0].source
    assert [cell.outputs[0].text for cell in written.cells[1:]] == ["x"] * 5
    assert build.out_of_step(None) == []


def test_new_code_is_not_taken_for_new_prose(mini, capsys, monkeypatch):
    assert cli.main(["build", "--text"]) == 2  # never built
    monkeypatch.setattr(build, "run_clean", lambda nb, *a, **k: _fake_outputs(nb))
    build.build(None, lambda line: None)
    rewrite(mini, "np.arange(3)", "np.arange(4)")
    assert cli.main(["build", "--text"]) == 2
    assert "course build 01_mini" in capsys.readouterr().err


def test_the_first_cell_tells_where_else_a_lesson_runs_but_not_a_classs(mini):
    for lang in ("en", "zh"):
        told = notebook.assemble(LESSON, lang, False).cells[0].source
        assert f"notebooks%2F{lang}%2F{LESSON}.ipynb" in told
        assert f"blob/main/notebooks/{lang}/{LESSON}.ipynb" in told
        assert "docs/elsewhere" in told
        assert "Binder" not in notebook.assemble(LESSON, lang, True).cells[0].source


def test_a_raising_demo_stops_the_build_with_its_cell_and_writes_nothing(mini, capsys):
    rewrite(mini, "np.arange(3)", "np.arange(unknown)")
    assert cli.main(["build"]) == 2
    told = capsys.readouterr().err
    assert "NameError" in told
    assert "unknown" in told
    assert not build.notebook_path(LESSON, "en").exists()


def test_an_unknown_lesson_is_answered_with_the_known_ones(mini, capsys):
    assert cli.main(["build", "09_nothing"]) == 2
    assert "01_mini" in capsys.readouterr().err
