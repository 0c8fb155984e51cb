"""Build the site: pages from the committed notebooks, kits and guides; nothing is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from nbformat import NotebookNode, v4

from course_utils.authoring.elsewhere import GUIDE, repository_url
from course_utils.errors import UserError
from course_utils.kit import REPOSITORY, Kit, find_kit
from course_utils.quiz.static import card_css
from course_utils.quiz.view import LANG_TAGS
from course_utils.site.cells import Piece, Reader, png_size
from course_utils.site.prose import Heading, Renderer
from course_utils.site.questions import form_of, words
from course_utils.site.search import entries
from course_utils.words import LANGUAGES, say

NOTEBOOKS = REPOSITORY / "notebooks"
START = "00_start"
COVER = REPOSITORY / "docs" / "attention.png"
MARK = ".course-site"
MARK_TEXT = "Made by `course site`, which empties this folder before it builds anew.\n"


@dataclass(frozen=True)
class Lesson:
    """One lesson in one language, read and rendered."""

    name: str
    title: str
    pieces: list[Piece]
    kit: Kit | None

    @property
    def headings(self) -> list[Heading]:
        """All its headings, its title's too."""
        return [heading for piece in self.pieces for heading in piece.headings]

    @property
    def page(self) -> str:
        """The file of its page."""
        return "index.html" if self.name == START else f"{self.name}.html"


def build_site(target: Path, say_line: Callable[[str], None]) -> None:
    """Write the whole site into `target`, which is made, or emptied if it holds a site.

    Raises:
        UserError: `target` holds something else, or a notebook is missing.
    """
    _make_room(target)
    names = sorted(path.stem for path in (NOTEBOOKS / "en").glob("[0-9][0-9]_*.ipynb"))
    english = {name: _lesson(name, "en") for name in names}
    chinese = {name: _lesson(name, "zh", english[name]) for name in names}
    _copy_assets(target)
    for lang, lessons in (("en", english), ("zh", chinese)):
        _Language(target, lang, list(lessons.values())).write()
    _write(target / "index.html", _template("choose.html").render(tags=LANG_TAGS))
    pages = len(list(target.rglob("*.html")))
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    say_line(f"{pages} pages, {size / 1e6:.1f} MB. Open {target / 'index.html'} in a browser.")


def _make_room(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        if not (target / MARK).is_file():
            raise UserError(f"{target} holds something else. Name a new or an empty folder.")
        shutil.rmtree(target)
    target.mkdir(parents=True, exist_ok=True)
    _write(target / MARK, MARK_TEXT)
    _write(target / ".nojekyll", "")


def _lesson(name: str, lang: str, twin: Lesson | None = None) -> Lesson:
    """Read a lesson; its headings get the ids of its English twin."""
    path = NOTEBOOKS / lang / f"{name}.ipynb"
    notebook = _notebook(path)
    ids = [heading.id for heading in twin.headings] if twin else None
    reader = Reader(Renderer(f"notebooks/{lang}", ids), lang)
    pieces = list(reader.pieces(notebook))
    title = next(heading.text for piece in pieces for heading in piece.headings)
    return Lesson(name, title, pieces, _kit(name, path.parent, pieces))


def _kit(name: str, folder: Path, pieces: list[Piece]) -> Kit | None:
    try:
        kit = find_kit(name, folder)
    except ValueError as problem:
        raise UserError(str(problem)) from problem
    asked = {piece.name for piece in pieces if piece.kind == "question"}
    if asked - set(kit["questions"] if kit else ()):
        raise UserError(f"{name}: its notebook asks what its kit lacks. Run `course build {name}`.")
    return kit


def _notebook(path: Path) -> NotebookNode:
    if not path.exists():
        raise UserError(f"{path.relative_to(REPOSITORY)} is missing. Run `course build`.")
    return v4.reads(path.read_text(encoding="utf-8"))


def _copy_assets(target: Path) -> None:
    folder = target / "assets"
    folder.mkdir()
    for source in files("course_utils.site").joinpath("assets").iterdir():
        text = source.read_text("utf-8")
        if source.name == "site.css":
            panel = files("course_utils.quiz").joinpath("panel.css").read_text("utf-8")
            text = f"{card_css()}\n{panel}\n{text}"
        _write(folder / source.name, text)
    shutil.copy(COVER, folder)


@dataclass(frozen=True)
class _Language:
    """The pages of one language."""

    target: Path
    lang: str
    lessons: list[Lesson]

    def write(self) -> None:
        numbered = [lesson for lesson in self.lessons if lesson.name != START]
        for position, lesson in enumerate(numbered):
            before = numbered[position - 1] if position else None
            after = numbered[position + 1] if position + 1 < len(numbered) else None
            self._page("lesson.html", lesson.page, lesson, before=before, after=after)
        self._page("start.html", "index.html", self.lessons[0], cover=png_size(COVER.read_bytes()))
        guide = self._guide()
        self._page("guide.html", guide.page, guide)
        self._index([*self.lessons, guide])

    def _page(self, template: str, file: str, lesson: Lesson, **more: Any) -> None:
        for piece in lesson.pieces:
            self._store_pictures(piece)
        context = {
            "lang": self.lang,
            "tag": LANG_TAGS[self.lang],
            "other": next(lang for lang in LANGUAGES if lang != self.lang),
            "say": lambda key, **values: say(f"site_{key}", self.lang, **values),
            "words": words(self.lang),
            "repository": repository_url(),
            "lessons": [one for one in self.lessons if one.name != START],
            "lesson": lesson,
            "file": file,
            "questions": {
                piece.name: form_of(lesson.kit, piece.name)
                for piece in lesson.pieces
                if piece.kind == "question" and lesson.kit
            },
        }
        _write(self.target / self.lang / file, _template(template).render(context | more))

    def _store_pictures(self, piece: Piece) -> None:
        for picture in (output.picture for output in piece.outputs):
            if picture:
                path = self.target / "assets" / "plots" / picture.name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(picture.data)

    def _guide(self) -> Lesson:
        """The page on Binder and Colab, from `docs/`."""
        text = (REPOSITORY / GUIDE[self.lang]).read_text(encoding="utf-8")
        prose = Renderer("docs").render(text)
        piece = Piece("prose", prose.html, headings=prose.headings)
        return Lesson("elsewhere", prose.headings[0].text, [piece], None)

    def _index(self, lessons: list[Lesson]) -> None:
        found = [entry for lesson in lessons for entry in _entries(lesson)]
        listed = json.dumps({"lang": self.lang, "entries": found}, ensure_ascii=False)
        # A script, not JSON: a page opened from a folder may load no JSON.
        _write(self.target / "assets" / f"index-{self.lang}.js", f"courseIndex({listed});\n")


def _entries(lesson: Lesson) -> Iterator[dict[str, str]]:
    kit = lesson.kit or {"questions": {}}
    pieces = lesson.pieces[:2] if lesson.name == START else lesson.pieces
    return entries(lesson.page, lesson.title, pieces, kit["questions"])


@cache
def _template(name: str) -> Any:
    environment = Environment(
        loader=PackageLoader("course_utils.site"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template(name)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
