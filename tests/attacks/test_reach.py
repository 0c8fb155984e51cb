"""What learner code can see and reach while it is graded: Python and its scratch folder."""

import ast
import os
import socket
from pathlib import Path

import pytest

from course_utils.errors import UserError
from course_utils.grading.confine import SYSTEM_FILES
from course_utils.grading.confined import Runners
from tests.grading.lesson import DOUBLE, LESSON, TOTAL

READ = "import os, glob\ndef look(path):\n    try: return open(path, 'rb').read()[:2000]\n" \
       "    except OSError as problem: return type(problem).__name__\n"  # fmt: skip


@pytest.fixture
def see(arena):
    """Runs code in the exercise cell; returns what it printed. The work itself is right."""

    def run(code):
        arena.hand_in({"double": f"{code}\n{DOUBLE}", "total": TOTAL})
        arena.grade("mallory")
        assert arena.events["mallory"].status == "graded"
        return arena.printed()

    return run


def test_the_class_does_not_exist_for_it(see, arena):
    secrets = [
        "gradebook.db",
        "class.json",
        "nbgrader_config.py",
        f"source/{LESSON}/{LESSON}.ipynb",
        f"judge/{LESSON}.kit.json",
        f"submitted/ada/{LESSON}/{LESSON}.ipynb",
    ]
    paths = [str(arena.folder / name) for name in secrets]
    printed = see(f"{READ}for path in {paths!r}: print(look(path))")
    assert printed.split() == ["FileNotFoundError"] * len(paths)


def test_the_disk_that_it_sees_holds_python_and_nothing_of_anyone(see, arena):
    code = f"""
import os
known = {arena.runners.warm.visible!r}
found = []
for root, folders, files in os.walk('/'):
    folders[:] = [f for f in folders if os.path.join(root, f) not in ('/proc', '/dev', *known)]
    found += [os.path.join(root, f) for f in files]
print(sorted(f for f in found if not f.startswith('/home/learner/.course/')))
print(sorted(os.listdir('/home')), sorted(os.listdir('/home/learner')))
for folder in ('/root', '/home', '/var', '/etc', '/mnt', '/opt', '/srv', '/run'):
    print(folder, os.path.isdir(folder) and sorted(os.listdir(folder)))
"""
    printed = see(code)
    assert set(ast.literal_eval(printed.split("\n")[0])) <= {"/etc/passwd", *SYSTEM_FILES}
    assert "['learner'] ['.course']" in printed
    for folder in ("/var", "/mnt", "/opt", "/srv", "/run"):
        assert f"{folder} False" in printed


def test_nothing_of_the_class_is_in_its_memory(see, arena):
    """All of the process's memory is searched for the class's path and the neighbour's work."""
    folder = str(arena.folder).encode()
    code = f"""
import ctypes, re
traces = [re.compile(re.escape({folder[:-1]!r}) + b'[{chr(folder[-1])}]'),
          re.compile(b'submitte[d]/ada')]
found = 0
for line in open('/proc/self/maps'):
    span, rights = line.split()[:2]
    if rights.startswith('rw') and '[v' not in line:
        start, end = (int(x, 16) for x in span.split('-'))
        part = ctypes.string_at(start, end - start)
        found += sum(bool(trace.search(part)) for trace in traces)
print('found', found)
"""
    assert see(code) == "found 0\n"


def test_nothing_of_the_instructors_side_is_loaded_into_it(see):
    others = ("nbgrader", "nbconvert", "nbformat", "sqlalchemy", "jinja2")
    own = tuple(f"course_utils.{part}." for part in ("authoring", "reporting", "site"))
    code = f"import sys\nprint([name for name in sys.modules if name in {others} + ('torch',)"
    assert see(f"{code} or name.startswith({own})])") == "['torch']\n"


def test_it_sees_no_other_process(see):
    code = (
        "import os\nprint(sorted(n for n in os.listdir('/proc') if n.isdigit()), os.getpid())\n"
        "for n in range(2, 40000):\n"
        "    try: os.kill(n, 0); print('reached', n)\n"
        "    except OSError: pass\n"
        "print(os.getppid())"
    )
    assert see(code).split("\n")[:2] == ["['1'] 1", "0"]


def test_there_is_no_network_not_even_the_loopback(see):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
import socket
for address in [('127.0.0.1', {port}), ('1.1.1.1', 53), ('::1', {port})]:
    try: socket.create_connection(address, 1); print('connected')
    except OSError as problem: print('no')
try: socket.getaddrinfo('example.org', 80); print('resolved')
except OSError: print('no')
s = socket.socket(socket.AF_UNIX)
try: s.connect('\\0nothing')
except OSError: print('no')
print(socket.if_nameindex())
"""
        assert see(code).split() == ["no"] * 5 + ["[(1,", "'lo')]"]


def test_it_has_no_rights_and_gets_none(see):
    code = """
import os, ctypes, subprocess
print([os.getresuid()[0] == 0, os.getresgid()[0] == 0])
libc = ctypes.CDLL(None, use_errno=True)
for attempt in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.chroot('/'),
                lambda: os.mknod('/tmp/x', 0o60644, 0x0800), lambda: os.sethostname('x')
                if hasattr(os, 'sethostname') else os.setuid(0)):
    try: attempt(); print('could')
    except (OSError, AttributeError): print('no')
for call in ((b'proc', b'/tmp', b'proc', 0, None), (b'none', b'/', None, 32 | 4096, None)):
    print('could' if libc.mount(*call) == 0 else 'no')
print('could' if libc.umount2(b'/proc', 2) == 0 else 'no')
for path in ('/usr/x', '/x', '/etc/x', '/proc/sys/kernel/core_pattern', np.__file__):
    try: open(path, 'a'); print('could')
    except OSError: print('no')
print(subprocess.run(['su', '-c', 'id'], capture_output=True, stdin=subprocess.DEVNULL).returncode)
"""
    printed = see(f"import numpy as np\n{code}").split()
    assert printed[:2] == ["[False,", "False]"]
    assert set(printed[2:-1]) == {"no"}
    assert printed[-1] != "0"


def test_a_namespace_of_its_own_gives_no_way_back(see):
    code = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000 | 0x00020000) == 0:
    print(libc.mount(b'none', b'/', None, 32 | 4096, None))   # make the root writable again
    try: open('/usr/x', 'w'); print('could')
    except OSError: print('no')
    os.makedirs('/tmp/m', exist_ok=True)
    libc.mount(b'/proc', b'/tmp/m', None, 4096 | 16384, None)
    print(os.path.exists('/tmp/m/1/root/old'))
"""
    assert "could" not in see(code)


def test_the_gradebook_cannot_be_opened_or_written(see, arena):
    code = f"""
import sqlite3, os
for path in ({str(arena.folder / "gradebook.db")!r}, '../../gradebook.db', '../../../gradebook.db'):
    try:
        base = sqlite3.connect(path)
        base.execute('UPDATE grade SET manual_score = 99')
        base.commit()
        print('could')
    except Exception as problem: print('no')
"""
    assert see(code).split() == ["no"] * 3
    assert arena.scores()["check-double"] == 3


def test_the_classs_settings_cannot_be_written(see, arena):
    names = ("nbgrader_config.py", "class.json", f"release/{LESSON}/{LESSON}.ipynb")
    paths = [str(arena.folder / name) for name in names]
    code = (
        "import os\n"
        f"for path in {paths!r}:\n"
        "    try:\n        os.makedirs(os.path.dirname(path), exist_ok=True)\n"
        "        open(path, 'a').write('c = None'); print('could')\n"
        "    except OSError: print('no')"
    )
    before = arena.own_files()
    see(code)  # below /tmp it may make such files in its own memory, which is gone with it
    assert arena.own_files() == before


def test_nothing_is_left_for_the_next_submission(see, arena):
    see(
        "import os, threading\n"
        "for place in ('/tmp', '/dev/shm', '.', '/home/learner'):\n"
        "    try: open(os.path.join(place, 'left'), 'w').write('x')\n"
        "    except OSError: pass\n"
        "import course_utils.exercises.values as v\nv.left = 1\n"
        "import multiprocessing.shared_memory as s\nm = s.SharedMemory('left', True, 100)\n"
        "import ctypes\nctypes.CDLL(None).shmget(4242, 100, 0o1666)\n"
        "os.environ['LEFT'] = '1'"
    )
    printed = see(
        "import os, ctypes\nimport course_utils.exercises.values as v\n"
        "print([os.path.exists(os.path.join(p, 'left')) for p in ('/tmp', '/dev/shm', '.')],\n"
        "      hasattr(v, 'left'), 'LEFT' in os.environ,\n"
        "      ctypes.CDLL(None).shmget(4242, 100, 0o666))"
    )
    assert printed.strip() == "[False, False, False] False False -1"


def test_modules_beside_the_notebook_shadow_nothing(arena):
    place = arena.hand_in({"double": "import numpy as np\n" + DOUBLE, "total": TOTAL})
    for name in ("numpy", "course_utils", "sitecustomize", "usercustomize", "conftest", "json"):
        (place / f"{name}.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    (place / "evil.pth").write_text("import os; os._exit(3)", encoding="utf-8")
    (place / "nbgrader_config.py").write_text("raise SystemExit", encoding="utf-8")
    arena.grade("mallory")
    assert arena.scores()["check-double"] == 3


def test_modules_that_it_writes_itself_shadow_nothing_of_the_neighbours(arena):
    code = (
        "import os, sys\n"
        "for name in ('numpy', 'course_utils', 'sitecustomize'):\n"
        "    open(name + '.py', 'w').write('raise SystemExit')\n"
        "sys.path.insert(0, os.getcwd())\n"
    )
    arena.hand_in({"double": code + DOUBLE, "total": TOTAL})
    arena.grade("mallory")
    assert arena.scores()["check-double"] == 3


def test_the_environment_tells_nothing(see, monkeypatch):
    monkeypatch.setenv("COURSE_SECRET_TOKEN", "hush")
    printed = see("import os\nprint(dict(os.environ), os.environb)")
    assert "hush" not in printed
    assert str(os.getpid()) not in printed


def test_the_usual_exchange_is_not_seen(see):
    """Where it exists: it lies below /usr, which is seen."""
    printed = see(
        "import os\nfrom course_utils.grading.confine import HIDDEN\n"
        "for path in HIDDEN:\n"
        "    try: print(os.listdir(path))\n"
        "    except OSError as problem: print(type(problem).__name__)"
    )
    assert set(printed.split()) <= {"PermissionError", "FileNotFoundError"}


def test_a_class_among_pythons_folders_is_refused(tmp_path, runners):
    made = Runners(hidden=[tmp_path / "class"])
    made.warm = runners.warm
    made.maker(last=False)
    made.hidden = [Path(runners.warm.visible[0]) / "class"]
    with pytest.raises(UserError, match="Keep the class"):
        made.maker(last=False)


def test_of_a_checkout_only_the_package_is_seen(see):
    code = """
import course_utils, os
folder = os.path.dirname(os.path.dirname(course_utils.__file__))
print([n for n in ('notebooks', 'quizzes', 'tests') if os.path.exists(f'{folder}/{n}')])
"""
    assert see(code) == "[]\n"
