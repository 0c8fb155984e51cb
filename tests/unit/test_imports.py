"""Imports run one way, and importing the package costs a learner nothing."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import course_utils

PACKAGE = Path(course_utils.__file__).parent
BASE = {"words", "kit", "errors"}
LESSON_TOOLS = {"corpora", "plots", "training"}
LAYERS = {
    "words": set(),
    "errors": set(),
    "kit": {"words", "errors"},
    "corpora": set(),
    "plots": set(),
    "lab": set(),
    "live": {"plots"},
    "training": set(),
    "quiz": BASE,
    "exercises": BASE | {"quiz"},
    "lesson": BASE | {"plots", "quiz", "exercises"},
    "authoring": BASE | {"quiz", "exercises"},
    "grading": BASE | {"quiz", "exercises", "authoring"},
    "reporting": BASE | {"quiz", "exercises", "grading"},
    "site": BASE | {"quiz", "authoring"},
    "cli": BASE | {"quiz", "exercises", "authoring", "grading", "reporting", "site"},
}
LESSON_MODULES = {
    "language_models", "word_vectors", "recurrent", "gated", "seq2seq", "attention",
}  # fmt: skip
ALLOWED = LAYERS | dict.fromkeys(LESSON_MODULES, LESSON_TOOLS) | {
    "seq2seq": LESSON_TOOLS | {"attention"},
    "attention": LESSON_TOOLS | {"seq2seq"},
    "translation_plots": LESSON_TOOLS | {"seq2seq"},
    "attention_studies": LESSON_TOOLS | {"seq2seq", "attention"},
    "attention_views": LESSON_TOOLS | {"attention_studies", "live"},
    "one_text": LESSON_TOOLS,
    "__init__": {"lesson"},
}  # fmt: skip


def modules():
    return sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def imported_parts(path):
    """Top-level parts of course_utils that a module imports, at its top or inside functions."""
    for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("course_utils"):
            rest = node.module.split(".")[1:]
            yield from [rest[0]] if rest else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("course_utils."):
                    yield alias.name.split(".")[1]


@pytest.mark.parametrize("path", modules(), ids=str)
def test_a_module_imports_only_what_its_layer_may(path):
    part = path.parts[0].removesuffix(".py")
    allowed = ALLOWED[part] | {part}
    assert set(imported_parts(path)) <= allowed


def loaded_by(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_no_heavy_library():
    heavy = {"numpy", "torch", "matplotlib", "ipywidgets", "IPython", "nbgrader", "jsonschema"}
    assert not heavy & loaded_by("import course_utils")


def test_the_learners_quiz_and_check_load_neither_torch_nor_the_instructors_side():
    loaded = loaded_by("import course_utils.exercises.check, course_utils.quiz.widget")
    assert "torch" not in loaded
    assert not any(name.startswith("course_utils.grading") for name in loaded)
    assert not any(name.startswith("course_utils.authoring") for name in loaded)
    assert not any(name.startswith("course_utils.site") for name in loaded)
