"""Values that lie: they are judged as plain data in another process, by exact type first."""

from tests.attacks.conftest import ONLY_TOTAL
from tests.grading.lesson import DOUBLE, TOTAL

PRELUDE = "import numpy as np, math, random\n"
LIES = {
    "an object equal to everything": """
class Same:
    def __eq__(self, other): return True
    def __array__(self, *a, **k): return np.zeros(2)
    shape = property(lambda self: (2,))
def double(x): return Same()
""",
    "an array subclass that lies": """
class Lying(np.ndarray):
    def __eq__(self, other): return np.ones(1, bool)
    def tolist(self): return [0.0]
    def ravel(self): return self
    def item(self): return 0.0
def double(x): return np.asarray(x).view(Lying)
""",
    "a float subclass": """
class Any(float):
    def __eq__(self, other): return True
    def __float__(self): return math.inf
def double(x): return Any(1)
""",
    "a lazy value": "def double(x): return (2 * y for y in x)",
    "a recursive value": "def double(x):\n    a = []\n    a.append(a)\n    return a",
    "a value too deep": "def double(x):\n    a = 0\n    for _ in range(10**5): a = [a]\n"
    "    return a",
    "a value too large": "def double(x): return np.zeros(10**7)",
    "very many small parts": "def double(x): return [[]] * (4 * 10**6)",
    "a huge text": "def double(x): return 'x' * 10**8",
    "a huge whole number": "def double(x): return 10**10**6",
    "nan": "def double(x): return np.full(len(x), np.nan)",
    "nothing": "def double(x): return None",
    "a list for an array": "def double(x): return [2 * y for y in x]",
    "the wrong shape": "def double(x): return (2 * x)[None]",
    "the wrong kind of number": "def double(x): return (2 * x).astype(complex)",
    "a string of the right number": "def double(x): return str(2 * x)",
    "bytes": "def double(x): return (2 * x).tobytes()",
    "an object array": "def double(x): return (2 * x).astype(object)",
    "a masked array": "def double(x): return np.ma.masked_all(len(x))",
    "a memory view": "def double(x): return memoryview(2 * x)",
    "a dict of code": "def double(x): return {'value': 1, 'score': 3}",
    "the protocol's own words": "def double(x): return {'array': {'dtype': 'float64'}}",
    "a file": "def double(x): return open('/dev/zero')",
    "a value that raises when looked at": """
class Trap:
    def __getattribute__(self, name): raise SystemExit(name)
def double(x): return Trap()
""",
    "a shape that changes": """
class Shifty(np.ndarray):
    n = 0
    @property
    def shape(self):
        Shifty.n += 1
        return (Shifty.n,)
def double(x): return np.zeros(2).view(Shifty)
""",
}


def test_a_lie_earns_nothing_and_is_told(arena):
    arena.grade_all({name: {"double": PRELUDE + LIES[name], "total": TOTAL} for name in LIES})
    scores = {name: arena.scores(name) for name in LIES}
    assert scores == dict.fromkeys(LIES, ONLY_TOTAL)
    assert [name for name in LIES if "double is not right yet" not in arena.pages[name]] == []


def test_a_float_for_an_int_and_nan_for_a_number_are_not_equal(attack):
    scores = attack(DOUBLE, total="def total(x): return int(sum(x))")
    assert scores["check-total"] < 2
    assert scores["check-double"] == 3


def test_an_argument_that_is_changed_is_reported(attack, arena):
    scores = attack("def double(x):\n    x *= 2\n    return x")
    assert scores["check-double"] == 0
    assert "changed its argument number 1" in arena.pages["mallory"]


def test_a_view_that_changes_later_changes_nothing(attack):
    code = (
        "import threading, time\nkept = []\n"
        "def double(x):\n    y = 3 * x\n    kept.append(y)\n    return y\n"
        "def later():\n    while True:\n        for y in kept: y *= 2 / 3\n"
        "        time.sleep(0.001)\n"
        "threading.Thread(target=later, daemon=True).start()"
    )
    assert attack(code)["check-double"] < 3


def test_a_function_that_knows_the_public_cases_only(attack):
    code = (
        "def double(x):\n"
        "    known = {(1.0, 5.0): [2.0, 10.0]}\n"
        "    return np.array(known[tuple(x)])"
    )
    assert attack(code)["check-double"] == 0


def test_a_function_that_detects_grading_has_nothing_to_copy_from(attack, arena):
    code = (
        "import os, sys\n"
        "def double(x):\n"
        "    print(sorted(sys.modules))\n"
        "    found = [m for m in sys.modules if 'judge' in m or 'authoring' in m]\n"
        "    frame, seen = sys._getframe(), []\n"
        "    while frame: seen.append(str(frame.f_locals)); frame = frame.f_back\n"
        "    assert 'expected' not in ' '.join(seen)\n"
        "    return np.zeros(len(x)) if os.getpid() == 1 else 2 * x"
    )
    assert attack(code)["check-double"] == 0


PATCHES = [
    "import numpy.testing as t\nt.assert_allclose = lambda *a, **k: None",
    "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.type = lambda *a: float",
    'import json\njson.dumps = lambda *a, **k: \'{"score": 3, "value": null}\'',
    "import course_utils.exercises.values as v\nv.encode = lambda value: 1",
    "import course_utils.exercises.call as c\nc.call_case = lambda *a: {'passed': True}",
    "np.isclose = lambda *a, **k: np.ones(1, bool)",
    "import sys\nsys.settrace(lambda *a: None)\nsys.displayhook = lambda v: print(3.0)",
    "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])",
    "get_ipython().display_formatter.format = lambda *a, **k: ({'text/plain': '3.0'}, {})",
    "import sys\nclass F:\n    def find_spec(self, *a): raise SystemExit\n"
    "sys.meta_path.insert(0, F())",
    "import sys\nsys.modules['course_utils.exercises.judge'] = None",
    "import ctypes\nctypes.c_long.from_address(id(1) + 24).value = 2",
]


def test_patches_change_only_the_attackers_own_process(scores_of):
    codes = {
        f"patch {number}": f"import numpy as np\n{patch}\ndef double(x): return x"
        for number, patch in enumerate(PATCHES)
    }
    for name, scores in scores_of(codes).items():
        assert scores["check-double"] == 0, codes[name]
        assert scores["check-total"] <= 2, codes[name]


def test_displaying_the_full_score_and_then_raising_earns_nothing(attack, arena):
    code = "import sys\nsys.displayhook(3.0)\n3.0"
    assert attack(f"{code}\nraise ValueError('done')")["check-double"] == 0
    assert "ValueError: done" in arena.pages["mallory"]
