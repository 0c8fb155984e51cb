"""A real JupyterHub on loopback with real accounts, and people who use it over HTTP."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
import websocket

from tests.browser.lab import free_port

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy" / "jupyterhub"
PROXY = ROOT / "build" / "proxy" / "node_modules" / ".bin" / "configurable-http-proxy"
MINUTE = 60
PORTS = """
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.command = {proxy!r}
c.JupyterHub.services[0]["url"] = "http://127.0.0.1:{service}"
"""


def proxy_command() -> str | None:
    """Where configurable-http-proxy is: installed for all, or by `.ci/run` for the tests."""
    return str(PROXY) if PROXY.exists() else shutil.which("configurable-http-proxy")


def wait_for(what: Any, seconds: float = MINUTE) -> Any:
    """What `what()` returns as soon as that is something."""
    until = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > until:
            raise TimeoutError(f"nothing came of {what}")
        time.sleep(0.25)
    return found


# Accounts


@contextmanager
def account(name: str, home: Path, *options: str) -> Iterator[str]:
    """A Unix account with a private home; yields its password. Removed at the end."""
    password = secrets.token_hex(8)
    command = ["useradd", "--create-home", "--home-dir", str(home), "--user-group", *options]
    subprocess.run([*command, "-K", "HOME_MODE=0700", name], check=True, capture_output=True)
    try:
        if not options:
            given = f"{name}:{password}"
            subprocess.run(["chpasswd"], input=given, text=True, check=True)
        yield password
    finally:
        end_processes(name)
        subprocess.run(["userdel", name], check=False, capture_output=True)


def end_processes(name: str) -> None:
    """End what still runs as an account of the test's own making."""
    uid = int(subprocess.run(["id", "-u", name], capture_output=True, check=True).stdout)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid:
                os.kill(int(folder.name), 9)
        except (FileNotFoundError, ProcessLookupError):
            continue


# The hub


def closed_to_others(path: Path) -> Path | None:
    """The outermost folder on the way to `path` that other accounts may not pass."""
    above = [*reversed(path.parents)]
    return next((folder for folder in above if not folder.stat().st_mode & 0o001), None)


def opened(command: list[str], stage: Path) -> list[str]:
    """`command`, run where every account can get at Python and the course.

    A server has them where all may read. A tester's Python often lies in a closed home; then the
    command gets a view of the file system of its own, in which that home holds nothing else.
    """
    lines = []
    for number, path in enumerate({Path(sys.base_prefix), Path(sys.prefix), ROOT}):
        closed = closed_to_others(path)
        if closed:
            place = stage / str(number)
            place.mkdir()
            lines.append((closed, path, place))
    if not lines:
        return command
    script = [
        *(f"mount --bind '{path}' '{place}'" for _, path, place in lines),
        *(f"mount -t tmpfs -o mode=755 none '{closed}'" for closed in {line[0] for line in lines}),
        *(f"mkdir -p '{path}' && mount --move '{place}' '{path}'" for _, path, place in lines),
        'exec "$@"',
    ]
    shell = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", "\n".join(script)]
    return [*shell, "sh", *command]


def write_config(state: Path, settings: dict[str, Any], ports: dict[str, Any]) -> Path:
    """The department's configuration with the lines at its top edited, and ports that are free."""
    text = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    for name, value in settings.items():
        text, edited = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value!r}", text)
        assert edited == 1, f"{name} does not stand at the top of jupyterhub_config.py"
    path = state / "jupyterhub_config.py"
    path.write_text(text + PORTS.format(**ports), encoding="utf-8")
    return path


@contextmanager
def jupyterhub(state: Path, settings: dict[str, Any]) -> Iterator[str]:
    """A running hub; yields its address."""
    ports = {name: free_port() for name in ("public", "hub", "api", "service")}
    address = f"http://127.0.0.1:{ports['public']}"
    settings = settings | {"ADDRESS": address, "STATE": str(state), "REPOSITORY": str(ROOT)}
    config = write_config(state, settings, ports | {"proxy": proxy_command()})
    log = state / "hub.log"
    with log.open("w") as out:
        command = opened([sys.executable, "-m", "jupyterhub", "-f", str(config)], state)
        hub = subprocess.Popen(
            command, cwd=state, stdout=out, stderr=out, preexec_fn=hear_interrupts
        )
        try:
            wait_for(lambda: answers(f"{address}/hub/api/", hub, log))
            yield address
        finally:
            hub.terminate()
            hub.wait(MINUTE)
            left = state / "proxy.pid"  # a hub that fails while it starts leaves its proxy behind
            if left.exists():
                os.kill(int(left.read_text()), 15)


def hear_interrupts() -> None:
    """A shell lets what it runs in the background ignore them, and a hub stops servers by them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def answers(address: str, hub: subprocess.Popen, log: Path) -> bool:
    """Whether the hub answers by now."""
    if hub.poll() is not None:
        raise RuntimeError(f"JupyterHub stopped:\n{log.read_text()[-4000:]}")
    try:
        return requests.get(address, timeout=2).ok
    except requests.ConnectionError:
        return False


class Person:
    """Somebody who has logged in, with a password and cookies as in a browser."""

    def __init__(self, address: str, name: str, password: str, lang: str = "en") -> None:
        self.address = address
        self.name = name
        self.browser = requests.Session()
        self.browser.headers["Accept-Language"] = lang
        page = f"{address}/hub/login"
        self.browser.get(page)
        form = {"username": name, "password": password, "_xsrf": self.browser.cookies["_xsrf"]}
        self.login = self.browser.post(page, data=form, params={"next": "/hub/home"})

    @property
    def is_in(self) -> bool:
        """Whether the hub took the password."""
        return self.login.ok and self.login.url.endswith("/hub/home")

    def call(self, method: str, path: str, content: Any = None) -> requests.Response:
        """Ask the hub, a server or a service; what changes something names the page's secret."""
        where = f"{self.address}/{path}"
        prefix = "/" + path.split("/api/")[0].split("/assignments")[0].split("/formgrader")[0] + "/"
        secret = [c.value for c in self.browser.cookies if c.name == "_xsrf" and c.path == prefix]
        headers = {"X-XSRFToken": secret[0]} if secret else {}
        return self.browser.request(method, where, json=content, headers=headers)

    def start_server(self) -> None:
        """Start this person's JupyterLab, and wait until it has opened."""
        self.call("POST", f"hub/api/users/{self.name}/server")
        mine = f"hub/api/users/{self.name}"
        wait_for(lambda: self.call("GET", mine).json()["servers"].get("", {}).get("ready"))
        self.browser.get(f"{self.address}/user/{self.name}/lab").raise_for_status()

    def mine(self, method: str, path: str, content: Any = None) -> Any:
        """Ask this person's own server, and read its JSON."""
        answer = self.call(method, f"user/{self.name}/{path}", content)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def assignments(self, action: str, lesson: str, course: str) -> list[dict[str, Any]]:
        """Press a button of nbgrader's Assignment List; returns the list after it."""
        asked = {"course_id": course, "assignment_id": lesson}
        told = self.mine("POST", f"assignments/{action}", asked)
        assert told["success"], told
        return told["value"]

    @contextmanager
    def kernel(self, notebook: str, server: str = "") -> Iterator[Kernel]:
        """A kernel of a notebook, on this person's server where none is named."""
        kernels = f"{server or f'user/{self.name}'}/api/kernels"
        made = self.call("POST", kernels, {"name": "python3", "path": notebook})
        made.raise_for_status()
        route = f"{kernels}/{made.json()['id']}"
        where = f"{self.address}/{route}/channels".replace("http", "ws", 1)
        request = requests.Request("GET", f"{self.address}/{route}")
        cookies = self.browser.prepare_request(request).headers["Cookie"]
        line = websocket.create_connection(where, cookie=cookies, timeout=MINUTE)
        try:
            yield Kernel(line)
        finally:
            line.close()
            self.call("DELETE", route)


class Kernel:
    """What runs a person's cells."""

    def __init__(self, line: websocket.WebSocket) -> None:
        self.line = line

    def run(self, code: str) -> str:
        """Run a cell; returns what it printed. An error is one here too."""
        asked = uuid.uuid4().hex
        header = {"msg_id": asked, "msg_type": "execute_request", "username": "", "session": "test"}
        content = {"code": code, "silent": False, "store_history": False, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.line.send(json.dumps({**message, "channel": "shell", "buffers": []}))
        printed = ""
        while True:
            told = json.loads(self.line.recv())
            if told["parent_header"].get("msg_id") != asked:
                continue
            content = told["content"]
            if told["msg_type"] == "stream":
                printed += content["text"]
            elif told["msg_type"] == "error":
                raise RuntimeError("\n".join(content["traceback"]))
            elif told["msg_type"] == "status" and content["execution_state"] == "idle":
                return printed
