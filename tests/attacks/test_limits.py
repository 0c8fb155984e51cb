"""Code that takes too much, never ends, or ends the process: what did run keeps its score."""

import os
import time

import nbformat
import psutil
import pytest

from course_utils.grading import runner
from course_utils.grading.warm import memory_of
from tests.attacks.conftest import ONLY_TOTAL
from tests.grading.lesson import DOUBLE

ENDLESS = {
    "a loop in a cell": "while True: pass",
    "a loop that catches everything": "import time\nwhile True:\n    try:\n        while True: "
    "time.sleep(0.01)\n    except BaseException: pass",
    "interrupts ignored": "import signal, time\n"
    "for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM): signal.signal(n, signal.SIG_IGN)\n"
    "while True: time.sleep(1)",
    "a loop in C": "import re\nre.match('(a*)*b', 'a' * 40)",
    "a lock": "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()",
    "a loop in an import": "open('slow.py', 'w').write('while True: pass')\n"
    "import sys\nsys.path.append('.')\nimport slow",
    "a loop in __del__": "import time\nclass D:\n    def __del__(self):\n        while True:\n"
    "            try: time.sleep(1)\n            except BaseException: pass\nd = D()\ndel d",
    "a sum that takes years": "sum(range(10**15))",
    "waiting for input": "import sys, os\nos.read(os.pipe()[0], 1)",
}
ENDINGS = {
    "exit": "import os\nos._exit(0)",
    "abort": "import os\nos.abort()",
    "a segfault": "import ctypes\nctypes.string_at(0)",
    "a signal to itself": "import os, signal\nsignal.signal(11, signal.SIG_DFL)\n"
    "os.kill(os.getpid(), 11)\nimport ctypes\nctypes.string_at(1)",
    "closing all files": "import os\nos.closerange(0, 300)",
    "another program in its place": "import os\nos.execv('/bin/true', ['true'])",
}


POLITE = {
    "exit": "exit()",
    "exit with a code": "import sys\nsys.exit(3)",
    "an exit raised": "raise SystemExit",
    "an interrupt raised": "raise KeyboardInterrupt",
    "a generator's end": "raise GeneratorExit",
}


def called(code):
    """The function with that in its body."""
    return "def double(x):\n    " + code.replace("\n", "\n    ")


@pytest.fixture
def hasty(monkeypatch):
    """Code that does not stop when it should is killed a moment later."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.2)


def told(arena, names, words):
    """Which of them are told so on their page."""
    return [name for name in names if words in arena.pages[name]]


def test_what_never_ends_is_stopped_and_the_rest_counts(scores_of, arena, hasty):
    arena.limit(cell_seconds=0.8)
    assert scores_of(ENDLESS) == dict.fromkeys(ENDLESS, ONLY_TOTAL)
    assert told(arena, ENDLESS, "more than 0.8 seconds") == list(ENDLESS)


def test_what_ends_the_process_costs_its_own_exercise_only(scores_of, arena):
    assert scores_of(ENDINGS) == dict.fromkeys(ENDINGS, ONLY_TOTAL)
    assert told(arena, ENDINGS, "ended the process") == list(ENDINGS)


def test_a_call_that_never_ends_is_stopped_and_no_more_calls_are_made(scores_of, arena, hasty):
    arena.limit(call_seconds=0.8)
    names = ["a loop that catches everything", "a loop in C"]
    scores = scores_of({name: called(ENDLESS[name]) for name in names})
    assert scores == dict.fromkeys(names, ONLY_TOTAL)
    assert max(arena.events[name].seconds for name in names) < 10
    assert told(arena, names, "more than 0.8 seconds") == names


def test_a_call_that_ends_the_process_is_told(scores_of, arena):
    names = ["exit", "a segfault", "another program in its place"]
    scores = scores_of({name: called(ENDINGS[name]) for name in names})
    assert scores == dict.fromkeys(names, ONLY_TOTAL)
    assert told(arena, names, "ended the process") == names


def test_a_polite_exit_is_an_error_like_others(scores_of):
    assert scores_of(POLITE) == dict.fromkeys(POLITE, ONLY_TOTAL)
    in_a_call = {name: called(code) for name, code in POLITE.items()}
    assert scores_of(in_a_call) == dict.fromkeys(POLITE, ONLY_TOTAL)


def test_loops_at_exit_hold_up_nothing(attack):
    code = "import atexit, time\natexit.register(lambda: time.sleep(1000))\n" + DOUBLE
    began = time.monotonic()
    assert attack(code)["check-double"] == 3
    assert time.monotonic() - began < 10


def test_fifty_gigabytes_are_refused(attack, arena):
    code = "import numpy as np\ndef double(x): return np.ones(50 * 10**9 // 8)"
    assert attack(code)["check-double"] == 0
    assert "Unable to allocate" in arena.pages["mallory"]


def test_memory_taken_by_many_processes_is_counted_together(attack, arena):
    arena.limit(memory_mb=1000)
    code = (
        "import os, time\nfor n in range(8):\n    if os.fork() == 0:\n"
        "        block = b'1' * (150 * 10**6)\n        time.sleep(60)\ntime.sleep(60)"
    )
    assert attack(code)["check-double"] == 0
    assert "1000 MB of memory" in arena.pages["mallory"]


def test_a_fork_bomb_is_held(attack, arena):
    arena.limit(cell_seconds=0.8)
    code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert attack(code) == ONLY_TOTAL


def test_a_process_that_outlives_its_parent_does_not(arena, attack):
    code = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        while True: time.sleep(0.1)\n    os._exit(0)\n"
    )
    assert attack(code + DOUBLE)["check-double"] == 3
    assert memory_of_children(arena) < 2


def memory_of_children(arena):
    """How many processes the warm process still has below it."""
    return len(psutil.Process(arena.runners.warm.process.pid).children(recursive=True))


def test_threads_without_end_are_held(attack):
    code = (
        "import threading, time\ntry:\n    while True: threading.Thread(target=time.sleep, "
        "args=(60,), daemon=True).start()\nexcept RuntimeError: pass\n"
    )
    assert attack(code + DOUBLE)["check-double"] == 3


def test_a_hundred_megabytes_of_output_are_cut(attack, arena):
    assert attack("print('x' * 10**8)\n" + DOUBLE)["check-double"] == 3
    assert len(arena.pages["mallory"]) < 200_000
    code = (
        "import os, sys\nfor fd in (1, 2):\n    for _ in range(100): os.write(fd, b'x' * 10**6)\n"
    )
    assert attack(code + DOUBLE)["check-double"] == 3


def test_huge_files_are_held(attack, arena):
    code = (
        "try:\n    with open('sparse', 'wb') as f: f.truncate(10**12)\n    print('could')\n"
        "except OSError: print('no')\n"
        "try:\n    for n in range(40):\n        with open(f'/tmp/f{n}', 'wb') as f: "
        "f.write(b'x' * 10**7)\n    print('could')\nexcept OSError: print('no')\n"
    )
    assert attack(code + DOUBLE)["check-double"] == 3
    assert arena.printed().split() == ["no", "no"]


def test_many_files_and_descriptors_are_held(attack, arena):
    code = (
        "kept = []\ntry:\n    while True: kept.append(open('/dev/null'))\n"
        "except OSError: print('no')\nkept.clear()\n"
        "try:\n    for n in range(10**6): open(f'/tmp/{n}', 'w').close()\n"
        "except OSError: print('no')\n"
    )
    assert attack(code + DOUBLE)["check-double"] == 3
    assert arena.printed().split() == ["no", "no"]


HARM = [
    "import os\nos.chdir('/')",
    "import os, shutil\nshutil.rmtree(os.getcwd(), ignore_errors=True)",
    "import os\nos.chmod('.', 0)",
    "import builtins\ndel builtins.print",
    "import os\nos.kill(-1, 9)\nos.kill(0, 9)\nos.killpg(0, 9)",
    "import os\nfor n in (os.getppid(), 0, 1, 2):\n    try: os.kill(n, 9)\n"
    "    except OSError: pass",
    "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "import sys\nsys.modules.clear()",
    "import gc\nfor thing in gc.get_objects():\n    if isinstance(thing, dict) and "
    "'worker' in thing: thing.clear()",
]


def test_it_can_only_harm_itself(scores_of, arena, hasty):
    arena.limit(cell_seconds=0.8)  # for the recursion without end
    codes = {f"harm {number}": f"{code}\n{DOUBLE}" for number, code in enumerate(HARM)}
    for name, scores in scores_of(codes).items():
        assert scores["check-double"] in (0, 3), codes[name]


def test_a_flood_on_the_protocols_pipe_is_cut(attack, arena):
    code = (
        "import os\ndef double(x):\n    for fd in range(3, 64):\n        try:\n"
        "            while True: os.write(fd, b'x' * 65536)\n        except OSError: pass"
    )
    assert attack(code)["check-double"] == 0


def test_a_forged_line_on_the_protocols_pipe_is_only_a_value(attack):
    code = (
        'import os\nforged = b\'{"value": {"array": {"dtype": "float64", "shape": [2], '
        '"data": [0, 0]}}, "score": 3, "passed": true}\\n\' * 9\n'
        "for fd in range(3, 64):\n    try: os.write(fd, forged)\n    except OSError: pass\n"
        "def double(x): return None"
    )
    assert attack(code)["check-double"] == 0


def test_the_whole_submissions_time_is_limited(arena):
    arena.limit(total_seconds=2)
    slow = nbformat.from_dict(arena.blank)
    for number in range(8):
        extra = nbformat.v4.new_code_cell(f"import time\ntime.sleep(0.9)  # {number}")
        slow.cells.insert(1, extra)
    arena.hand_in(notebook=slow)
    arena.grade("mallory")
    assert arena.events["mallory"].seconds < 6
    assert "whole notebook had taken more than 2 seconds" in arena.pages["mallory"]


def test_memory_is_counted_by_the_list_that_it_is_given(tmp_path):
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "statm").write_text("900 500 100 0 0 0 0")
    (tmp_path / "8").mkdir()
    (tmp_path / "self").mkdir()
    folder = os.open(tmp_path, os.O_RDONLY)
    assert memory_of(folder) == 400 * os.sysconf("SC_PAGE_SIZE")
    os.close(folder)
