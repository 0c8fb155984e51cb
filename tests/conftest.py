"""Fixtures that several folders of tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import course_utils  # noqa: F401  # first of all: it makes reading notebooks cheaper to import
from course_utils.grading.confined import Warm

gc.set_threshold(50_000)  # most of what collecting tests makes lives on

LONG = ("tests/browser/", "tests/hub/")
"""What takes its time is begun first, and left out by `-m "not long"`."""
TOGETHER = ("claims", "attacks")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side: files whose tests share something dear stay together; long tests come first."""
    for item in items:
        if item.path.parent.name in TOGETHER or item.path.name == "test_figures.py":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        if item.nodeid.startswith(LONG):
            item.add_marker(pytest.mark.long)

    def rank(item: pytest.Item) -> int:
        return next((n for n, start in enumerate(LONG) if item.nodeid.startswith(start)), 99)

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    """What is loaded by now stays; no search for dead objects need touch it, in forks neither."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def trained_models() -> Iterator[None]:
    """A folder for trained models: each is trained once, and again only when its code changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_DATA", str(Path(__file__).parents[1] / "build" / "trained"))
        yield


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """A warm process, one for each worker: to start one takes almost two seconds."""
    with Warm() as made:
        yield made


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, one for each worker. Without it tests are skipped; in CI they fail."""
    from tests.browser.lab import CHROMIUM, chromium

    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("There is no Chromium, and CI must not go without.")
        pytest.skip("needs Chromium (Debian: chromium-headless-shell)")
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static site, built once; the tests that use it stay on one worker."""
    from course_utils.site.build import build_site

    folder = tmp_path_factory.mktemp("site")
    build_site(folder, lambda line: None)
    return folder
