"""start.py: the choices it makes and the words it finds, without installing anything."""

import ast
import importlib.util
import json
import os
import re
import shutil
import socket
import string
import sys
import threading
import time
from collections import namedtuple
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from course_utils import words

SOURCE = Path(__file__).parents[2] / "start.py"
specification = importlib.util.spec_from_file_location("start", SOURCE)
start = importlib.util.module_from_spec(specification)
specification.loader.exec_module(start)

FULL = start.Setup("now", frozenset({"dev"}), gpu=True)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout with constraints and project of its own; start.py works there."""
    for name in ("CONSTRAINTS", "PROJECT"):
        copy = tmp_path / getattr(start, name).name
        shutil.copy(getattr(start, name), copy)
        monkeypatch.setattr(start, name, copy)
    venv = tmp_path / ".venv"
    monkeypatch.setattr(start, "ROOT", tmp_path)
    monkeypatch.setattr(start, "VENV", venv)
    monkeypatch.setattr(start, "VENV_PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(start, "STAMP", venv / "stamp.json")
    monkeypatch.setattr(start, "LOG", venv / "install.log")
    return tmp_path


def site_packages(venv):
    folder = venv / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def install_package(venv, name, version, finished=True):
    info = site_packages(venv) / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").touch()
    if finished:
        (info / "RECORD").touch()
    return info


class Recorder:
    """Stands in for Progress: keeps what it is told, and fails the steps it is told to."""

    lang = "en"

    def __init__(self, failing=()):
        self.notes, self.steps, self.commands, self.failing = [], [], [], dict(failing)

    def note(self, key, **values):
        self.notes.append(key)

    def step(self, command, key, **values):
        self.steps.append(key)
        self.commands.append(command)
        if key in self.failing:
            raise start.StepFailed(self.failing[key])


class TestOldPythons:
    def test_python_3_6_can_read_the_file(self):
        ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 6))

    def test_python_2_stumbles_over_the_line_that_says_what_to_do(self):
        first = next(
            node
            for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
            if isinstance(node, ast.AnnAssign)
        )
        line = SOURCE.read_text(encoding="utf-8").splitlines()[first.lineno - 1]
        assert "Python 3.11 or newer" in line
        assert line.isascii()

    def test_guard_comes_before_what_old_pythons_cannot_run(self):
        body = ast.parse(SOURCE.read_text(encoding="utf-8")).body
        guard = next(at for at, node in enumerate(body) if isinstance(node, ast.If))
        before = [node for node in body[:guard] if isinstance(node, ast.FunctionDef)]
        for function in before:
            assert isinstance(function.returns, ast.Constant), f"{function.name}: quote the hint"
            assert not function.args.args

    def test_too_old_is_told_in_both_languages(self, monkeypatch):
        monkeypatch.setattr(start, "newer_python", lambda: None)
        monkeypatch.setattr(start.sys, "version_info", (3, 8, 18, "final", 0))
        with pytest.raises(SystemExit) as ending:
            start.hand_over()
        assert "This is Python 3.8; the course needs Python 3.11" in ending.value.code
        assert "当前 Python 是 3.8" in ending.value.code

    def test_goes_on_with_a_newer_python(self, monkeypatch):
        calls = []
        monkeypatch.setattr(start, "newer_python", lambda: "/opt/python3.12")
        monkeypatch.setattr(start.sys, "argv", ["start.py", "--lang", "zh"])
        monkeypatch.setattr(start.os, "execv", lambda *call: calls.append(call))
        start.hand_over()
        assert calls == [("/opt/python3.12", ["/opt/python3.12", "start.py", "--lang", "zh"])]

    @pytest.mark.skipif(os.name != "posix", reason="scripts with a shebang")
    def test_a_command_that_does_not_run_is_no_newer_python(self, tmp_path, monkeypatch):
        broken = tmp_path / "python3.11"
        broken.write_text("#!/bin/sh\nexit 127\n")
        broken.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert start.newer_python() is None
        (tmp_path / "python3.12").symlink_to(sys.executable)
        assert start.newer_python() == str(tmp_path / "python3.12")


class TestWords:
    @pytest.mark.parametrize("key", start.WORDS)
    def test_both_languages_say_the_same(self, key):
        english, chinese = start.WORDS[key]
        fields = [
            {field for _, field, _, _ in string.Formatter().parse(text) if field}
            for text in (english, chinese)
        ]
        assert fields[0] == fields[1]
        assert re.search("[一-鿿]", chinese)

    def test_languages_are_the_courses(self):
        assert start.LANGUAGES == words.LANGUAGES

    @pytest.mark.parametrize(
        ("environment", "system", "language"),
        [
            ({"LANG": "zh_CN.UTF-8"}, "", "zh"),
            ({"LANG": "zh_TW"}, "", "zh"),
            ({"LANG": "en_GB.UTF-8"}, "", "en"),
            ({"LANG": "de_DE.UTF-8"}, "", "en"),
            ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "", "en"),
            ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "", "zh"),
            ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "", "zh"),
            ({"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, "", "en"),
            ({"LANG": "", "LC_ALL": ""}, "", "en"),
            ({}, "zh", "zh"),
            ({"LANG": "en_US"}, "zh", "en"),
        ],
    )
    def test_language_from_the_locale(self, environment, system, language):
        assert start.preferred_language(environment, system) == language


class TestPorts:
    @pytest.fixture
    def busy(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            yield server.getsockname()[1]

    def test_a_port_asked_for_and_in_use(self, busy):
        assert not start.port_is_free(busy)
        with pytest.raises(start.Trouble) as trouble:
            start.choose_port(busy)
        assert trouble.value.key == "port_used"
        assert trouble.value.values["port"] == busy
        assert start.port_is_free(trouble.value.values["other"])

    def test_skips_ports_in_use_where_none_is_asked_for(self, busy, monkeypatch):
        monkeypatch.setattr(start, "FIRST_PORT", busy)
        assert busy < start.choose_port(None) < busy + 100

    def test_a_free_port_asked_for(self, busy):
        free = start.choose_port(None)
        assert start.choose_port(free) == free

    def test_no_such_port(self):
        with pytest.raises(start.Trouble) as trouble:
            start.choose_port(99999)
        assert trouble.value.key == "no_port"


class Answer(BaseHTTPRequestHandler):
    """Answers /200, /404 and so on with that status, /hang with nothing."""

    def do_HEAD(self):
        if self.path == "/hang":
            self.server.released.wait(20)
        else:
            self.send_response(int(self.path[1:]))
            self.end_headers()

    def log_message(self, *_):
        pass


class TestProbe:
    @pytest.fixture
    def site(self, monkeypatch):
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        server = HTTPServer(("127.0.0.1", 0), Answer)
        server.released = threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.released.set()
        server.shutdown()
        server.server_close()

    @pytest.mark.parametrize(("path", "answer"), [("/200", True), ("/404", False), ("/503", False)])
    def test_status(self, site, path, answer):
        assert start.reachable(site + path) is answer

    @contextmanager
    def within(self, seconds):
        begun = time.monotonic()
        yield
        assert time.monotonic() - begun < seconds

    def test_a_server_that_never_answers(self, site):
        with self.within(3):
            assert not start.reachable(site + "/hang", seconds=0.2)

    def test_nobody_listens(self, site):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        with self.within(3):
            assert not start.reachable(address, seconds=2)

    def test_a_name_server_that_never_answers(self, monkeypatch):
        asked, done = threading.Event(), threading.Event()

        def look_up(*_, **__):
            asked.set()
            done.wait(20)
            raise socket.gaierror

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        monkeypatch.setenv("no_proxy", "*")
        with self.within(3):
            assert not start.reachable("http://wheels.invalid/", seconds=0.2)
        assert asked.is_set()
        done.set()

    def test_decides_in_a_few_seconds(self):
        assert start.PROBE_SECONDS <= 5


class TestStamp:
    @pytest.mark.parametrize(
        ("wanted", "covered"),
        [
            (FULL, True),
            (FULL._replace(extras=frozenset(), gpu=False), True),
            (FULL._replace(extras=frozenset({"dev", "cluster"})), False),
            (FULL._replace(fingerprint="later"), False),
        ],
    )
    def test_covers(self, wanted, covered):
        assert FULL.covers(wanted) is covered

    def test_a_cpu_setup_does_not_cover_a_gpu(self):
        assert not FULL._replace(gpu=False).covers(FULL)

    def test_survives_writing_and_reading(self, tmp_path):
        start.write_stamp(tmp_path / "stamp", FULL)
        assert start.read_stamp(tmp_path / "stamp") == FULL

    @pytest.mark.parametrize("text", [None, "", "{", "[]", '{"fingerprint": "now"}'])
    def test_a_missing_or_damaged_stamp_counts_as_none(self, tmp_path, text):
        if text is not None:
            (tmp_path / "stamp").write_text(text)
        assert start.read_stamp(tmp_path / "stamp") is None

    def test_fingerprint_follows_what_is_installed(self, root, monkeypatch):
        first = start.fingerprint("3.11")
        assert first == start.fingerprint("3.11")
        assert first != start.fingerprint("3.12")
        start.CONSTRAINTS.write_text(start.CONSTRAINTS.read_text() + "extra==1.0\n")
        second = start.fingerprint("3.11")
        project = start.PROJECT.read_text(encoding="utf-8")
        start.PROJECT.write_text(project.replace("dependencies = [", 'dependencies = [\n"extra",'))
        third = start.fingerprint("3.11")
        monkeypatch.setattr(start, "ROOT", root / "moved")
        assert len({first, second, third, start.fingerprint("3.11")}) == 4

    def test_fingerprint_ignores_the_settings_of_tools(self, root):
        before = start.fingerprint("3.11")
        start.PROJECT.write_text(start.PROJECT.read_text(encoding="utf-8") + "\n[tool.other]\n")
        assert start.fingerprint("3.11") == before


class TestHalfMade:
    def test_drops_what_a_killed_pip_left(self, tmp_path):
        whole = install_package(tmp_path, "numpy", "2.4.6")
        install_package(tmp_path, "sympy", "1.14.0", finished=False)
        (site_packages(tmp_path) / "~andas").mkdir()
        (site_packages(tmp_path) / "numpy").mkdir()
        assert sorted(start.drop_unfinished(tmp_path)) == ["sympy-1.14.0.dist-info", "~andas"]
        left = {path.name for path in site_packages(tmp_path).iterdir()}
        assert left == {whole.name, "numpy"}

    def test_drops_nothing_where_nothing_is(self, tmp_path):
        assert start.drop_unfinished(tmp_path / ".venv") == []

    def test_installed_version(self, tmp_path):
        install_package(tmp_path, "torchvision", "0.28.0")
        install_package(tmp_path, "sympy", "1.14.0", finished=False)
        assert start.installed_version("torch", tmp_path) is None
        assert start.installed_version("sympy", tmp_path) is None
        install_package(tmp_path, "torch", "2.13.0+cpu")
        assert start.installed_version("torch", tmp_path) == "2.13.0+cpu"

    @pytest.fixture
    def venv(self, tmp_path):
        install_package(tmp_path, "pip", "25.3")
        (tmp_path / "pyvenv.cfg").write_text(f"command = python -m venv {tmp_path}\n")
        return tmp_path

    def test_stands(self, venv):
        assert start.stands(venv, Path(sys.executable))

    def test_without_a_python_that_runs(self, venv):
        assert not start.stands(venv, venv / "bin" / "python")

    def test_without_a_whole_pip(self, venv):
        (site_packages(venv) / "pip-25.3.dist-info" / "RECORD").unlink()
        assert not start.stands(venv, Path(sys.executable))

    def test_moved_from_elsewhere(self, venv):
        (venv / "pyvenv.cfg").write_text("command = python -m venv /home/somebody/.venv\n")
        assert not start.stands(venv, Path(sys.executable))

    def test_not_there(self, tmp_path):
        assert not start.stands(tmp_path / ".venv", Path(sys.executable))


class TestMachine:
    @pytest.mark.parametrize("missing", ["venv", "ensurepip"])
    def test_no_venv_module(self, monkeypatch, missing):
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == missing else object()
        )
        with pytest.raises(start.Trouble) as trouble:
            start.check_venv_module()
        version = "{}.{}".format(*sys.version_info)
        said = start.say(trouble.value.key, "en", **trouble.value.values)
        assert f"sudo apt install python{version}-venv" in said

    def test_venv_module_there(self, monkeypatch):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
        start.check_venv_module()

    @pytest.mark.parametrize(
        ("system", "machine", "fits"),
        [
            ("Darwin", "x86_64", False),
            ("Darwin", "arm64", True),
            ("Linux", "x86_64", True),
            ("Windows", "AMD64", True),
        ],
    )
    def test_intel_macs(self, monkeypatch, system, machine, fits):
        monkeypatch.setattr(start.platform, "system", lambda: system)
        monkeypatch.setattr(start.platform, "machine", lambda: machine)
        if fits:
            start.check_machine("2.13.0")
        else:
            with pytest.raises(start.Trouble, match="intel_mac"):
                start.check_machine("2.13.0")

    def test_disk_space(self, monkeypatch, tmp_path):
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(start.shutil, "disk_usage", lambda _: usage(0, 0, 2_400_000_000))
        start.check_room(tmp_path, 2.4)
        with pytest.raises(start.Trouble) as trouble:
            start.check_room(tmp_path, 2.5)
        said = start.say(trouble.value.key, "en", **trouble.value.values)
        assert "about 2.5 GB" in said
        assert "2.4 GB are free" in said


class TestDiagnosis:
    @pytest.mark.parametrize(
        ("output", "key"),
        [
            ("ERROR: Could not install packages: [Errno 28] No space left on device", "no_space"),
            ("OSError: [WinError 112] There is not enough space on the disk", "no_space"),
            ("created successfully because ensurepip is not\navailable", "no_venv"),
            ("/usr/bin/python3: No module named ensurepip", "no_venv"),
            (
                "WARNING: Retrying after connection broken by 'NewConnectionError(...): Temporary "
                "failure in name resolution'\nERROR: No matching distribution found for torch",
                "no_network",
            ),
            ('ReadTimeoutError("HTTPSConnectionPool(): Read timed out.")', "no_network"),
            ("ERROR: No matching distribution found for torch==2.13.0", "no_build"),
            ("ERROR: ResolutionImpossible: for help visit", "no_build"),
            ("PermissionError: [Errno 13] Permission denied: '/opt/x'", "not_writable"),
            ("Segmentation fault", "install_failed"),
        ],
    )
    def test_symptoms(self, output, key):
        trouble = start.diagnose(output)
        assert trouble.key == key
        for lang in start.LANGUAGES:
            assert start.say(trouble.key, lang, **trouble.values)

    def test_the_unknown_shows_its_last_lines(self):
        output = "\n".join(f"line {number}" for number in range(100))
        said = start.say("install_failed", "en", **start.diagnose(output).values)
        assert "line 99" in said
        assert "line 50" not in said


class TestInstalling:
    @pytest.fixture
    def machine(self, root, monkeypatch):
        """An x86 Linux with room, whose .venv does not exist and whose network is up."""
        facts = SimpleNamespace(reachable=True, stands=False, asked=[])

        def reachable(url):
            facts.asked.append(url)
            return facts.reachable

        monkeypatch.setattr(start, "reachable", reachable)
        monkeypatch.setattr(start, "stands", lambda *_: facts.stands)
        monkeypatch.setattr(start, "check_room", lambda *_: None)
        monkeypatch.setattr(start, "make_venv", lambda _: start.VENV.mkdir(exist_ok=True))
        monkeypatch.setattr(start, "python_version", lambda _: "3.11")
        monkeypatch.setattr(start.platform, "system", lambda: "Linux")
        monkeypatch.setattr(start.platform, "machine", lambda: "x86_64")
        return facts

    def test_fresh(self, machine):
        progress = Recorder()
        start.prepare(progress, frozenset({"dev"}), gpu=False)
        assert progress.steps == ["torch_cpu", "packages"]
        assert progress.notes == []
        torch, packages = progress.commands
        pin = start.torch_pin(start.CONSTRAINTS.read_text())
        assert torch[-4:] == ["--no-deps", f"torch=={pin}", "--index-url", start.CPU_WHEELS]
        assert packages[-4:] == ["-c", str(start.CONSTRAINTS), "-e", ".[dev]"]
        assert start.read_stamp(start.STAMP).extras == {"dev"}

    def test_the_courses_notebooks_are_signed(self, machine, root, monkeypatch):
        (root / "notebooks" / "zh").mkdir(parents=True)
        (root / "notebooks" / "zh" / "07_recap.ipynb").touch()
        calls = []
        monkeypatch.setattr(start.subprocess, "call", lambda command, **_: calls.append(command))
        start.prepare(Recorder(), frozenset(), gpu=False)
        [[*_, trust, notebook]] = calls
        assert trust == "trust"
        assert notebook.endswith("07_recap.ipynb")

    def test_a_second_run_does_nothing(self, machine):
        start.prepare(Recorder(), frozenset({"dev"}), gpu=False)
        for extras in (frozenset(), frozenset({"dev"})):
            again = Recorder()
            start.prepare(again, extras, gpu=False)
            assert again.steps == []

    def test_changed_constraints_are_installed(self, machine):
        start.prepare(Recorder(), frozenset({"dev"}), gpu=False)
        start.CONSTRAINTS.write_text(start.CONSTRAINTS.read_text() + "extra==1.0\n")
        again = Recorder()
        start.prepare(again, frozenset(), gpu=False)
        assert "packages" in again.steps
        assert again.commands[-1][-1] == ".[dev]", "what was there before stays"
        assert again.notes == [], "a complete .venv is not called unfinished"

    def test_cpu_wheels_out_of_reach(self, machine):
        machine.reachable = False
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.notes == ["cpu_unreachable"]
        assert progress.steps == ["torch_any", "packages"]
        assert "--index-url" not in progress.commands[0]

    def test_cpu_wheels_that_fail_after_all(self, machine):
        progress = Recorder(failing={"torch_cpu": "a sign-in page"})
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.steps == ["torch_cpu", "torch_any", "packages"]

    def test_gpu_takes_the_plain_wheel(self, machine):
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=True)
        assert progress.steps == ["torch_any", "packages"]
        assert machine.asked == []
        assert start.read_stamp(start.STAMP).gpu

    def test_other_systems_take_the_plain_wheel(self, machine, monkeypatch):
        monkeypatch.setattr(start.platform, "system", lambda: "Windows")
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.steps == ["torch_any", "packages"]
        assert progress.notes == []

    @pytest.mark.parametrize(
        ("installed", "gpu", "kept"),
        [
            ("2.13.0", False, True),
            ("2.13.0+cpu", False, True),
            ("2.13.0+cu130", True, True),
            ("2.13.0+cpu", True, False),
            ("2.12.1", False, False),
            ("2.13.0.post1", False, False),
            (None, False, False),
        ],
    )
    def test_a_torch_that_fits_is_kept(self, installed, gpu, kept):
        assert start.torch_satisfies(installed, "2.13.0", gpu) is kept

    def test_torch_is_not_installed_twice(self, machine):
        pin = start.torch_pin(start.CONSTRAINTS.read_text())
        install_package(start.VENV, "torch", pin + "+cpu")
        machine.stands = True
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.steps == ["packages"]

    def test_a_half_made_venv_is_mended(self, machine):
        install_package(start.VENV, "torch", "2.13.0", finished=False)
        machine.stands = True
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.notes == ["mending"]
        assert progress.steps == ["torch_cpu", "packages"]

    def test_a_venv_without_a_stamp_is_unfinished(self, machine):
        start.VENV.mkdir()
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=False)
        assert progress.notes == ["mending"]

    def test_unfinished_packages_are_mended_whatever_the_stamp_says(self, machine):
        start.prepare(Recorder(), frozenset(), gpu=False)
        left = install_package(start.VENV, "numpy", "2.4.6", finished=False)
        progress = Recorder()
        start.prepare(progress, frozenset({"dev"}), gpu=False)
        assert progress.notes == ["mending"]
        assert not left.exists()

    def test_a_gpu_asked_for_later_replaces_the_cpu_build(self, machine):
        pin = start.torch_pin(start.CONSTRAINTS.read_text())
        start.prepare(Recorder(), frozenset(), gpu=False)
        install_package(start.VENV, "torch", pin + "+cpu")
        progress = Recorder()
        start.prepare(progress, frozenset(), gpu=True)
        assert progress.steps == ["torch_any", "packages"]
        assert "--force-reinstall" in progress.commands[0]

    def test_no_stamp_before_the_last_step(self, machine):
        start.prepare(Recorder(), frozenset(), gpu=False)
        seen = []

        class Watching(Recorder):
            def step(self, command, key, **values):
                seen.append(start.STAMP.exists())

        start.prepare(Watching(), frozenset({"dev"}), gpu=False)
        assert seen
        assert not any(seen)

    @pytest.mark.parametrize(
        ("output", "key", "opens_again"),
        [
            ("NewConnectionError", "no_network", True),
            ("No space left on device", "no_space", False),
        ],
    )
    def test_a_failed_addition(self, machine, output, key, opens_again):
        start.prepare(Recorder(), frozenset(), gpu=False)
        with pytest.raises(start.Trouble) as trouble:
            start.prepare(Recorder(failing={"packages": output}), frozenset({"dev"}), gpu=False)
        assert trouble.value.key == key
        again = Recorder()
        start.prepare(again, frozenset(), gpu=False)
        assert (again.steps == []) is opens_again


class TestProgress:
    def test_one_line_for_a_step(self, root, capsys):
        start.VENV.mkdir()
        command = [sys.executable, "-c", "print('much', 'output')"]
        start.Progress("en").step(command, "torch_any", torch="2.13.0")
        assert re.fullmatch(r"Installing PyTorch 2\.13\.0 \.\.\. \d+ s\n", capsys.readouterr().out)
        assert "much output" in start.LOG.read_text()

    def test_a_step_that_fails(self, root, capsys):
        command = [sys.executable, "-c", "import sys; sys.exit('no wheel')"]
        with pytest.raises(start.StepFailed, match="no wheel"):
            start.Progress("zh").step(command, "packages")
        assert capsys.readouterr().out.endswith("失败\n")

    def test_nothing_leaks_into_the_tools(self, monkeypatch):
        monkeypatch.setenv("PYTHONPATH", "/elsewhere")
        monkeypatch.setenv("PIP_RETRIES", "7")
        environment = start.tool_environment()
        assert "PYTHONPATH" not in environment
        assert environment["PATH"].split(os.pathsep)[0] == str(start.VENV_BIN)
        assert environment["PIP_RETRIES"] == "7"


class TestOpening:
    @pytest.mark.parametrize(("lang", "locale"), [("en", "en"), ("zh", "zh_CN")])
    def test_settings(self, tmp_path, lang, locale):
        learners = start.write_settings(tmp_path, lang)
        overrides = json.loads((learners / "overrides.json").read_text())
        assert overrides["@jupyterlab/translation-extension:plugin"] == {"locale": locale}
        news = {"fetchNews": "false", "checkForUpdates": False}
        assert overrides["@jupyterlab/apputils-extension:notification"] == news
        others = json.loads((tmp_path / "settings" / "overrides.json").read_text())
        assert others == {"@jupyterlab/apputils-extension:notification": news}

    def test_a_learner_alone_sees_nothing_of_nbgrader(self, root, tmp_path, monkeypatch):
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
        monkeypatch.setattr(start, "NBGRADER_EXCHANGE", tmp_path / "exchange")
        assert start.hidden_extensions() == {"@jupyter/nbgrader": True}
        options = [o for o in start.lab_command("en", tmp_path, 8899, False) if "nbgrader" in o]
        assert len(options) == 4
        assert all(option.endswith("=False") for option in options)

    @pytest.mark.parametrize("sign", ["jupyter/nbgrader_config.py", "exchange"])
    def test_a_learner_in_a_class_hands_in_from_jupyterlab(self, root, tmp_path, monkeypatch, sign):
        monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
        monkeypatch.setattr(start, "NBGRADER_EXCHANGE", tmp_path / "exchange")
        (tmp_path / sign).mkdir(parents=True)
        assert "@jupyter/nbgrader:formgrader" in start.hidden_extensions()
        options = start.lab_command("en", tmp_path, 8899, False)
        on = [option.rpartition(".")[2] for option in options if option.endswith("=True")]
        assert on == ["validate_assignment=True", "assignment_list=True"]

    @pytest.mark.skipif(os.name != "posix", reason="elsewhere JupyterLab is a process of its own")
    def test_jupyterlab_stands_where_its_files_are(self, root, monkeypatch):
        (root / "notebooks" / "zh").mkdir(parents=True)
        monkeypatch.chdir(root)

        def stop(*_):
            raise SystemExit(str(Path.cwd()))

        monkeypatch.setattr(os, "execve", stop)
        with pytest.raises(SystemExit, match=r"notebooks/zh$"):
            start.open_course(start.Progress("zh"), 8899, browser=False)

    def test_command(self, tmp_path):
        command = start.lab_command("zh", tmp_path, 8899, browser=False)
        assert f"--ServerApp.root_dir={start.ROOT / 'notebooks' / 'zh'}" in command
        assert "--LabApp.default_url=/lab/tree/00_start.ipynb" in command
        assert "--ServerApp.port=8899" in command
        assert "--ServerApp.port_retries=0" in command
        assert "--no-browser" in command
        assert "--no-browser" not in start.lab_command("en", tmp_path, 8899, browser=True)

    def test_checks_all_run_and_one_failure_counts(self, root, monkeypatch, capfd):
        script = "import sys; print(*sys.argv[1:]); sys.exit(int(sys.argv[1]))"
        checks = tuple((sys.executable, "-c", script, code) for code in ("0", "3", "0"))
        monkeypatch.setattr(start, "CHECKS", checks)
        assert start.run_checks(start.Progress("en"), []) == 1
        lines = capfd.readouterr().out.splitlines()
        assert lines.count("0") == 2
        summary = lines[lines.index("Checks:") + 1 :]
        assert [line.split()[0] for line in summary] == ["passed", "failed", "passed"]
        monkeypatch.setattr(start, "CHECKS", checks[:1])
        assert start.run_checks(start.Progress("en"), []) == 0

    def test_arguments_go_to_pytest(self, root, monkeypatch):
        calls = []

        def run(command, **_):
            calls.append([Path(command[0]).stem, *command[1:]])
            return SimpleNamespace(returncode=0, stdout="")

        monkeypatch.setattr(start.subprocess, "run", run)
        start.run_checks(start.Progress("en"), ["-k", "quiz"])
        assert {call[0] for call in calls} == {check[0] for check in start.CHECKS}
        assert len(calls) == len(start.CHECKS)
        assert calls[-1] == ["pytest", "-n", "auto", "-k", "quiz"]
        assert ["course", "build", "--check"] in calls


class TestCommandLine:
    @pytest.fixture
    def acted(self, monkeypatch):
        acted = []
        monkeypatch.setattr(start, "act", lambda options, rest: acted.append((options, rest)) or 0)
        monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
        return acted

    def test_language_of_the_locale(self, acted):
        assert start.main([]) == 0
        assert acted[0][0].lang == "zh"
        assert acted[0][0].task is None

    def test_what_follows_test(self, acted):
        start.main(["test", "-k", "quiz", "tests/unit", "--lang", "en"])
        options, rest = acted[0]
        assert options.task == "test"
        assert options.lang == "en"
        assert rest == ["-k", "quiz", "tests/unit"]

    def test_unknown_arguments_without_test(self, acted, capsys):
        with pytest.raises(SystemExit):
            start.main(["--gpus"])
        assert "--gpus" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("problem", "code", "told"),
        [
            (start.Trouble("port_used", port=8899, other=8900), 1, "端口 8899 已被占用"),
            (KeyboardInterrupt(), 130, "已停止"),
            (OSError(28, "No space left on device"), 1, "磁盘已满"),
            (PermissionError(13, "Permission denied"), 1, "无法写入"),
        ],
    )
    def test_troubles_are_told_in_words(self, monkeypatch, capsys, problem, code, told):
        def act(options, rest):
            raise problem

        monkeypatch.setattr(start, "act", act)
        assert start.main(["--lang", "zh"]) == code
        assert told in capsys.readouterr().err

    def test_a_fault_of_the_program_is_not_hidden(self, monkeypatch):
        def act(options, rest):
            raise FileNotFoundError(2, "gone")

        monkeypatch.setattr(start, "act", act)
        with pytest.raises(FileNotFoundError):
            start.main([])

    def test_a_port_in_use_is_told_before_installing(self, monkeypatch):
        monkeypatch.setattr(start, "prepare", lambda *_: pytest.fail("installs first"))
        monkeypatch.setattr(start, "port_is_free", lambda port: port != 8899)
        with pytest.raises(start.Trouble, match="port_used"):
            start.act(start.parser("en").parse_args(["--port", "8899"]), [])
