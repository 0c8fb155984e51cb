"""A notebook of a few cells on lesson 1's questions, for tests that need no whole lesson."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from course_utils.authoring.notebook import KERNEL

from .lab import Lab, Notebook

LESSON = "01_language_models"
CELLS = {
    "imports": f'import numpy as np\nfrom ipywidgets import interactive\n'
    f'from course_utils import open_lesson\n\nquiz, check = open_lesson("{LESSON}")',
    "quiz-perplexity": 'quiz("perplexity")',
    "quiz-geometric": 'quiz("geometric")',
    "quiz-fair_test": 'quiz("fair_test")',
    "bigram_counts": "def bigram_counts(ids, vocab_size):\n    raise NotImplementedError",
    "check-bigram_counts": "check(bigram_counts)",
    "slider": "interactive(lambda scale: print('scale', scale), scale=(0, 3))",
}  # fmt: skip
WRONG = "def bigram_counts(ids, vocab_size):\n    return np.zeros((vocab_size, vocab_size), int)"


def write_short(folder: Path, name: str = LESSON) -> None:
    """Put the notebook into a learner's folder."""
    cells = [new_code_cell(code, id=cell_id) for cell_id, code in CELLS.items()]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, folder / f"{name}.ipynb")


def open_short(lab: Lab, folder: Path, *cell_ids: str) -> Notebook:
    """Write the notebook, open it, and run its imports and these cells."""
    write_short(folder)
    notebook = lab.open(f"{folder.name}/{LESSON}.ipynb")
    notebook.run("imports", *cell_ids)
    return notebook
