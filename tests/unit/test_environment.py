"""pyproject.toml, constraints.txt, environment.yml and start.py say the same."""

import ast
import importlib.metadata
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))

CONDA_NAMES = {"matplotlib": "matplotlib-base", "torch": "pytorch-cpu"}
TESTED_EXTRAS = ("dev",)


def lines_of_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def pins():
    pairs = (line.split("==") for line in lines_of_constraints())
    return {canonicalize_name(name): version for name, version in pairs}


def requirements(*extras):
    texts = [*PROJECT["dependencies"]]
    for extra in extras:
        texts += PROJECT["optional-dependencies"][extra]
    return [Requirement(text) for text in texts]


def conda_pins():
    """What environment.yml takes from conda, by name."""
    texts = [entry for entry in CONDA["dependencies"] if isinstance(entry, str)]
    return dict(text.split("=") if "=" in text else (text, None) for text in texts)


def pip_lines():
    return next(entry["pip"] for entry in CONDA["dependencies"] if isinstance(entry, dict))


def needed(name, extras=frozenset(), seen=None):
    """The names of all distributions that an installed one needs on this machine."""
    seen = set() if seen is None else seen
    for text in importlib.metadata.requires(name) or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        entry = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if entry not in seen:
            seen.add(entry)
            needed(requirement.name, requirement.extras, seen)
    return {name for name, _ in seen}


def imported_modules():
    """The modules of others that the project's code imports, each with a file that does."""
    own = {"course_utils", "start", "tests", "benchmarks", "quizzes", *sys.stdlib_module_names}
    found = {}
    for folder in ("course_utils", "quizzes", "tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            neighbours = {other.stem for other in path.parent.glob("*.py")}
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for module in {name.split(".")[0] for name in names} - own - neighbours:
                    found[module] = path.relative_to(ROOT)
    return found.items()


class TestConstraints:
    def test_every_line_is_an_exact_public_version(self):
        for line in lines_of_constraints():
            assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line

    def test_no_name_twice(self):
        assert len(pins()) == len(lines_of_constraints())

    def test_neither_the_project_nor_pip(self):
        assert not pins().keys() & {canonicalize_name(PROJECT["name"]), "pip"}

    def test_pins_satisfy_the_project(self):
        for requirement in requirements(*TESTED_EXTRAS):
            version = pins()[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{requirement} against {version}"

    def test_whatever_the_project_pulls_in_is_pinned(self):
        pulled_in = needed(PROJECT["name"], TESTED_EXTRAS)
        assert len(pulled_in) > 50, "the project is not installed here"
        assert pulled_in - pins().keys() == set()

    def test_whatever_the_code_imports_is_pinned(self):
        homes = importlib.metadata.packages_distributions()
        pinned = pins()
        for module, path in imported_modules():
            homes_of_module = {canonicalize_name(name) for name in homes.get(module, [module])}
            assert homes_of_module & pinned.keys(), f"{path} imports {module}: declare and pin it"

    def test_names_no_index(self):
        text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
        hosts = set(re.findall(r"https?://([^/\s]+)", text))
        assert hosts <= {"download.pytorch.org"}


class TestConda:
    def test_names_exactly_what_the_project_needs(self):
        from_pip = {line.split("==")[0] for line in pip_lines() if "==" in line}
        given = {canonicalize_name(name) for name in [*conda_pins(), *from_pip]}
        names = {requirement.name for requirement in requirements()}
        wanted = {canonicalize_name(CONDA_NAMES.get(name, name)) for name in names}
        assert given == wanted | {"python", "pip"}

    def test_versions_are_those_of_constraints(self):
        names = {conda: name for name, conda in CONDA_NAMES.items()}
        given = {names.get(name, name): version for name, version in conda_pins().items()}
        given.update(line.split("==") for line in pip_lines() if "==" in line)
        for name in given.keys() - {"python", "pip"}:
            assert given[name] == pins()[canonicalize_name(name)], name

    def test_python(self):
        assert re.fullmatch(r"3\.\d+", conda_pins()["python"]), "repo2docker reads one = only"
        supported = Requirement("python" + PROJECT["requires-python"]).specifier
        assert supported.contains(conda_pins()["python"])

    def test_installs_the_project_itself(self):
        assert pip_lines()[-1] == "-e ."


def test_all_that_is_no_code_is_installed_with_the_package():
    installed = {
        path
        for package, patterns in PYPROJECT["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    there = {path for path in (ROOT / "course_utils").rglob("*") if path.is_file()}
    data = {path for path in there if path.suffix != ".py" and "__pycache__" not in path.parts}
    assert data - installed == set()


def test_start_asks_for_the_python_that_the_project_needs():
    source = (ROOT / "start.py").read_text(encoding="utf-8")
    oldest = re.search(r"^OLDEST.* = \((\d+), (\d+)\)", source, re.MULTILINE)
    assert PROJECT["requires-python"] == ">={}.{}".format(*oldest.groups())


@pytest.mark.xdist_group("together")
def test_tests_of_one_group_stay_on_one_worker(request):
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("only where pytest runs side by side")
    assert request.node.nodeid.endswith("@together")  # what the scheduler goes by
