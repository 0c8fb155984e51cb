"""Fixtures: one JupyterLab per language and worker, a fresh folder per test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .lab import PATIENCE, Lab, learners_lab

expect.set_options(timeout=PATIENCE)
SHOTS = Path(__file__).parents[2] / "build" / "screenshots"


WITHOUT_LAB = ("test_site.py", "test_quiz_panel.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep one language's tests on one worker: they share a browser and a JupyterLab."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            params = getattr(item, "callspec", None)
            lang = params.params.get("lang", "en") if params else "en"
            name = "site" if item.path.name in WITHOUT_LAB else lang
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
    return lab.lessons(request.node.originalname.removeprefix("test_")[:40])


@pytest.fixture
def shots() -> Path:
    """Where pictures of the main moments go: left behind by the run, not committed."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    return SHOTS
