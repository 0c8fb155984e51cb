#!/usr/bin/env python3
"""Open the course, or test it, from a fresh checkout.

    python3 start.py          make the environment once, then open the course in JupyterLab
    python3 start.py test     run every check of the project

Needs the standard library only, and never root. The whole file keeps to syntax that Python 3.6
can read, so that an old Python gets as far as `hand_over` and says what is wrong.
"""

import argparse
import contextlib
import errno
import hashlib
import http.client
import json
import os
import platform
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

OLDEST: "tuple[int, int]" = (3, 11)  # Python 3.11 or newer is needed. Try:  python3 start.py

OTHER_PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")

TOO_OLD = """\
This is Python {0}.{1}; the course needs Python 3.11 or newer. Install one from python.org, or use
conda with environment.yml, then:  python3.12 start.py
当前 Python 是 {0}.{1}，本课程需要 Python 3.11 或更新版本。请从 python.org 安装，或用 conda 和
environment.yml，然后运行：  python3.12 start.py"""


def newer_python() -> "str | None":  # quoted, for old Pythons run this
    """The command of a Python on this machine that is new enough, or None."""
    for name in OTHER_PYTHONS:
        command = shutil.which(name)
        test = "import sys; sys.exit(sys.version_info < {0})".format(OLDEST)  # noqa: UP030, UP032
        if command and subprocess.call([command, "-c", test], stderr=subprocess.DEVNULL) == 0:
            return command
    return None


def hand_over() -> None:
    """Go on with a newer Python of this machine; say what to do where there is none."""
    command = newer_python()
    if command is None:
        sys.exit(TOO_OLD.format(*sys.version_info))
    os.execv(command, [command] + sys.argv)  # noqa: RUF005


if sys.version_info < OLDEST:
    hand_over()

# ------------------------------------------------------------------------- what it works with

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
VENV_PYTHON = VENV_BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "course-stamp.json"
LOG = VENV / "course-install.log"
CONSTRAINTS = ROOT / "constraints.txt"
PROJECT = ROOT / "pyproject.toml"

LANGUAGES = ("en", "zh")
START_PAGE = "00_start.ipynb"
FIRST_PORT = 8888
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
PROBE_SECONDS = 4.0
GIGABYTES = {"torch": 1.5, "others": 1.0, "gpu": 8.0}

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("course", "build", "--check"),
    ("pytest", "-n", "auto"),
)

# -------------------------------------------------------------------------------------- words

WORDS = {
    "help": (
        "Open the course in JupyterLab; `test` runs every check of the project instead, and "
        "what follows it goes to pytest.",
        "在 JupyterLab 中打开课程；加 `test` 则运行项目的全部检查，其后的参数交给 pytest。",
    ),
    "help_lang": (
        "language of the course (default: the system's)",
        "课程语言（默认：系统语言）",
    ),
    "help_port": (
        "port for JupyterLab (default: the first free one from 8888)",
        "JupyterLab 的端口（默认：从 8888 起第一个空闲端口）",
    ),
    "help_browser": ("do not open a browser", "不打开浏览器"),
    "help_gpu": (
        "Linux: keep the CUDA build of PyTorch, several GB",
        "Linux：保留 CUDA 版 PyTorch（数 GB）",
    ),
    "making": ("Making .venv with Python {python}", "建立 .venv（Python {python}）"),
    "mending": (
        "The .venv here is unfinished: mending it.",
        "这里的 .venv 尚未装完，正在修复。",
    ),
    "torch_cpu": ("Installing PyTorch {torch}, CPU only", "安装 PyTorch {torch}（仅 CPU）"),
    "torch_any": ("Installing PyTorch {torch}", "安装 PyTorch {torch}"),
    "cpu_unreachable": (
        "PyTorch's own CPU wheels are out of reach; taking the build that your package index has.",
        "无法访问 PyTorch 官方的 CPU 安装包，改用软件源中的版本。",
    ),
    "packages": (
        "Installing JupyterLab, nbgrader and the course",
        "安装 JupyterLab、nbgrader 和课程",
    ),
    "failed": ("failed", "失败"),
    "seconds": ("{seconds} s", "{seconds} 秒"),
    "opening": (
        "Opening the course in JupyterLab on port {port}. Ctrl-C here ends it.",
        "正在用 JupyterLab 打开课程（端口 {port}）。在此按 Ctrl-C 结束。",
    ),
    "check_passed": ("passed", "通过"),
    "summary": ("Checks:", "检查结果："),
    "stopped": (
        "Stopped. The same command goes on from here.",
        "已停止。再次运行同一命令即可继续。",
    ),
    "no_venv": (
        "This Python lacks the module that makes environments. On Debian or Ubuntu:\n"
        "  sudo apt install python{python}-venv\n"
        "Without root: conda with environment.yml, or a Python from python.org.",
        "这个 Python 缺少创建虚拟环境的模块。在 Debian 或 Ubuntu 上：\n"
        "  sudo apt install python{python}-venv\n"
        "没有 root 权限：用 conda 和 environment.yml，或从 python.org 安装 Python。",
    ),
    "intel_mac": (
        "PyTorch publishes no {torch} for Intel Macs; its last release for them was 2.2. Use "
        "another computer, Binder in the browser, or conda with environment.yml.\n"
        "If this Mac has Apple silicon, this Python was built for Intel: install one from "
        "python.org.",
        "PyTorch 没有为 Intel Mac 发布 {torch}（最后支持的版本是 2.2）。请换一台电脑，"
        "在浏览器中使用 Binder，或用 conda 和 environment.yml。\n"
        "如果这台 Mac 是 Apple 芯片，说明当前 Python 是 Intel 版：请从 python.org 重新安装。",
    ),
    "port_used": (
        "Port {port} is in use, perhaps by this course in another window. Try:\n"
        "  python3 start.py --port {other}",
        "端口 {port} 已被占用，可能是另一个窗口中的本课程。请试：\n"
        "  python3 start.py --port {other}",
    ),
    "no_port": (
        "There is no free port from {first} on. Close some programs, or name a port with --port.",
        "从 {first} 起没有空闲端口。请关闭一些程序，或用 --port 指定端口。",
    ),
    "no_room": (
        "Not enough disk space: about {need} GB are needed in {folder}, {free} GB are free. "
        "Make room, then run the same command.",
        "磁盘空间不足：{folder} 需要约 {need} GB，目前可用 {free} GB。请清理后再运行同一命令。",
    ),
    "no_space": (
        "The disk filled up while installing. Make room in {folder}, and in {temporary} where "
        "packages are unpacked, then run the same command.",
        "安装时磁盘已满。请清理 {folder} 以及解压软件包的 {temporary}，然后再运行同一命令。",
    ),
    "no_network": (
        "The packages cannot be fetched: no network, or a firewall or proxy is in the way "
        "(HTTPS_PROXY names a proxy). Connect, then run the same command; what is installed stays.",
        "无法下载软件包：没有网络，或被防火墙、代理阻挡（可用 HTTPS_PROXY 指定代理）。"
        "联网后再运行同一命令，已安装的会保留。",
    ),
    "no_build": (
        "Your package index lacks a package of the course for Python {python} on {system}. "
        "The course runs on 64-bit Python 3.11 to 3.14 on Linux, Windows and Apple-silicon Macs.\n"
        "The whole log: {log}",
        "软件源缺少课程所需的软件包（Python {python}，{system}）。"
        "课程需要 64 位 Python 3.11 至 3.14，可用于 Linux、Windows 和 Apple 芯片的 Mac。\n"
        "完整日志：{log}",
    ),
    "not_writable": (
        "Cannot write here ({problem}). Put the course where you may write.",
        "无法写入（{problem}）。请把课程放到有写权限的位置。",
    ),
    "install_failed": (
        "The installation stopped with this:\n{tail}\nThe whole log: {log}",
        "安装中断，最后的信息：\n{tail}\n完整日志：{log}",
    ),
}


def say(key: str, lang: str, **values: object) -> str:
    """The text of `key` in `lang`, with `values` filled in."""
    return WORDS[key][LANGUAGES.index(lang)].format(**values)


class Trouble(Exception):
    """What the person at the keyboard can mend; `key` names the words that say how."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class StepFailed(Exception):
    """A command of an installation step ended badly; its text is what the command printed."""


# ----------------------------------------------------------------------------------- language


def windows_language() -> str:
    """The display language of Windows as a locale name; empty elsewhere."""
    if sys.platform != "win32":
        return ""
    import ctypes

    chinese = ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == 0x04
    return "zh" if chinese else "en"


def preferred_language(environment: dict[str, str], system: str = "") -> str:
    """`zh` for a Chinese locale, otherwise `en`.

    The variables count in gettext's order; `system` is the answer of the operating system, used
    where no variable is set.
    """
    names = [environment.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    locale = next(filter(None, names), system)
    if locale.split(".")[0] not in ("", "C", "POSIX"):  # gettext ignores LANGUAGE under C
        locale = environment.get("LANGUAGE", "").split(":")[0] or locale
    return "zh" if locale.lower().startswith("zh") else "en"


# ------------------------------------------------------------------------------ ports, network


def port_is_free(port: int) -> bool:
    """Whether a server may listen on `port` of this machine."""
    with socket.socket() as probe:
        if os.name == "posix":  # as servers do: a connection just closed does not block the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose_port(asked: int | None) -> int:
    """The port asked for, or the first free one. Raises Trouble where there is none."""
    first = FIRST_PORT if asked is None else asked
    last = min(first + 100, 65536)
    free = next(filter(port_is_free, range(first, last)), None)
    if free is None:
        raise Trouble("no_port", first=first)
    if asked is not None and free != asked:
        raise Trouble("port_used", port=asked, other=free)
    return free


def reachable(url: str, seconds: float = PROBE_SECONDS) -> bool:
    """Whether `url` answers within `seconds`, name look-up included."""
    answers = []

    def ask() -> None:
        request = urllib.request.Request(url, method="HEAD")
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            answers.append(urllib.request.urlopen(request, timeout=seconds).status)

    # A thread, because no time-out bounds the look-up of a name.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(answers)


# ---------------------------------------------------------------------- what is installed here


class Setup(NamedTuple):
    """What an environment holds, or should hold."""

    fingerprint: str
    extras: frozenset[str]
    gpu: bool

    def covers(self, wanted: "Setup") -> bool:
        """Whether nothing is missing for `wanted`."""
        return (
            self.fingerprint == wanted.fingerprint
            and self.extras >= wanted.extras
            and self.gpu >= wanted.gpu
        )


def fingerprint(python: str | None) -> str:
    """A hash of all that decides what .venv should contain; `python` is .venv's own version."""
    import tomllib  # not at the top: Python 3.10 lacks it

    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    parts = [project["project"], CONSTRAINTS.read_text(encoding="utf-8"), str(ROOT), python]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read_stamp(path: Path) -> Setup | None:
    """What the last complete installation left in .venv; None where there was none."""
    try:
        stamp = json.loads(path.read_text(encoding="utf-8"))
        return Setup(stamp["fingerprint"], frozenset(stamp["extras"]), bool(stamp["gpu"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(path: Path, setup: Setup) -> None:
    """Record a complete installation."""
    stamp = setup._replace(extras=sorted(setup.extras))._asdict()  # type: ignore[arg-type]
    path.write_text(json.dumps(stamp) + "\n", encoding="utf-8")


def python_version(python: Path) -> str | None:
    """`3.12` and so on for a Python that runs, otherwise None."""
    test = "import sys; print('{}.{}'.format(*sys.version_info))"
    try:
        run = subprocess.run([str(python), "-I", "-c", test], stdout=subprocess.PIPE, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.decode().strip() if run.returncode == 0 else None


def site_packages(venv: Path) -> list[Path]:
    """The folders of `venv` that packages are installed in."""
    return [*venv.glob("lib/python*/site-packages"), *venv.glob("Lib/site-packages")]


def installed_version(package: str, venv: Path) -> str | None:
    """The version of a package that is wholly installed in `venv`, local part included."""
    for folder in site_packages(venv):
        for record in folder.glob(package + "-*.dist-info/RECORD"):
            return record.parent.name[len(package) + 1 : -len(".dist-info")]
    return None


def stands(venv: Path, python: Path) -> bool:
    """Whether `venv` can be built on: its Python runs, pip is whole, it was made in this place.

    A folder that was moved or copied is not: the scripts in it name the old place.
    """
    try:
        made_here = str(venv) in (venv / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    return made_here and bool(python_version(python) and installed_version("pip", venv))


def drop_unfinished(venv: Path) -> list[str]:
    """Remove what a killed pip left behind, so that pip installs those packages again.

    pip writes a package's RECORD last, and sets aside the files that it replaces under names that
    begin with a tilde. Returns the names removed.
    """
    dropped = []
    for folder in site_packages(venv):
        infos = [path for path in folder.glob("*.dist-info") if not (path / "RECORD").exists()]
        for path in [*infos, *folder.glob("~*")]:
            shutil.rmtree(str(path)) if path.is_dir() else path.unlink()
            dropped.append(path.name)
    return dropped


def torch_pin(constraints: str) -> str:
    """The version of torch in the text of constraints.txt."""
    pin = re.search(r"^torch==(\S+)", constraints, re.MULTILINE)
    assert pin, "constraints.txt pins no torch"
    return pin.group(1)


def torch_satisfies(installed: str | None, pin: str, gpu: bool) -> bool:
    """Whether the installed torch may stay: the pinned release, and no CPU build for a GPU."""
    if installed is None or installed.split("+")[0] != pin:
        return False
    return not (gpu and installed.endswith("+cpu"))


# ------------------------------------------------------------------- before an installation


def check_machine(pin: str) -> None:
    """Raise Trouble on a machine where the course cannot be installed."""
    if platform.system() == "Darwin" and platform.machine() == "x86_64":
        raise Trouble("intel_mac", torch=pin)


def check_venv_module() -> None:
    """Raise Trouble where this Python cannot make an environment (Debian splits that off)."""
    from importlib.util import find_spec

    if find_spec("venv") is None or find_spec("ensurepip") is None:
        raise Trouble("no_venv", python="{}.{}".format(*sys.version_info))


def check_room(folder: Path, gigabytes: float) -> None:
    """Raise Trouble where `folder`'s disk lacks the room for an installation."""
    free = shutil.disk_usage(str(folder)).free / 1e9
    if free < gigabytes:
        need = f"{gigabytes:.1f}"
        raise Trouble("no_room", need=need, free=f"{free:.1f}", folder=folder)


# What an installation prints, and the trouble that it tells of; the first that fits counts.
SYMPTOMS = (
    ("no_space", r"No space left on device|Errno 28|not enough space on the disk"),
    ("no_venv", r"ensurepip is not\s+available|No module named '?ensurepip"),
    (
        "no_network",
        r"NewConnectionError|ConnectTimeout|NameResolutionError|Max retries exceeded"
        r"|ProxyError|Read timed out|name resolution|Network is unreachable",
    ),
    ("no_build", r"No matching distribution found|ResolutionImpossible"),
    ("not_writable", r"Permission denied.*|Read-only file system.*"),
)


def diagnose(output: str) -> Trouble:
    """The trouble that a failed step's output tells of."""
    found = ((key, re.search(pattern, output)) for key, pattern in SYMPTOMS)
    key, match = next(filter(itemgetter(1), found), ("install_failed", None))
    return Trouble(
        key,
        problem=match and match.group(0),
        tail="\n".join("  " + line for line in output.strip().splitlines()[-8:]),
        log=LOG,
        folder=ROOT,
        temporary=tempfile.gettempdir(),
        python="{}.{}".format(*sys.version_info),
        system=platform.system() + " " + platform.machine(),
    )


DISK_TROUBLES = {
    errno.ENOSPC: "no_space",
    errno.EACCES: "not_writable",
    errno.EPERM: "not_writable",
    errno.EROFS: "not_writable",
}

# --------------------------------------------------------------------------- the installation


def tool_environment() -> dict[str, str]:
    """The environment for the tools of .venv: theirs come first, nothing outside leaks in."""
    environment = dict(os.environ, VIRTUAL_ENV=str(VENV), PYTHONUTF8="1", PIP_USER="0")
    for name in ("PYTHONPATH", "PYTHONHOME"):
        environment.pop(name, None)
    environment["PATH"] = str(VENV_BIN) + os.pathsep + environment.get("PATH", os.defpath)
    environment["JUPYTER_PREFER_ENV_PATH"] = "1"  # .venv's kernel, not one in the home folder
    environment.setdefault("PIP_RETRIES", "2")
    return environment


def keep_log(command: list[str], output: str) -> None:
    """Add a command and its output to the log, where the disk allows it."""
    with contextlib.suppress(OSError), LOG.open("a", encoding="utf-8") as log:
        log.write("$ " + shlex.join(command) + "\n" + output + "\n")


class Progress:
    """Reports an installation: a line for each step, with its seconds."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.live = sys.stdout.isatty()

    def note(self, key: str, **values: object) -> None:
        """Print a line of its own."""
        print(say(key, self.lang, **values), flush=True)

    def step(self, command: list[str], key: str, **values: object) -> None:
        """Run `command` under one line of progress. Raises StepFailed with what it printed."""
        label = say(key, self.lang, **values) + " ... "
        print(label, end="", flush=True)
        begun = time.monotonic()
        code, output = self._run(command, label, begun)
        keep_log(command, output)
        ending = say("failed", self.lang) if code else self._seconds(begun)
        print(("\r" + label if self.live else "") + ending, flush=True)
        if code != 0:
            raise StepFailed(output)

    def _run(self, command: list[str], label: str, begun: float) -> tuple[int, str]:
        """The exit code and the output of `command`; on a terminal the seconds tick meanwhile."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=str(ROOT),
            env=tool_environment(),
        )
        lines: list[bytes] = []
        reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
        reader.start()
        try:
            while reader.is_alive():
                reader.join(1)
                if self.live:
                    print("\r" + label + self._seconds(begun), end="", flush=True)
        except KeyboardInterrupt:
            process.terminate()
            raise
        return process.wait(), b"".join(lines).decode("utf-8", "replace")

    def _seconds(self, begun: float) -> str:
        """The time since `begun`, in words."""
        return say("seconds", self.lang, seconds=round(time.monotonic() - begun))


def pip_install(*arguments: str) -> list[str]:
    """The command that installs into .venv."""
    pip = [str(VENV_PYTHON), "-m", "pip", "--no-input", "--disable-pip-version-check", "install"]
    return [*pip, "--progress-bar", "off", *arguments]


def make_venv(progress: Progress) -> None:
    """Make a new, empty .venv in place of what may be there."""
    check_venv_module()
    python = getattr(sys, "_base_executable", None) or sys.executable
    version = "{}.{}.{}".format(*sys.version_info)
    progress.step([python, "-m", "venv", "--clear", str(VENV)], "making", python=version)


def install_torch(progress: Progress, pin: str, gpu: bool) -> None:
    """Install the pinned torch; on Linux its CPU build, unless `gpu` or it is out of reach.

    Linux's plain wheel brings gigabytes of CUDA; elsewhere the plain wheel is the CPU's. The
    packages that torch needs come later, all from one index.
    """
    installed = installed_version("torch", VENV)
    if torch_satisfies(installed, pin, gpu):
        return
    command = pip_install("--no-deps", "torch==" + pin)
    if installed:
        command.append("--force-reinstall")  # pip would let a CPU build of the pin stay
    if platform.system() == "Linux" and not gpu:
        if reachable(CPU_WHEELS + "/torch/"):
            with contextlib.suppress(StepFailed):  # a sign-in page may answer for it
                progress.step([*command, "--index-url", CPU_WHEELS], "torch_cpu", torch=pin)
                return
        progress.note("cpu_unreachable")
    progress.step(command, "torch_any", torch=pin)


def install(progress: Progress, extras: frozenset[str], gpu: bool) -> None:
    """Bring .venv to the tested set of packages with `extras`; mend it where it is not whole."""
    pin = torch_pin(CONSTRAINTS.read_text(encoding="utf-8"))
    check_machine(pin)
    present = VENV.exists()
    if drop_unfinished(VENV) or (present and read_stamp(STAMP) is None):
        progress.note("mending")
    room = GIGABYTES["others"]
    if not torch_satisfies(installed_version("torch", VENV), pin, gpu):
        room += GIGABYTES["gpu" if gpu else "torch"]
    check_room(ROOT, room)
    with contextlib.suppress(FileNotFoundError):
        STAMP.unlink()  # until the last step is done, .venv counts as half made
    if not stands(VENV, VENV_PYTHON):
        make_venv(progress)
    install_torch(progress, pin, gpu)
    names = "[" + ",".join(sorted(extras)) + "]" if extras else ""
    progress.step(pip_install("-c", str(CONSTRAINTS), "-e", "." + names), "packages")
    trust_notebooks()
    write_stamp(STAMP, Setup(fingerprint(python_version(VENV_PYTHON)), extras, gpu))


def trust_notebooks() -> None:
    """Sign the course's notebooks: JupyterLab takes the style out of outputs it does not trust."""
    notebooks = sorted(str(path) for path in ROOT.glob("notebooks/??/*.ipynb"))
    command = [str(VENV_PYTHON), "-m", "jupyter", "trust", *notebooks]
    with contextlib.suppress(OSError):
        subprocess.call(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=tool_environment(),
        )


def prepare(progress: Progress, extras: frozenset[str], gpu: bool) -> None:
    """Make sure that .venv holds the course with `extras`; returns at once where it does."""
    there = read_stamp(STAMP)
    if there:
        wanted = Setup(fingerprint(python_version(VENV_PYTHON)), extras, gpu)
        if there.covers(wanted):
            return
        extras, gpu = extras | there.extras, gpu or there.gpu
    try:
        install(progress, extras, gpu)
    except StepFailed as failure:
        trouble = diagnose(str(failure))
        if there and trouble.key == "no_network":
            write_stamp(STAMP, there)  # pip fetches everything before it changes anything
        raise trouble from failure


# ----------------------------------------------------------------------------- opening, testing


NBGRADER_EXCHANGE = Path("/usr/local/share/nbgrader/exchange")  # where nbgrader looks by default
NBGRADER = ("formgrader", "validate_assignment", "assignment_list", "course_list")
IN_A_CLASS = ("validate_assignment", "assignment_list")  # what a learner in a class uses of it


def in_a_class() -> bool:
    """Whether nbgrader is set up for this learner: settings of it lie here, or its exchange."""
    own = os.environ.get("JUPYTER_CONFIG_DIR") or Path.home() / ".jupyter"
    shared = (VENV / "etc" / "jupyter", Path("/usr/local/etc/jupyter"), Path("/etc/jupyter"))
    settings = (folder.glob("nbgrader_config.*") for folder in (Path(own), *shared))
    return any(map(any, settings)) or NBGRADER_EXCHANGE.is_dir()


def hidden_extensions() -> dict[str, bool]:
    """What JupyterLab hides from a learner: all of nbgrader; in a class the instructor's part."""
    if not in_a_class():
        return {"@jupyter/nbgrader": True}
    plugins = ("formgrader", "course-list", "create-assignment")
    return {"@jupyter/nbgrader:" + plugin: True for plugin in plugins}


def write_settings(lab: Path, lang: str) -> Path:
    """Write JupyterLab's defaults below `lab`; returns the folder with the learner's.

    A learner gets the course's language and, of nbgrader, what a learner needs. An instructor's
    own JupyterLab reads `settings` and keeps both as they are. Neither calls home for news.
    """
    learners = lab / ("settings-" + lang)
    quiet = {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    }
    locale = {"locale": "zh_CN" if lang == "zh" else "en"}
    files: dict[Path, dict[str, object]] = {
        lab / "settings" / "overrides.json": {**quiet},
        learners / "overrides.json": {**quiet, "@jupyterlab/translation-extension:plugin": locale},
        learners / "page_config.json": {
            "disabledExtensions": hidden_extensions(),
            "buildAvailable": False,  # a learner builds nothing, and the check for it starts Node
            "buildCheck": False,
        },
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return learners


def lab_command(lang: str, settings: Path, port: int, browser: bool) -> list[str]:
    """The command that opens the start page in JupyterLab."""
    shown = IN_A_CLASS if in_a_class() else ()
    options = [
        *(
            f"--ServerApp.jpserver_extensions=nbgrader.server_extensions.{name}={name in shown}"
            for name in NBGRADER
        ),
        "--ServerApp.root_dir=" + str(ROOT / "notebooks" / lang),
        "--LabApp.default_url=/lab/tree/" + START_PAGE,
        "--LabApp.app_settings_dir=" + str(settings),
        "--LabApp.workspaces_dir=" + str(settings / "workspaces"),
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.log_level=ERROR",
        "--LabApp.log_level=ERROR",
    ]
    if not browser:
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # a container; it listens on this machine alone
    return [str(VENV_PYTHON), "-m", "course_utils.lab", *options]


def open_course(progress: Progress, port: int, browser: bool) -> int:
    """Open JupyterLab; returns its exit code where it does not replace this process."""
    settings = write_settings(VENV / "share" / "jupyter" / "lab", progress.lang)
    progress.note("opening", port=port)
    command = lab_command(progress.lang, settings, port, browser)
    # Where JupyterLab stands, nbgrader puts what a learner fetches; its root is where that opens.
    os.chdir(str(ROOT / "notebooks" / progress.lang))
    if os.name == "posix":
        os.execve(command[0], command, tool_environment())
    process = subprocess.Popen(command, env=tool_environment())
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # JupyterLab got it too, and asks
            return process.wait()


def run_check(
    command: "Sequence[str]", environment: "dict[str, str]", aside: bool
) -> "tuple[int, str, float, str | None]":
    """Run one check; its exit code, its command, its seconds and, `aside`, what it said."""
    begun = time.monotonic()
    program = shutil.which(command[0], path=str(VENV_BIN)) or command[0]
    ended = subprocess.run(
        [program, *command[1:]],
        cwd=str(ROOT),
        env=environment,
        encoding="utf-8",
        errors="replace",
        stdout=subprocess.PIPE if aside else None,
        stderr=subprocess.STDOUT if aside else None,
    )
    return ended.returncode, shlex.join(command), time.monotonic() - begun, ended.stdout


def run_checks(progress: Progress, arguments: list[str]) -> int:
    """Run every check of the project and list the outcomes; 0 where all passed.

    All but pytest run side by side; pytest takes every core, so it follows, and is seen at work.
    """
    environment = tool_environment()
    environment.setdefault("OMP_NUM_THREADS", "1")  # pytest's workers share the cores already
    workers = (os.cpu_count() or 1) + 1  # one more than cores: many tests wait for a browser
    environment.setdefault("PYTEST_XDIST_AUTO_NUM_WORKERS", str(workers))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests start some hundred processes
    *short, pytest = CHECKS
    outcomes = []
    with ThreadPoolExecutor() as pool:
        for outcome in pool.map(lambda check: run_check(check, environment, True), short):
            print(f"\n$ {outcome[1]}\n{outcome[3]}", end="", flush=True)
            outcomes.append(outcome)
    print("\n$ " + shlex.join([*pytest, *arguments]), flush=True)
    outcomes.append(run_check([*pytest, *arguments], environment, False))
    print("\n" + say("summary", progress.lang))
    for code, command, seconds, _ in outcomes:
        verdict = say("failed" if code else "check_passed", progress.lang)
        print(f"  {verdict}  {command}  ({seconds:.1f} s)")
    return int(any(code for code, *_ in outcomes))


# --------------------------------------------------------------------------------- command line


def parser(lang: str) -> argparse.ArgumentParser:
    """The command line, its help in `lang`."""
    root = argparse.ArgumentParser(description=say("help", lang), allow_abbrev=False)
    root.add_argument("task", nargs="?", choices=["test"])
    root.add_argument("--lang", choices=LANGUAGES, default=lang, help=say("help_lang", lang))
    root.add_argument("--port", type=int, help=say("help_port", lang))
    root.add_argument("--no-browser", action="store_true", help=say("help_browser", lang))
    root.add_argument("--gpu", action="store_true", help=say("help_gpu", lang))
    return root


def act(options: argparse.Namespace, rest: list[str]) -> int:
    """Do what the command line asks for; returns the exit code."""
    progress = Progress(options.lang)
    if options.task == "test":
        prepare(progress, frozenset({"dev"}), options.gpu)
        return run_checks(progress, rest)
    choose_port(options.port)  # a port in use is told now, not after minutes of installing
    prepare(progress, frozenset(), options.gpu)
    return open_course(progress, choose_port(options.port), not options.no_browser)


def main(arguments: list[str]) -> int:
    """Run; troubles that a person can mend are told in words, on standard error."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    root = parser(preferred_language(dict(os.environ), windows_language()))
    options, rest = root.parse_known_args(arguments)
    if rest and options.task != "test":
        root.error("unrecognized arguments: " + " ".join(rest))
    try:
        return act(options, rest)
    except Trouble as trouble:
        text = say(trouble.key, options.lang, **trouble.values)
    except KeyboardInterrupt:
        print("\n" + say("stopped", options.lang), file=sys.stderr)
        return 130
    except OSError as problem:
        if problem.errno not in DISK_TROUBLES:
            raise
        folders = {"folder": ROOT, "temporary": tempfile.gettempdir()}
        text = say(DISK_TROUBLES[problem.errno], options.lang, problem=problem, **folders)
    print(text, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
