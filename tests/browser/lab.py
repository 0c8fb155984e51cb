"""A real JupyterLab on loopback and a real browser, driven as a learner would."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
]
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false"},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
LOOPBACK = {"127.0.0.1", "localhost"}
SECONDS = 1000  # Playwright counts in milliseconds
KERNEL_READY = """() => {
  const session = window.jupyterapp?.shell.currentWidget?.sessionContext?.session;
  return session?.kernel?.connectionStatus === 'connected' && session.kernel.status === 'idle';
}"""
KERNEL_IDLE = """() =>
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"""
NOTHING_PENDING = """() => ![...document.querySelectorAll('.jp-InputPrompt')]
  .some(prompt => prompt.textContent.includes('[*]'))"""


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def jupyter_lab(folder: Path, home: Path) -> Iterator[str]:
    """JupyterLab on `folder`, with settings of its own in `home`; yields its address."""
    for name, settings in SETTINGS.items():
        path = home / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings))
    port = free_port()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", "--ip=127.0.0.1",
        f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--allow-root",
        "--ServerApp.port_retries=0", "--expose-app-in-browser",
    ]  # fmt: skip
    env = os.environ | {
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERHUB_USER": "ada",
    }
    with open(home / "server.log", "w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=home)
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/api", server, home / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)


def _wait_until_up(address: str, server: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab stopped:\n{log.read_text()[-2000:]}")
        try:
            urllib.request.urlopen(address, timeout=2)
            return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError(f"JupyterLab did not answer:\n{log.read_text()[-2000:]}")


@contextmanager
def browser_page(width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A page of a headless browser; a request that would leave this machine fails the test."""
    strangers: list[str] = []

    def stay_home(route):
        url = urlsplit(route.request.url)
        if url.scheme in ("data", "blob") or url.hostname in LOOPBACK:
            return route.continue_()
        strangers.append(route.request.url)
        return route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.route("**/*", stay_home)
        yield page
        browser.close()
    assert strangers == [], f"requests that left this machine: {strangers}"


class Notebook:
    """One notebook open in JupyterLab."""

    def __init__(self, page: Page, address: str, name: str) -> None:
        self.page = page
        page.goto(f"{address}/lab/tree/{name}")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60 * SECONDS)
        # The "idle" light shows before the kernel is connected; Run All is dropped until then.
        page.wait_for_function(KERNEL_READY, timeout=60 * SECONDS)

    def command(self, name: str) -> None:
        """Run one of JupyterLab's commands on this notebook."""
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def run_all(self, seconds: float = 120) -> None:
        """Run > Run All Cells, and wait until all of them have run."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.wait_until_done(seconds)

    def wait_until_done(self, seconds: float = 60) -> None:
        """Wait until no cell is waiting and the kernel is idle."""
        self.page.wait_for_timeout(300)
        self.page.wait_for_function(NOTHING_PENDING, timeout=seconds * SECONDS)
        self.page.wait_for_function(KERNEL_IDLE, timeout=seconds * SECONDS)

    def cell_with(self, code: str) -> Locator:
        """The code cell whose input holds `code`."""
        editors = self.page.locator(".jp-CodeCell").filter(
            has=self.page.locator(".cm-content", has_text=code)
        )
        return editors.first

    def run_cell(self, cell: Locator) -> None:
        """Click into a cell and press Shift+Enter."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")
        self.wait_until_done()

    def write_cell(self, cell: Locator, code: str) -> None:
        """Replace a cell's code, as by pasting, and run it."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(code)
        self.page.keyboard.press("Shift+Enter")
        self.wait_until_done()

    def save(self) -> None:
        """Press Ctrl+S and wait until the file is written."""
        self.page.keyboard.press("ControlOrMeta+s")
        self.page.wait_for_function(
            "() => !window.jupyterapp.shell.currentWidget.context.model.dirty",
            timeout=20 * SECONDS,
        )

    def shut_down_kernel(self) -> None:
        """End the kernel, and with it every live widget."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def error_outputs(self) -> list[str]:
        """What stands in red in the notebook."""
        boxes = self.page.locator('[data-mime-type="application/vnd.jupyter.stderr"]')
        tracebacks = self.page.locator('[data-mime-type="application/vnd.jupyter.error"]')
        return boxes.all_inner_texts() + tracebacks.all_inner_texts()
