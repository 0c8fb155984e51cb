"""Work handed in through Canvas or Moodle, by the names that they give to files."""

import io
import json
import stat
import zipfile

import pytest

from course_utils.errors import UserError
from course_utils.grading import unpack
from course_utils.grading.grade import read_for
from course_utils.grading.hand_in import pack, read_work
from course_utils.grading.lms import Known, People, collected, plain, read_roster, upload_of
from course_utils.grading.unpack import Refused, work_in
from tests.grading import lesson as mini
from tests.grading.lesson import DOUBLE, LESSON, RIGHT, TOTAL
from tests.grading.test_loop import forked

ANSWERS = f".course/{LESSON}.answers.json"
OURS = f"{LESSON}.submission.zip"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"doejane_12345_67890_{OURS}", ("canvas", "doejane", "12345", OURS, False)),
        (f"doejane_LATE_12345_67890_{LESSON}.zip", ("canvas", "doejane", "12345", None, True)),
        (f"李雷_12345_67890_{OURS}", ("canvas", "李雷", "12345", OURS, False)),
        (f"a/b/van_der_berg_1_2_{OURS}", ("canvas", "van_der_berg", "1", OURS, False)),
        (f"आदित्य_12345_67890_{OURS}", ("canvas", "आदित्य", "12345", OURS, False)),
        (f"anon_x7Bc2_67890_{OURS}", ("canvas", "anon", "x7Bc2", OURS, False)),
        (f"LATE_anon_x7Bc2_67890_{OURS}", ("canvas", "anon", "x7Bc2", OURS, True)),
        (f"Jane Doe_12345_assignsubmission_file_/{OURS}", ("moodle", "Jane Doe", "12345", OURS, 0)),
        (f"Jane Doe_12345_assignsubmission_file/{OURS}", ("moodle", "Jane Doe", "12345", OURS, 0)),
        (f"Jane Doe_12345_assignsubmission_file_{OURS}", ("moodle", "Jane Doe", "12345", OURS, 0)),
        (f"x\\李 雷_7_assignsubmission_file_\\{OURS}", ("moodle", "李 雷", "7", OURS, False)),
    ],
)
def test_names_as_the_systems_write_them(path, expected):
    upload = upload_of(path)
    system, name, number, file, late = expected
    assert (upload.system, upload.name, upload.number) == (system, name, number)
    assert (upload.file, upload.late) == (file or f"{LESSON}.zip", late)


@pytest.mark.parametrize(
    "path",
    [
        "a" * 2000 + "_1_2_x.zip",
        OURS,
        "submissions.zip",
        "jane.ipynb",
        "Jane Doe_1_assignsubmission_onlinetext_/x.html",
        "",
    ],
)
def test_other_names_are_nobodys(path):
    assert upload_of(path) is None


def test_of_several_uploads_the_latest_counts():
    names = [f"doe_1_20_{LESSON}.zip", f"doe_1_9_{LESSON}-2.zip", f"doe_1_20_{LESSON}-1.zip"]
    ordered = sorted(names, key=lambda name: upload_of(name).order)
    assert ordered == [names[1], names[0], names[2]]


def test_default_ids_are_the_same_for_each_lesson_and_can_be_folders():
    assert upload_of("doejane_12345_1_x.zip").default_id == "doejane_12345"
    assert upload_of("Jane  O'Doe_12_assignsubmission_file_/x.zip").default_id == "Jane_O_Doe"
    assert upload_of("李雷_12_assignsubmission_file_/x.zip").default_id == "李雷"
    assert upload_of("आदित्य_12_assignsubmission_file_/x.zip").default_id == "आदित्य"
    assert upload_of("Jose\u0301_12_assignsubmission_file_/x.zip").default_id == "Jos\u00e9"
    assert upload_of("../.._12_assignsubmission_file_/x.zip").default_id == ""


def test_people_are_found_by_number_then_by_a_name_that_only_one_has(tmp_path):
    path = tmp_path / "roster.csv"
    rows = [
        "Student,ID,SIS User ID,SIS Login ID,Section",
        "    Points Possible,,,,",
        '"Doe, Jane",12345,u1,jdoe,A',
        '"Doe, John",12346,u2,john,A',
        '"Wu, Ann",1,u3,ann1,A',
        '"Wu, Ann",2,u4,ann2,A',
        '"Evil",3,u5,../../etc,A',
    ]
    path.write_text("\n".join(rows), encoding="utf-8-sig")
    people = People(read_roster(path))
    assert people.student(upload_of("whoever_12345_1_x.zip")) == "jdoe"
    assert people.student(upload_of("doejohn_99_1_x.zip")) == "john"
    assert people.student(upload_of("wuann_2_1_x.zip")) == "ann2"
    assert people.student(upload_of("wuann_77_1_x.zip")) is None
    assert people.student(upload_of("evil_3_1_x.zip")) is None


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "utf-16"])
def test_moodles_lists_are_read_in_either_language(tmp_path, encoding):
    path = tmp_path / "roster.csv"
    path.write_text("标识符\t全名\t电子邮件地址\n参与者77\t李雷\tli@x.cn\n", encoding=encoding)
    people = People(read_roster(path))
    assert people.student(upload_of("谁_77_assignsubmission_file_/x.zip")) == "li@x.cn"
    assert people.student(upload_of("李雷_1_assignsubmission_file_/x.zip")) == "li@x.cn"


def test_a_roster_without_ids_is_refused(tmp_path):
    (tmp_path / "roster.csv").write_text("Colour\nred\n")
    with pytest.raises(UserError, match="no column that tells"):
        read_roster(tmp_path / "roster.csv")


def zipped(files, change=lambda archive: None):
    """The bytes of a zip file with these contents by name (or by ZipInfo)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        change(archive)
    return buffer.getvalue()


def link(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


def test_work_comes_out_under_names_of_our_own():
    files = {
        f"sub/{LESSON}.ipynb": "{}",
        f"sub/{ANSWERS}": "[]",
        f"__MACOSX/sub/._{LESSON}.ipynb": "junk",
        f"sub/.ipynb_checkpoints/{LESSON}-checkpoint.ipynb": "old",
        "sub/notes.txt": "mine",
    }
    expected = {f"{LESSON}.ipynb": b"{}", ANSWERS: b"[]"}
    assert work_in(io.BytesIO(zipped(files)), LESSON) == expected
    renamed = zipped({"my * work\x01.ipynb": "{}"})
    assert list(work_in(io.BytesIO(renamed), LESSON)) == ["my_work_.ipynb"]


def test_names_without_a_stated_encoding_are_read():
    entry = zipfile.ZipInfo("x")
    entry.orig_filename = entry.filename = "作业.ipynb".encode("gbk").decode("cp437")
    assert unpack.name_of(entry) == "作业.ipynb"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no zip at all", "no zip file"),
        (zipped({f"../{LESSON}.ipynb": "{}"}), "outside"),
        (zipped({f"/etc/{LESSON}.ipynb": "{}"}), "outside"),
        (zipped({"C:/x.ipynb": "{}"}), "outside"),
        (zipped({link(f"{LESSON}.ipynb"): "/etc/passwd"}), "link"),
        (zipped({f"{LESSON}.ipynb": "{}", link(ANSWERS): "x"}), "link"),
        (zipped({f"{LESSON}.ipynb": b" " * 21_000_000}), "larger than 20 MB"),
        (zipped({f"{n}.txt": "" for n in range(1001)}), "more than 1000"),
        (zipped({"notes.txt": "x"}), "no notebook"),
        (zipped({f"{LESSON}.ipynb": "{}" * 50})[:60], "no zip file"),
    ],
    ids=["text", "up", "root", "drive", "link", "link2", "bomb", "many", "without", "cut"],
)
def test_hostile_and_damaged_zips_are_refused_with_a_reason(content, reason):
    with pytest.raises(Refused, match=reason):
        work_in(io.BytesIO(content), LESSON)


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def test_damage_inside_is_refused():
    content = zipped({f"{LESSON}.ipynb": "abcdefgh" * 100})
    with pytest.raises(Refused):
        work_in(io.BytesIO(flipped(content, 45)), LESSON)


@pytest.fixture
def handed_in(tmp_path):
    """The zip file that `course submit` makes of work in a learner's folder."""

    def make(cells, answers):
        folder = mini.hand_in(tmp_path / "desk", mini.work(cells), answers)
        pack(read_work(folder / f"{LESSON}.ipynb"), tmp_path / OURS)
        return (tmp_path / OURS).read_bytes()

    return make


@pytest.fixture
def collect(classroom, tmp_path, monkeypatch):
    """Runs `nbgrader zip_collect`; returns what it said."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(classroom)
    (classroom / "downloaded" / LESSON / "archive").mkdir(parents=True)
    return lambda *options: forked(["zip_collect", LESSON, *options])


def files_below(folder):
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(name for name in found if not name.endswith("timestamp.txt"))


def test_a_canvas_download_becomes_submissions(classroom, assignment, collect, handed_in):
    good, poor = handed_in({"double": DOUBLE, "total": TOTAL}, RIGHT), handed_in({}, {})
    bulk = {
        f"doejane_12345_20_{OURS}": poor,
        f"doejane_12345_21_{LESSON}.submission-1.zip": good,
        f"李雷_LATE_12346_30_{OURS}": good,
        f"mallory_66_31_{OURS}": zipped({f"../../{LESSON}.ipynb": "{}"}),
        f"bare_67_32_{LESSON}.ipynb": json.dumps(mini.work({"double": DOUBLE})),
        "text_68_33_essay.pdf": "%PDF",
    }
    archive = classroom / "downloaded" / LESSON / "archive"
    (archive / "lesson_1 submissions.zip").write_bytes(zipped(bulk))
    (archive / "secret.zip").symlink_to(classroom / "class.json")
    said = collect()
    both = [f"{LESSON}/{ANSWERS}", f"{LESSON}/{LESSON}.ipynb"]
    assert files_below(classroom / "submitted") == [
        f"bare_67/{both[1]}",
        *(f"doejane_12345/{name}" for name in both),
        *(f"李雷_12346/{name}" for name in both),
    ]
    assert "Took the work of 3 students, 1 of them late" in said
    assert "names a place outside of itself" in said
    assert "essay.pdf was not taken: it is neither" in said
    assert "secret.zip was not taken: it is no plain file" in said
    noted = collected(classroom, LESSON)
    assert noted["李雷_12346"] == {"late": True, "number": "12346"}
    assert not noted["doejane_12345"]["late"]
    for student in ("doejane_12345", "李雷_12346"):
        submission = read_for(assignment, classroom / "submitted" / student / LESSON)
        assert submission.remarks == []
        assert submission.answers["answers"]["even"]["answer"] == RIGHT["even"]
        assert DOUBLE in [cell.text for cell in submission.cells]


def test_moodles_folders_with_a_roster(classroom, collect, handed_in):
    good = handed_in({"double": DOUBLE}, RIGHT)
    archive = classroom / "downloaded" / LESSON / "archive"
    for name in ("Jane Doe_1", "Jane Doe_2", "韩梅梅_3", "Solo_4"):
        folder = archive / f"{name}_assignsubmission_file_"
        folder.mkdir()
        (folder / OURS).write_bytes(good)
    said = collect()
    assert said.count("several people would be the student Jane_Doe") == 2
    assert sorted(p.name for p in (classroom / "submitted").iterdir()) == ["Solo", "韩梅梅"]
    roster = "Identifier,Full name,Username\n" + "".join(
        f"Participant {number},{name},{login}\n"
        for number, name, login in [(1, "Jane Doe", "jdoe"), (2, "Jane Doe", "jane2")]
    )
    (classroom / "downloaded" / LESSON / "roster.csv").write_text(roster, encoding="utf-8")
    collect("--force")
    students = sorted(p.name for p in (classroom / "submitted").iterdir())
    assert students == ["Solo", "jane2", "jdoe", "韩梅梅"]
    assert len(files_below(classroom / "submitted" / "jdoe")) == 2


def test_the_gradebook_names_people_too():
    people = People([Known("s1", {}, frozenset({plain("Jane Doe"), plain("Doe, Jane")}))])
    assert people.student(upload_of("doejane_12345_1_x.zip")) == "s1"
    assert people.student(upload_of("Jane Doe_9_assignsubmission_file_/x.zip")) == "s1"
