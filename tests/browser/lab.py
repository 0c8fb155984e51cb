"""A real JupyterLab on loopback and a real browser, driven as a learner would."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Locator, Page, TimeoutError, sync_playwright

import start
from course_utils.authoring.build import NOTEBOOKS

# The headless shell is the same browser without what draws windows, and much lighter.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
USER = getpass.getuser()  # whom nbgrader takes a learner for
ANSI = "\x1b\\[[0-9;]*m"
LOOPBACK = {"127.0.0.1", "localhost"}
SECONDS = 1000  # Playwright counts in milliseconds
PATIENCE = 60 * SECONDS  # on a crowded machine everything takes long; nothing waits without need
MENUS = {
    "en": {"run": "Run", "run_all": "Run All Cells"},
    "zh": {"run": "运行", "run_all": "运行所有单元格"},
}
# The "idle" light shows before the kernel is connected; what is run until then is dropped.
KERNEL_READY = """path => {
  const widget = window.jupyterapp?.shell.currentWidget;
  const kernel = widget?.sessionContext?.session?.kernel;
  return widget?.context?.path === path && widget.content.widgets.length > 0
    && kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
STATE = """() => {
  const widget = window.jupyterapp.shell.currentWidget;
  const kernel = widget?.sessionContext?.session?.kernel;
  return [widget?.title.label, widget?.context?.path, kernel?.connectionStatus, kernel?.status];
}"""
CELLS = "window.jupyterapp.shell.currentWidget.content.widgets"
CELL = f"{CELLS}.find(c => c.model.id === id)"
# JupyterLab adds far cells to the page when it has time. Playwright's own scrolling takes frames.
SHOW = f"""async id => {{
  const index = {CELLS}.findIndex(c => c.model.id === id);
  const {{ node }} = {CELLS}[index];
  for (let n = 0; n < 600 && !node.isConnected; n++) await new Promise(go => setTimeout(go, 100));
  node.scrollIntoViewIfNeeded();
  return index;
}}"""
LAST = f"() => {CELLS}.findLast(c => c.model.type === 'code').model.id"
RED = """() => {
  const { cells } = window.jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON();
  return cells.flatMap(({ id, outputs = [] }) => outputs
    .filter(({ output_type, name }) => output_type === 'error' || name === 'stderr')
    .map(({ text, traceback }) => [`${id}:`, ...[text ?? traceback].flat()]));
}"""
RUN = """async ids => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  const found = notebook.widgets.filter(cell => ids.includes(cell.model.id));
  notebook.activeCellIndex = notebook.widgets.indexOf(found[0]);
  found.forEach(cell => notebook.select(cell));
  await window.jupyterapp.commands.execute('notebook:run-cell');
}"""
FORGET = f"id => {{ {CELL}.model.executionCount = null; }}"
HAS_RUN = f"""id => {{
  const model = {CELL}.model;
  return model.executionCount !== null && model.executionState === 'idle';
}}"""
COMMAND = """async ([name, given]) => {
  await window.jupyterapp.commands.execute(name, given);
}"""
# An empty main area would get a launcher later, which would then cover what a test has opened.
CLOSE_ALL = """async () => {
  const { shell, commands } = window.jupyterapp;
  const open = [...shell.widgets('main')];
  if (open.every(widget => widget.context)) await commands.execute('launcher:create');
  await Promise.all(open.filter(widget => widget.context).map(async widget => {
    await widget.sessionContext?.shutdown();
    widget.dispose();  // to close it would ask whether to save what the shutdown has changed
  }));
}"""


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Servers


def learners_command(lang: str, root: Path, port: int) -> list[str]:
    """What `start.py` runs for a learner of a course that lies in `root`."""
    with patch.multiple(start, ROOT=root, VENV_PYTHON=Path(sys.executable)):
        settings = start.write_settings(root / "lab", lang)
        return start.lab_command(lang, settings, port, browser=False)


def plain_command(folder: Path, port: int) -> list[str]:
    """`jupyter lab` as an instructor starts it in a class's folder."""
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--ServerApp.root_dir={folder}", "--ServerApp.ip=127.0.0.1"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
    ]


@contextmanager
def serve(command: list[str], port: int, home: Path, user: str, cwd: Path) -> Iterator[str]:
    """A Jupyter server with settings of its own in `home`; yields its address."""
    quiet = home / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True, exist_ok=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    folders = {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
    }
    env = os.environ | {name: str(home / folder) for name, folder in folders.items()}
    env |= {"JUPYTERHUB_USER": user, "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [*command, "--IdentityProvider.token=", "--expose-app-in-browser"]
    command += ["--KernelManager.shutdown_wait_time=0.1"]  # a kernel's end is nothing to wait for
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=cwd)
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/api", server, home / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait_until_up(address: str, server: subprocess.Popen, log: Path) -> None:
    for _ in range(900):
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab stopped:\n{log.read_text()[-2000:]}")
        try:
            urllib.request.urlopen(address, timeout=2)
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not answer:\n{log.read_text()[-2000:]}")


# Pages


def until(page: Page, condition: str, **given: Any) -> None:
    """Wait until a condition in JavaScript holds.

    Playwright would look at every frame, and keep the page drawing frames for that.
    """
    page.wait_for_function(condition, polling=100, **given)


@contextmanager
def new_page(browser: Browser, away: Sequence[str] = ()) -> Iterator[Page]:
    """A page; a request that would leave this machine fails the test, but for those to `away`.

    Not even they get out: Chromium looks up no name.
    """
    size = {"width": 1280, "height": 900}
    context = browser.new_context(viewport=size, reduced_motion="reduce")
    strangers: list[str] = []

    def note(request: Any) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob", "file") and url.hostname not in {*LOOPBACK, *away}:
            strangers.append(request.url)

    context.on("request", note)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        yield page
    finally:
        context.close()
    assert strangers == [], f"requests that left this machine: {strangers}"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium, which must be there."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


class Lab:
    """JupyterLab in a page, with a learner's folders below its root."""

    def __init__(
        self, page: Page, address: str, root: Path, lang: str = "en", exchange: Path | None = None
    ) -> None:
        self.page = page
        self.address = address
        self.root = root
        self.lang = lang
        self.exchange = exchange

    def visit(self, path: str = "") -> None:
        """Load JupyterLab afresh, with the file at `path` open."""
        tree = f"/tree/{quote(path)}" if path else ""
        self.page.goto(f"{self.address}/lab{tree}?reset")
        self.ready()
        until(self.page, "() => window.jupyterapp.shell.currentWidget")

    def ready(self) -> None:
        """Wait until JupyterLab stands, after a page was loaded."""
        until(self.page, "() => window.jupyterapp?.shell")
        self.page.evaluate("async () => { await window.jupyterapp.restored; }")

    def lessons(self, name: str) -> Path:
        """A learner's own copy of the lessons, in a new folder below the root."""
        place = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.root))
        place.chmod(0o755)
        return Path(shutil.copytree(NOTEBOOKS / self.lang, place, dirs_exist_ok=True))

    def stand(self) -> None:
        """Go on in the page as it stands; load JupyterLab if it never was."""
        if not self.page.url.startswith(f"{self.address}/lab"):
            self.visit()

    def open(self, path: str) -> Notebook:
        """The notebook at `path`, opened in the page as it stands, its kernel ready."""
        self.stand()
        self.command("docmanager:open", path=path)
        return Notebook(self, path)

    def close_all(self) -> None:
        """Close every document without saving it, and end its kernel."""
        if "/lab" in self.page.url:
            self.page.evaluate(CLOSE_ALL)

    def command(self, name: str, **arguments: Any) -> None:
        """Run one of JupyterLab's commands and wait for its end."""
        self.page.evaluate(COMMAND, [name, arguments])

    def menu(self, *keys: str) -> None:
        """Click through JupyterLab's menus, in its language."""
        for key in keys:
            self.page.get_by_role("menuitem", name=MENUS[self.lang][key], exact=True).click()


@contextmanager
def learners_lab(browser: Browser, lang: str) -> Iterator[Lab]:
    """JupyterLab as `start.py` opens it for a learner in a class, on an empty folder."""
    # Not pytest's own folder: others may not enter that, and in one test the kernel is another.
    with tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as name:
        root = Path(name)
        root.chmod(0o755)
        notebooks, exchange, config = root / "notebooks" / lang, root / "exchange", root / "config"
        for folder in (notebooks, exchange, config):
            folder.mkdir(parents=True)
        exchange.chmod(0o777)
        settings = f"c = get_config()\nc.Exchange.root = {str(exchange)!r}\n"
        (config / "nbgrader_config.py").write_text(settings)
        port = free_port()
        with patch.dict(os.environ, JUPYTER_CONFIG_DIR=str(config)):  # start.py sees a class by it
            command = learners_command(lang, root, port)
        with serve(command, port, root, USER, notebooks) as address, new_page(browser) as page:
            yield Lab(page, address, notebooks, lang, exchange)


class Notebook:
    """One notebook open in JupyterLab."""

    def __init__(self, lab: Lab, path: str) -> None:
        self.lab = lab
        self.page = lab.page
        self.path = path
        self.file = lab.root / path
        try:
            until(self.page, KERNEL_READY, arg=path)
        except TimeoutError as problem:
            raise RuntimeError(f"no kernel: {self.page.evaluate(STATE)}") from problem
        # "light" does not look into every shadow of a page of many thousand nodes.
        self.panel = self.page.locator("css:light=.jp-NotebookPanel:not(.lm-mod-hidden)")

    def run_all(self) -> None:
        """Run > Run All Cells, and wait until all have run."""
        last = self.page.evaluate(LAST)
        self.page.evaluate(FORGET, last)
        self.lab.menu("run", "run_all")
        until(self.page, HAS_RUN, arg=last, timeout=10 * PATIENCE)

    def cell(self, cell_id: str) -> Locator:
        """A cell on the page, scrolled into view."""
        index = self.page.evaluate(SHOW, cell_id)
        return self.panel.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')

    def run(self, *cell_ids: str) -> None:
        """Select some cells and run them, in their order; an error ends that."""
        self.page.evaluate(RUN, cell_ids)

    def write(self, cell_id: str, code: str) -> None:
        """Replace a cell's code, as by pasting, and run it by Shift+Enter."""
        self.cell(cell_id).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(code)
        self.shift_enter(cell_id)

    def shift_enter(self, cell_id: str) -> None:
        """Run the cell that has the focus, `cell_id`, as most do."""
        self.page.evaluate(FORGET, cell_id)
        self.page.keyboard.press("Shift+Enter")
        until(self.page, HAS_RUN, arg=cell_id)

    def question(self, name: str) -> Locator:
        """The live panel of a question."""
        return self.cell(f"quiz-{name}").locator(".cq-panel")

    def verdict(self, exercise: str) -> Locator:
        """The panel under an exercise's check."""
        return self.cell(f"check-{exercise}").locator(".cq-check")

    def save(self) -> None:
        """Press Ctrl+S and wait until the file is written."""
        self.page.keyboard.press("ControlOrMeta+s")
        until(self.page, "() => !window.jupyterapp.shell.currentWidget.context.model.dirty")

    def errors(self) -> list[str]:
        """What stands in red in the notebook."""
        return [re.sub(ANSI, "", "\n".join(told)) for told in self.page.evaluate(RED)]
