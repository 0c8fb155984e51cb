"""Build lessons: source -> notebooks with the outputs of a clean run, and kits, both languages."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from course_utils.authoring.kits import QUIZZES, build_kit
from course_utils.authoring.notebook import assemble
from course_utils.authoring.source import BuildError, lesson_names
from course_utils.kit import REPOSITORY, Kit, find_kit, kit_path, write_kit
from course_utils.words import LANGUAGES

NOTEBOOKS = REPOSITORY / "notebooks"
MAX_BYTES = 600_000
CELL_SECONDS = 300
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

Say = Callable[[str], None]


def build(lessons: Sequence[str] | None, say: Say) -> None:
    """Build `lessons` (all when None) into `notebooks/en` and `notebooks/zh`.

    Raises:
        BuildError: a source cannot be built, or a cell fails; nothing of that lesson is written.
    """
    names = list(lessons or lesson_names())
    for number, lesson in enumerate(names, 1):
        started = time.monotonic()
        say(f"[{number}/{len(names)}] {lesson}: running both languages …")
        # One after the other: making a kit silences what it calls, which holds for all threads.
        kits = [_kit(lesson, lang) for lang in LANGUAGES]
        with ThreadPoolExecutor(len(LANGUAGES)) as pool:
            built = list(pool.map(partial(_built, lesson), LANGUAGES, kits))
        for lang, notebook, kit in zip(LANGUAGES, built, kits, strict=True):
            _write(lesson, lang, notebook, kit)
        sizes = ", ".join(f"{lang} {_size(lesson, lang) // 1000} KB" for lang in LANGUAGES)
        say(f"    done in {time.monotonic() - started:.0f} s ({sizes})")


def reword(lessons: Sequence[str] | None, say: Say) -> None:
    """Write the prose of `lessons` (all when None) anew and keep the outputs; nothing runs.

    Raises:
        BuildError: code, questions or exercises changed as well, so outputs may be out of date.
    """
    for lesson in lessons or lesson_names():
        kits = [_kit(lesson, lang) for lang in LANGUAGES]
        written = [_reworded(lesson, *pair) for pair in zip(LANGUAGES, kits, strict=True)]
        for lang, notebook, kit in zip(LANGUAGES, written, kits, strict=True):
            _write(lesson, lang, notebook, kit)
        say(f"{lesson}: prose written, outputs kept.")


def _reworded(lesson: str, lang: str, kit: Kit | None) -> nbformat.NotebookNode:
    path = notebook_path(lesson, lang)
    fresh = assemble(lesson, lang, solutions=False)
    old = nbformat.read(path, as_version=4) if path.exists() else nbformat.v4.new_notebook()
    ran = [cell for cell in old.cells if cell.cell_type == "code"]
    code = [cell for cell in fresh.cells if cell.cell_type == "code"]
    if [_bare(cell) for cell in ran] != [_bare(cell) for cell in code] or kit != find_kit(
        lesson, path.parent
    ):
        raise BuildError(
            f"{lesson} ({lang}): more than its prose changed. Run `course build {lesson}`."
        )
    for cell, stored in zip(code, ran, strict=True):
        cell.outputs, cell.execution_count = stored.outputs, stored.execution_count
    return fresh


def out_of_step(lessons: Sequence[str] | None) -> list[str]:
    """Which committed notebooks and kits differ from what their source gives (outputs aside)."""
    complaints: list[str] = []
    for lesson in lessons or lesson_names():
        for lang in LANGUAGES:
            fresh, kit = assemble(lesson, lang, solutions=False), _kit(lesson, lang)
            complaints += _differences(lesson, lang, fresh, kit)
    return complaints


def _differences(
    lesson: str, lang: str, fresh: nbformat.NotebookNode, kit: Kit | None
) -> Iterable[str]:
    path = notebook_path(lesson, lang)
    name = path.relative_to(REPOSITORY)
    if not path.exists():
        yield f"{name} is missing."
        return
    committed = nbformat.read(path, as_version=4)
    if not any(cell.get("outputs") for cell in committed.cells):
        yield f"{name} holds no outputs."
    for number, (new, old) in enumerate(zip(fresh.cells, committed.cells, strict=False), 1):
        if _bare(new) != _bare(old):
            yield f"{name}: cell {number} is not what the source gives."
            break
    if len(fresh.cells) != len(committed.cells) or fresh.metadata != committed.metadata:
        yield f"{name}: its number of cells or its metadata is not what the source gives."
    if kit != find_kit(lesson, path.parent):
        yield f"{kit_path(lesson, path.parent).relative_to(REPOSITORY)} is not what quizzes/ gives."


def _bare(cell: nbformat.NotebookNode) -> dict:
    """A cell without what a run adds."""
    return {key: cell[key] for key in ("id", "cell_type", "source", "metadata")}


def notebook_path(lesson: str, lang: str) -> Path:
    """Where the built notebook lies."""
    return NOTEBOOKS / lang / f"{lesson}.ipynb"


def _kit(lesson: str, lang: str) -> Kit | None:
    stated = any((QUIZZES / f"{lesson}{ending}").exists() for ending in (".yml", ".py"))
    return build_kit(lesson, lang, "practice") if stated else None


def _built(lesson: str, lang: str, kit: Kit | None) -> nbformat.NotebookNode:
    notebook = assemble(lesson, lang, solutions=False)
    run_clean(notebook, kit, f"{lesson} ({lang})", other_kits=NOTEBOOKS / lang / ".course")
    return notebook


def run_clean(
    notebook: nbformat.NotebookNode, kit: Kit | None, name: str, other_kits: Path
) -> None:
    """Run the notebook top to bottom in a folder of its own and store tidy outputs in it.

    Raises:
        BuildError: a cell raised, or wrote a warning.
    """
    metadata = dict(notebook.metadata)
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(other_kits.glob("*.kit.json")):
            (Path(folder) / ".course").mkdir(exist_ok=True)
            shutil.copy(path, Path(folder) / ".course")
        if kit:
            write_kit(kit, kit_path(kit["lesson"], Path(folder)))
        client = NotebookClient(
            notebook, timeout=CELL_SECONDS, kernel_name="python3", record_timing=False,
            resources={"metadata": {"path": folder}}, extra_arguments=["--log-level=ERROR"],
            shutdown_kernel="immediate",
        )  # fmt: skip
        try:
            client.execute(env=os.environ | {"JUPYTERHUB_USER": "learner"})
        except CellExecutionError as problem:
            raise BuildError(f"{name}: a cell raised.\n{problem}") from problem
    notebook.metadata = nbformat.from_dict(metadata)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            joined = _joined(cell.outputs)
            cell.outputs = [tidy for output in joined for tidy in _tidy(output, cell, name)]


def _joined(outputs: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Outputs with neighbouring pieces of one stream put together, as a front end shows them."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _tidy(output: nbformat.NotebookNode, cell: nbformat.NotebookNode, name: str) -> list:
    """Keep what reads without a kernel: no live widget views, progress bars at their end."""
    if output.output_type == "error":  # raised after the cell, while a figure was drawn, say
        start = cell.source.partition("\n")[0]
        raise BuildError(f"{name}: the cell {start!r} raised {output.ename}: {output.evalue}")
    if output.output_type == "stream":
        if output.name == "stderr":
            start = cell.source.partition("\n")[0]
            raise BuildError(f"{name}: the cell {start!r} wrote to stderr: {output.text}")
        output.text = re.sub(r"[^\n]*\r(?!\n)", "", output.text)
        return [output] if output.text.strip() else []
    if "image/png" in output.get("data", {}):
        output.data["image/png"] = _slim(output.data["image/png"])
    if WIDGET_VIEW in output.get("data", {}):
        del output.data[WIDGET_VIEW]
        if set(output.data) <= {"text/plain"}:
            return []
    return [output]


def _slim(png: str) -> str:
    """The picture (base64) in 256 colours if that is smaller; a plot looks the same in a third."""
    from PIL import Image

    slim = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        picture.convert("RGB").quantize(256).save(slim, "PNG", optimize=True)
    encoded = base64.b64encode(slim.getvalue()).decode()
    return encoded if len(encoded) < len(png) else png


def _write(lesson: str, lang: str, notebook: nbformat.NotebookNode, kit: Kit | None) -> None:
    text = nbformat.writes(notebook) + "\n"
    size = len(text.encode())
    if size > MAX_BYTES:
        raise BuildError(
            f"{lesson} ({lang}) is {size // 1000} KB; the limit is {MAX_BYTES // 1000} KB. "
            "Make its plots smaller or fewer."
        )
    path = notebook_path(lesson, lang)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if kit:
        write_kit(kit, kit_path(lesson, path.parent))


def _size(lesson: str, lang: str) -> int:
    return notebook_path(lesson, lang).stat().st_size
