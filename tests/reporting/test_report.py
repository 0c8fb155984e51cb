"""`course report`: what it says of small classes whose numbers are known."""

import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest

from course_utils.cli import main
from course_utils.reporting.analysis import analyse
from course_utils.reporting.gather import read_whole_class
from course_utils.reporting.words import REPORT
from tests.grading.lesson import LESSON

SCRIPT = "<script>alert(1)</script>"
NAMES = [("ada", "Ada", "Byron"), ("bob", "Bob", "Ng"), ("cho", "", ""), ("eve", "Eve", "Lee")]


@pytest.fixture(scope="module")
def six(make_class_once):
    """Six learners; what they did is in the numbers below."""
    room = make_class_once()
    room.generate([*NAMES, ("fay", "Fay", "Wu"), ("gus", "Gus", "Oe"), ("zed", "Zed", "Ax")])
    full = {"check-double": 3, "check-total": 2, "quiz-twice": 1, "quiz-even": 2}
    room.hand_in("ada", {"twice": [(0, "four")], "even": [(2, ["ten", "dozen"])]}, {"double": 8})
    room.grade("ada", full)
    room.hand_in("bob", {"twice": [(0, "two"), (1, "four")], "even": [(5, ["ten"])]})
    room.grade("bob", full | {"quiz-even": 1, "check-double": 0}, {"check-double": "squared"})
    room.hand_in("cho", {"twice": [(0, "two")]}, {"double": 4})
    room.grade("cho", {"check-total": 1.0}, {"check-double": "squared", "check-total": "mean"})
    room.hand_in("eve", {"twice": [(0, "six")], "even": [(4, ["odd", "ten"])]})
    room.grade("eve", {"check-total": None}, late=timedelta(days=2, hours=4))
    room.hand_in("fay", {"twice": [(0, "four")]})
    room.grade("fay", full | {"quiz-even": 0})
    room.hand_in("gus")
    return room


def numbers(room):
    group = read_whole_class(room.folder)
    return analyse(group.lessons[0], group.students)


def test_the_numbers_of_a_class(six):
    stats = numbers(six)
    assert (stats.handed_in, stats.graded, stats.learners) == (6, 5, 7)
    assert stats.missing == ["zed"]
    assert stats.ungraded == ["gus"]
    assert [(name, late) for name, late in stats.late] == [("eve", timedelta(days=2, hours=3))]
    # points of 8: ada 8, bob 4, cho 1, eve 0, fay 6
    assert stats.shares == [1.0, 0.5, 0.125, 0.0, 0.75]
    assert (stats.mean, stats.median) == (pytest.approx(19 / 40), 0.5)
    assert stats.bins == [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]


def test_the_numbers_of_questions(six):
    twice, even = numbers(six).questions
    assert (twice.answered, twice.first, twice.last) == (5, 0.4, 0.6)
    assert [(d.text, d.right, d.first, d.last) for d in twice.drawn] == [
        ("4", True, 0.4, 0.6), ("2", False, 0.4, 0.2), ("6", False, 0.2, 0.2),
    ]  # fmt: skip
    assert twice.lure.text == "2"
    assert (even.answered, even.first) == (3, pytest.approx(1 / 3))
    assert even.lure.text == "13"
    assert even.minutes == 4.0  # 2, 4 (bob's second try came in between) and 4
    # item 1, 1, 0, 0, 1; rest 7, 3, 1, 0, 5 with mean 3.2 and variance 6.56, 5 where right and
    # 0.5 where not: 4.5 / sqrt(6.56) * sqrt(0.6 * 0.4)
    assert twice.discrimination == pytest.approx(0.8607, abs=1e-4)


def test_the_numbers_of_exercises(six):
    double, total = numbers(six).exercises
    assert double.counts == {"right": 2, "part": 0, "wrong": 3, "open": 0}
    assert [(m.name, m.count) for m in double.mistakes] == [("squared", 2)]
    assert double.mistakes[0].hint == "You squared instead of doubling."
    assert total.counts == {"right": 3, "part": 1, "wrong": 0, "open": 1}
    assert double.minutes == 5.0  # ada 6, cho 4


def test_a_score_given_by_hand_counts(six):
    with six.gradebook() as gradebook:
        grade = gradebook.find_grade("check-double", LESSON, LESSON, "cho")
        grade.manual_score = 3.0
        gradebook.db.commit()
        stats = numbers(six)
        grade.manual_score = None
        gradebook.db.commit()
    assert stats.shares[2] == 0.5
    assert stats.exercises[0].counts["right"] == 3
    assert [m.count for m in stats.exercises[0].mistakes] == [1]


class Words(HTMLParser):
    """The words of a page and the tags in it."""

    def __init__(self, page):
        super().__init__()
        self.words, self.tags = [], []
        self.feed(page)

    def handle_data(self, data):
        self.words.append(data)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def report(room, *options):
    assert main(["report", str(room.folder), *options]) == 0
    page = (room.folder / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://(?!www\.w3\.org/1998/Math)", page)
    assert not re.search(r"<script|<link|<img|@import|url\(|javascript:", page)
    return page


def test_the_page_says_it(six):
    page = report(six)
    text = Words(page).text
    assert "7 learners" in text
    assert "You squared instead of doubling." in text
    assert "Drew most: “2” (40%)" in text
    assert "Ada Byron (ada)" in text
    assert "Eve Lee (eve) · 2 d 3 h" in text
    assert "Not handed in (1)" in text
    assert "right 2 · wrong 3" in text
    assert (six.folder / "report.html").stat().st_mode & 0o077 == 0
    ids = [attrs["id"] for _, attrs in Words(page).tags if "id" in attrs]
    links = [a["href"][1:] for tag, a in Words(page).tags if tag == "a"]
    assert set(links) <= set(ids)
    assert len(ids) == len(set(ids))


def test_names_can_be_hidden_by_codes_that_stay(six):
    first, second = report(six, "--hide-names"), report(six, "--hide-names", "--lesson", LESSON)
    for name, *words in [*NAMES, ("fay", "Fay"), ("gus", "Gus"), ("zed", "Zed")]:
        for word in filter(None, [name, *words]):
            assert not re.search(rf"\b{word}\b", first)
    codes = sorted(set(re.findall(r"Learner ([A-Z2-7]{6})", first)))
    assert len(codes) == 7
    assert codes == sorted(set(re.findall(r"Learner ([A-Z2-7]{6})", second)))


def test_the_page_in_chinese(make_class):
    room = make_class("zh")
    room.generate([("s1", "雷", "李"), ("s2", "Ann", "Wu")])
    room.hand_in("s1", {"twice": [(0, "two")]})
    room.grade("s1", {"check-total": 2.0}, {"check-double": "squared"})
    text = Words(report(room)).text
    assert "班级报告" in text
    assert "你求了平方" in text
    assert "李雷 (s1)" in text
    assert "Ann Wu (s2)" in text
    assert not re.search(r"Handed in|Median|Exercises", text)


def test_an_empty_class_one_learner_and_an_ungraded_class(make_class):
    room = make_class()
    assert "Nobody is in this class yet" in report(room)
    assert not (room.folder / "gradebook.db").exists()
    room.hand_in("ada", {"twice": [(0, "two"), (3, "four")]})
    page = Words(report(room)).text
    assert "Nothing is graded yet" in page
    assert "1 learner ·" in page
    assert "Drew most: “2” (100%)" in page
    room.generate()
    assert "Nothing is graded yet" in report(room)
    room.grade("ada", {"check-double": 3.0})
    page = Words(report(room)).text
    assert "fewer than 5 graded" in page
    assert "Nothing is graded yet" not in page


def test_work_graded_by_an_earlier_version_is_less_detailed(make_class):
    room = make_class()
    room.generate()
    room.grade("ada", {"check-double": 3.0, "check-total": 1.0}, noted=False)
    stats = numbers(room)
    assert stats.without_detail == 1
    assert stats.exercises[1].counts["part"] == 1
    assert "graded by an earlier version" in report(room)


HOSTILE = (
    "not json",
    "[" * 100_000,
    '{"version": 1, "lesson": "01_mini", "answers": {"twice": {"answer": ["' + SCRIPT + '"]}}}',
    '{"version": 1, "lesson": "01_mini", "answers": {"' + SCRIPT + '": {"answer": "x", '
    '"time": "2026-11-29T20:00:00Z"}, "even": {"answer": 7, "time": "9999-99-99T99:99:99Z"}}}',
    '{"version": 1, "lesson": "01_mini", "answers": {"twice": {"answer": 1e999}}}',
)


def test_hostile_answers_and_names_neither_break_nor_inject(make_class):
    room = make_class()
    room.generate([(f"{SCRIPT[:8]}x", SCRIPT, "<b>")])
    for number, content in enumerate(HOSTILE):
        room.hand_in(f"learner{number}", content)
        room.grade(f"learner{number}", {})
    assert "&lt;script&gt;" in report(room)
    assert numbers(room).questions[0].answered == 0


def test_links_in_a_submission_are_not_followed(make_class, tmp_path):
    room = make_class()
    room.hand_in("ada", {"twice": [(0, "two")]})
    (room.folder / "submitted" / "eve").mkdir()
    real = room.folder / "submitted" / "ada" / LESSON
    (room.folder / "submitted" / "eve" / LESSON).symlink_to(real)
    stats = numbers(room)
    assert stats.handed_in == 2
    assert stats.questions[0].answered == 1


def test_every_word_is_in_both_languages():
    for key, texts in REPORT.items():
        assert set(texts) == {"en", "zh"}, key
        fields = {lang: set(re.findall(r"{(\w+)}", text)) for lang, text in texts.items()}
        assert fields["en"] == fields["zh"], key


def test_what_cannot_be_reported_is_said(make_class, tmp_path, capsys):
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    room = make_class()
    assert main(["report", str(room.folder), "--lesson", "09_none"]) == 2
    assert main(["report", str(room.folder), "--to", str(tmp_path / "no" / "x.html")]) == 2
    said = capsys.readouterr().err
    assert "is no class" in said
    assert "no lesson 09_none" in said
    assert "cannot be written" in said
