"""Where a lesson runs without installing: its addresses on Binder and Colab, for its first cell."""

from __future__ import annotations

import tomllib
from functools import cache
from urllib.parse import quote

from course_utils.kit import REPOSITORY
from course_utils.words import say

BRANCH = "main"
GUIDE = {"en": "docs/elsewhere.md", "zh": "docs/elsewhere.zh.md"}


@cache
def repository_url() -> str:
    """The public address of the course, which stands in one place: `pyproject.toml`."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["urls"]["Repository"].rstrip("/")


def file_url(path: str) -> str:
    """Where a file of the repository is shown on the web."""
    return f"{repository_url()}/blob/{BRANCH}/{quote(path)}"


def binder_url(lesson: str, lang: str) -> str:
    """What opens the lesson on Binder."""
    path = quote(_path(lesson, lang), safe="")
    return f"https://mybinder.org/v2/gh/{_owner_and_name()}/{BRANCH}?labpath={path}"


def colab_url(lesson: str, lang: str) -> str:
    """What opens the lesson on Colab."""
    path = quote(_path(lesson, lang))
    host = "https://colab.research.google.com"
    return f"{host}/github/{_owner_and_name()}/blob/{BRANCH}/{path}"


def links_line(lesson: str, lang: str) -> str:
    """One line of Markdown for a lesson's first cell."""
    return say(
        "elsewhere_line",
        lang,
        binder=binder_url(lesson, lang),
        colab=colab_url(lesson, lang),
        guide=file_url(GUIDE[lang]),
    )


def _path(lesson: str, lang: str) -> str:
    return f"notebooks/{lang}/{lesson}.ipynb"


def _owner_and_name() -> str:
    return repository_url().removeprefix("https://github.com/")
