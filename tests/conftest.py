"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

LONG = (
    "notebooks/",
    "grading/test_three_ways.py",
    "grading/test_loop.py",
    "grading/test_cluster.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side: a file of claims stays on one worker with what it trained; long tests first."""
    for item in items:
        if item.path.parent.name == "claims" or item.path.name == "test_figures.py":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: not item.nodeid.removeprefix("tests/").startswith(LONG))


@pytest.fixture(scope="session", autouse=True)
def trained_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder of this run's own for trained models, so that each is trained once in a run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_DATA", str(shared / "trained"))
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, one for each worker. Without it tests are skipped; in CI they fail."""
    from tests.browser.lab import CHROMIUM, chromium

    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("There is no Chromium, and CI must not go without (Debian: chromium).")
        pytest.skip("needs Chromium (Debian: chromium)")
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static site, built once; the tests that use it stay on one worker."""
    from course_utils.site.build import build_site

    folder = tmp_path_factory.mktemp("site")
    build_site(folder, lambda line: None)
    return folder
