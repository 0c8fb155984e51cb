"""Every exercise of every lesson through the whole pipeline, confined, on hidden cases.

Every known mistake is rejected with its hint, every right variant earns full points, and so does
the reference solution.
"""

import pytest

from course_utils.authoring.kits import QUIZZES, build_kit, load_exercises
from course_utils.authoring.notebook import assemble
from course_utils.authoring.source import lesson_names
from course_utils.grading.grade import Assignment, grade_submission
from course_utils.grading.graft import parts_of
from course_utils.grading.submission import LearnerCell, Submission
from course_utils.kit import REPOSITORY
from course_utils.quiz.answers import empty_answers

SEED = 20261129
LESSONS = [lesson for lesson in lesson_names() if load_exercises(lesson)]


@pytest.fixture(scope="module")
def assignments():
    """Assignments by lesson, made at the first need."""
    made = {}

    def of(lesson):
        if lesson not in made:
            notebook = assemble(lesson, "en", solutions=False)
            kit = build_kit(lesson, "en", "judge", SEED)
            files = {
                f"{name}.py": path.read_text("utf-8") for name, path in authors(lesson).items()
            }
            made[lesson] = Assignment(lesson, kit, parts_of(notebook), notebook.metadata, files)
        return made[lesson]

    return of


@pytest.fixture
def grade(assignments, runners):
    """Grades texts of exercise cells; returns the verdicts on exercises by name."""

    def run(lesson, cells):
        own = [LearnerCell("code", text, name, name) for name, text in cells.items()]
        work = Submission(own, empty_answers(lesson))
        graded = grade_submission(assignments(lesson), work, "", runners.runs(last=False))
        return {item.name: item for item in graded.items if item.kind == "check"}

    return run


def authors(lesson):
    """The authors' files, which here lie beside the learner's notebook."""
    variants = REPOSITORY / "tests" / "variants" / f"{lesson}.py"
    return {"exercises": QUIZZES / f"{lesson}.py", "variants": variants}


def cell(file, expression, name):
    """A cell that takes a function from one of the authors' files."""
    return f"import sys\nsys.path.append('.')\nimport {file}\n{name} = {file}.{expression}\n"


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_reference_solution_earns_all_points(grade, lesson):
    solved = assemble(lesson, "en", solutions=True)
    names = [exercise.id for exercise in load_exercises(lesson)]
    verdicts = grade(lesson, {c.id: c.source for c in solved.cells if c.id in names})
    assert {name: item.status for name, item in verdicts.items()} == dict.fromkeys(names, "right")


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_known_mistake_is_rejected_with_its_hint(grade, lesson):
    exercises = load_exercises(lesson)
    wrong = []
    for turn in range(max(len(exercise.mistakes) for exercise in exercises)):
        tried = {
            exercise.id: cell(
                "exercises", f"EXERCISES[{at}].mistakes[{turn}].function", exercise.id
            )
            for at, exercise in enumerate(exercises)
            if turn < len(exercise.mistakes)
        }
        verdicts = grade(lesson, tried)
        for exercise in exercises:
            if exercise.id not in tried:
                continue
            mistake, item = exercise.mistakes[turn], verdicts[exercise.id]
            if item.status == "right" or mistake.hint["en"] not in item.text:
                wrong.append((exercise.id, mistake.id, item.text))
    assert not wrong


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_right_variant_earns_all_points(grade, lesson):
    names = [exercise.id for exercise in load_exercises(lesson)]
    wrong = []
    for turn in range(4):
        tried = {name: cell("variants", f"VARIANTS[{name!r}][{turn}]", name) for name in names}
        verdicts = grade(lesson, tried)
        wrong += [(item.name, turn, item.text) for item in verdicts.values()
                  if item.status != "right"]  # fmt: skip
    assert not wrong
