"""Fixtures: one JupyterLab per language and worker, a fresh folder per test."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from course_utils.authoring.build import NOTEBOOKS

from .lab import PATIENCE, Lab, learners_lab

expect.set_options(timeout=PATIENCE)
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep one language's tests on one worker: they share a browser and a JupyterLab.

    The tests of a class start their own.
    """
    for item in items:
        if Path(__file__).parent in item.path.parents:
            params = getattr(item, "callspec", None)
            lang = params.params.get("lang", "en") if params else "en"
            name = "class" if item.path.name == "test_class.py" else lang
            item.add_marker(pytest.mark.xdist_group(f"browser-{name}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Leave a picture of what a failed test saw last."""
    report = yield
    lab = getattr(item, "funcargs", {}).get("lab")
    if report.failed and lab is not None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"\W+", "-", item.name)
        lab.page.screenshot(path=SHOTS / f"failed-{name}.png")
    return report


@pytest.fixture(scope="session")
def labs(browser: Browser) -> Iterator[Callable[[str], Lab]]:
    """A learner's JupyterLab by language, as `start.py` opens it."""
    opened: dict[str, Lab] = {}
    with ExitStack() as stack:

        def lab(lang: str) -> Lab:
            if lang not in opened:
                opened[lang] = stack.enter_context(learners_lab(browser, lang))
            return opened[lang]

        yield lab


@pytest.fixture(params=["en", "zh"])
def lang(request: pytest.FixtureRequest) -> str:
    """The language of the course."""
    return request.param


@pytest.fixture
def lab(labs: Callable[[str], Lab], lang: str) -> Iterator[Lab]:
    """JupyterLab in `lang`; what a test opens is closed after it."""
    yield labs(lang)
    labs(lang).close_all()


@pytest.fixture
def folder(lab: Lab, request: pytest.FixtureRequest) -> Path:
    """A learner's own copy of the lessons, below the lab's root."""
    name = request.node.originalname.removeprefix("test_")[:40]
    place = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=lab.root))
    place.chmod(0o755)
    return Path(shutil.copytree(NOTEBOOKS / lab.lang, place, dirs_exist_ok=True))


@pytest.fixture
def shots() -> Path:
    """Where pictures of the main moments go: left behind by the run, not committed."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return SHOTS
