"""How long a learner waits: from click to verdict in a real JupyterLab and a real browser.

    python -m benchmarks.feedback            # about half a minute; needs Chromium

Prints medians in milliseconds, each with its share of what we aim at: a verdict on a question
100 ms after the click on Submit; a verdict on an exercise 100 ms after its check is run; the first
question on screen 1 s after its cell is run in a fresh kernel; `import course_utils` in 200 ms.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from course_utils.authoring.build import NOTEBOOKS
from tests.browser.lab import Lab, Notebook, chromium, learners_lab
from tests.browser.short import WRONG, open_short

TIMES = 20
KERNELS = 5
IMPORT = """
import time
begun = time.perf_counter()
import course_utils
print(time.perf_counter() - begun)
"""
TOOLS = """
const frame = () => new Promise(requestAnimationFrame);
const until = async found => { while (!found()) await frame(); };
const notebook = window.jupyterapp.shell.currentWidget.content;
const cell = notebook.widgets.find(cell => cell.model.id === id);
const find = selector => cell.node.querySelector(selector);
"""
CLICK = f"""async id => {{{TOOLS}
  find('input').click();
  const begun = performance.now();
  find('.cq-main').click();
  await until(() => find('[data-phase="done"]'));
  const seen = performance.now();
  find('.cq-actions button').click();
  await until(() => find('[data-phase="open"]'));
  return seen - begun;
}}"""
RUN = f"""async id => {{{TOOLS}
  cell.outputArea.model.clear();
  await until(() => !find('.cq'));
  notebook.activeCellIndex = notebook.widgets.indexOf(cell);
  const begun = performance.now();
  window.jupyterapp.commands.execute('notebook:run-cell');
  await until(() => find('.cq-panel, .cq-check'));
  return performance.now() - begun;
}}"""


def import_time() -> float:
    """Milliseconds that `import course_utils` takes in a new Python."""
    run = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True)
    return 1000 * float(run.stdout)


def in_fresh_kernels(lab: Lab, folder: Path) -> list[float]:
    """First question on screen, once per kernel."""
    waits = []
    for _ in range(KERNELS):
        open_short(lab, folder)
        waits.append(lab.page.evaluate(RUN, "quiz-perplexity"))
        lab.close_all()
    return waits


def verdicts(notebook: Notebook) -> dict[str, list[float]]:
    """Waits for questions and for checks."""
    notebook.write("bigram_counts", WRONG)
    page = notebook.page
    return {
        "question: click to verdict": [
            page.evaluate(CLICK, "quiz-perplexity") for _ in range(TIMES)
        ],
        "exercise: run to verdict": [
            page.evaluate(RUN, "check-bigram_counts") for _ in range(TIMES)
        ],
    }


def main() -> None:
    """Measure and print."""
    waits = {"import course_utils": [import_time() for _ in range(KERNELS)]}
    with chromium() as browser, learners_lab(browser, "en") as lab:
        folder = Path(shutil.copytree(NOTEBOOKS / "en", lab.root / "lessons"))
        waits["first question on screen"] = in_fresh_kernels(lab, folder)
        waits |= verdicts(open_short(lab, folder, "quiz-perplexity"))
    aims = {"import course_utils": 200, "first question on screen": 1000}
    for name, found in waits.items():
        median, aim = statistics.median(found), aims.get(name, 100)
        print(
            f"{name:28} {median:6.0f} ms   {median / aim:.2f} of {aim} ms   worst {max(found):.0f}"
        )


if __name__ == "__main__":
    main()
