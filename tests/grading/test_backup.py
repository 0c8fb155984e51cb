"""A class comes back from its backup as it was; nothing hostile comes out of an archive."""

import io
import json
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import tarfile
from contextlib import closing

import pytest

from course_utils.cli import main
from course_utils.grading import backup
from course_utils.grading.database import open_gradebook
from tests.grading.lesson import LESSON
from tests.grading.test_loop import tree
from tests.grading.test_three_ways import in_a_fork
from tests.grading.test_upgrade import OLD, copy_of_old_class, exported, rows_of


@pytest.fixture
def classroom(tmp_path, monkeypatch):
    """A copy of the old class; the working folder is the one around it."""
    for name in ("config", "data"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"JUPYTER_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    return copy_of_old_class(tmp_path / "class")


@pytest.fixture
def archive(classroom, capfd):
    assert main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 0
    capfd.readouterr()
    return classroom.parent / "kept.tar.gz"


def content(folder):
    """All files but the gradebook, and what the gradebook holds."""
    with closing(sqlite3.connect(folder / "gradebook.db")) as base:
        rows = list(base.iterdump())
    files = tree(folder)
    del files[(folder / "gradebook.db").relative_to(folder)]
    return files, rows


def permissions(folder):
    paths = [folder, *folder.rglob("*")]
    return {p.relative_to(folder): stat.S_IMODE(p.stat().st_mode) for p in paths}


def test_back_up_lose_restore(classroom, tmp_path, capfd):
    (classroom / "class.json").chmod(0o600)
    (classroom / "judge").chmod(0o700)
    (classroom / "autograded" / "ada" / LESSON).chmod(0o555)
    (classroom / "submitted" / "nothing" / LESSON).mkdir(parents=True)
    before, modes = content(classroom), permissions(classroom)
    assert main(["class", "backup", "class"]) == 0
    (archive,) = tmp_path.glob("class-*.tar.gz")
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    shutil.rmtree(classroom)
    assert main(["class", "restore", archive.name, "class"]) == 0
    assert "All checksums agree" in capfd.readouterr().out
    assert content(classroom) == before
    assert permissions(classroom) == modes
    os.chdir(classroom)
    in_a_fork(main, ["grade", ".", "--only", "ada", "bob", "eve", "李雷"])
    assert "0 graded, 4 had nothing new, 0 failed" in capfd.readouterr().out
    assert exported(classroom) == rows_of(OLD / "grades.csv")


def test_what_grading_writes_last_is_read_first(archive):
    with tarfile.open(archive) as opened:
        names = opened.getnames()
    first = [name.partition("/")[0] for name in names]
    order = list(dict.fromkeys(first))
    assert order[:2] == ["autograded", "submitted"]
    assert order[-2:] == ["gradebook.db", "backup.json"]


def test_links_and_pipes_in_submissions_are_stored_as_nothing(classroom, tmp_path, capfd):
    place = classroom / "submitted" / "eve" / LESSON
    (place / "book.db").symlink_to(classroom / "gradebook.db")
    (place / "all").symlink_to(classroom)
    os.mkfifo(place / "pipe")
    os.link(classroom / "class.json", place / "seed.json")
    (place / os.fsdecode(b"\xff\n.txt")).write_text("odd name", encoding="utf-8")
    assert main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 0
    said = capfd.readouterr().out
    for name, why in {"book.db": "a link", "all": "a link", "pipe": "no file",
                      "seed.json": "a hard link"}.items():  # fmt: skip
        assert f"! submitted/eve/{LESSON}/{name} is {why} and was left out." in said
    assert main(["class", "restore", "kept.tar.gz", "again"]) == 0
    kept = {path.name for path in (tmp_path / "again" / "submitted" / "eve" / LESSON).iterdir()}
    assert kept == {".course", f"{LESSON}.ipynb", os.fsdecode(b"\xff\n.txt")}


def test_a_link_of_the_instructors_at_the_top_is_followed(classroom, tmp_path):
    before = content(classroom)
    (tmp_path / "disk").mkdir()
    for name in ("submitted", "gradebook.db", "nbgrader_config.py"):
        (classroom / name).rename(tmp_path / "disk" / name)
        (classroom / name).symlink_to(tmp_path / "disk" / name)
    assert main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 0
    assert main(["class", "restore", "kept.tar.gz", "again"]) == 0
    assert content(tmp_path / "again") == before


def test_the_gradebooks_copy_is_whole_while_another_process_writes(tmp_path):
    with closing(sqlite3.connect(tmp_path / "live.db")) as live, live:
        live.execute("CREATE TABLE grade (score INTEGER, padding BLOB)")
        live.executemany("INSERT INTO grade VALUES (0, ?)", [(bytes(500),)] * 2000)
    writer = os.fork()
    if not writer:
        with closing(sqlite3.connect(tmp_path / "live.db", timeout=60)) as live:
            while True:
                with live:
                    live.execute("UPDATE grade SET score = score + 1")
    try:
        seen = set()
        for _ in range(8):
            backup.copy_database(tmp_path / "live.db", tmp_path / "copy.db")
            with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
                scores = copy.execute("SELECT DISTINCT score FROM grade").fetchall()
            assert len(scores) == 1
            seen.add(scores[0])
        assert len(seen) > 1
    finally:
        os.kill(writer, 9)
        os.waitpid(writer, 0)


def test_a_damaged_gradebook_is_told(classroom, capfd):
    (classroom / "gradebook.db").write_bytes(b"no database at all" * 100)
    assert main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 2
    assert "gradebook" in capfd.readouterr().err


def on_a_full_disk(limit):
    """As on a disk that is full after `limit` bytes of a file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return 0 if main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 2 else 71


def test_a_full_disk_leaves_no_half_archive(classroom, tmp_path, capfd):
    (classroom / "source" / "large.bin").write_bytes(os.urandom(400_000))
    before = sorted(tmp_path.iterdir())
    in_a_fork(on_a_full_disk, 200_000)
    assert "kept.tar.gz cannot be written: File too large. Nothing" in capfd.readouterr().err
    (classroom / "source" / "large.bin").unlink()
    in_a_fork(on_a_full_disk, 100_000)
    assert "gradebook.db cannot be copied: " in capfd.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


def test_an_interrupted_backup_leaves_no_half_archive(classroom, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "copy_database", interrupt)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        main(["class", "backup", "class", "--to", "kept.tar.gz"])
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_overwritten(archive, classroom, capfd):
    before = archive.read_bytes(), content(classroom)
    for command in (
        ["backup", "class", "--to", "kept.tar.gz"],
        ["backup", "class", "--to", "class"],
        ["backup", "class", "--to", "no/such/kept.tar.gz"],
        ["backup", "config"],
        ["restore", "kept.tar.gz", "class"],
        ["restore", "kept.tar.gz", "kept.tar.gz"],
        ["restore", "none.tar.gz", "again"],
    ):
        assert main(["class", *command]) == 2
        assert capfd.readouterr().err.startswith("course: ")
    assert (archive.read_bytes(), content(classroom)) == before


def settings(classroom, url):
    with (classroom / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f"c.CourseDirectory.db_url = {url!r}\n")


def test_a_gradebook_on_a_server_is_not_kept_silent_about(classroom, capfd, monkeypatch):
    settings(classroom, "postgresql+psycopg://me:secret@127.0.0.1:9/grades")
    for programs in (os.environ["PATH"], ""):
        monkeypatch.setenv("PATH", programs)
        assert main(["class", "backup", "class", "--to", f"kept{len(programs)}.tar.gz"]) == 0
        said = capfd.readouterr().out
        assert "not in the archive: it is on a server, postgresql://me:***@127.0" in said
        assert "pg_dump" in said
        assert "secret@" not in said


@pytest.mark.xdist_group("postgres")
def test_a_gradebook_on_a_server_is_in_the_archive_as_its_own_program_writes_it(
    classroom, tmp_path, server, capfd
):
    url, other = server.new_database(), server.new_database()
    with open_gradebook(url, "mini") as book:
        book.add_student("ada", last_name="Lovelace")
    settings(classroom, url)
    (classroom / "gradebook.sql").write_text("of an earlier restore", encoding="utf-8")
    assert main(["class", "backup", "class", "--to", "kept.tar.gz"]) == 0
    assert "not in the archive" not in capfd.readouterr().out
    assert main(["class", "restore", "kept.tar.gz", "again"]) == 0
    assert "psql --file=gradebook.sql" in capfd.readouterr().out
    dump = tmp_path / "again" / "gradebook.sql"
    assert stat.S_IMODE(dump.stat().st_mode) == 0o600
    plain = other.replace("+psycopg", "")
    subprocess.run(["psql", "-q", f"--file={dump}", plain], check=True, stdout=subprocess.DEVNULL)
    query = ["psql", "-At", "--command=SELECT id, last_name FROM student", plain]
    assert subprocess.run(query, check=True, capture_output=True).stdout == b"ada|Lovelace\n"


def rewritten(archive, change):
    """The archive after `change` has had its way with the list of members and contents."""
    with tarfile.open(archive) as opened:
        members = [(m, opened.extractfile(m).read()) for m in opened]
    changed = change(members)
    with tarfile.open(archive, "w:gz") as target:
        for member, data in members if changed is None else changed:
            member.size = len(data)
            target.addfile(member, io.BytesIO(data))


def named(members, name):
    return next(index for index, (member, _) in enumerate(members) if member.name == name)


def extra(name, kind=tarfile.REGTYPE, to=""):
    def change(members):
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, to
        members.insert(0, (member, b"" if kind != tarfile.REGTYPE else b"evil"))

    return change


def listed(**values):
    def change(members):
        member, data = members[-1]
        members[-1] = member, json.dumps(json.loads(data) | values).encode()

    return change


def altered(members):
    index = named(members, "class.json")
    members[index] = members[index][0], members[index][1].replace(b'"seed": 1', b'"seed": 2')


def without(name):
    return lambda members: members.pop(named(members, name)) and None


HOSTILE = {
    "up": extra("../evil.txt"),
    "up inside": extra("submitted/../../evil.txt"),
    "absolute": extra("/evil.txt"),
    "link": extra("evil", tarfile.SYMTYPE, "/etc"),
    "hard link": extra("evil", tarfile.LNKTYPE, "class.json"),
    "pipe": extra("evil", tarfile.FIFOTYPE),
    "folder": extra("evil", tarfile.DIRTYPE),
    "unlisted": extra("evil.txt"),
    "twice": lambda members: members.insert(0, members[0]),
    "file as folder": extra("autograded"),
    "altered": altered,
    "missing": without("class.json"),
    "no list": without("backup.json"),
    "list first": lambda members: members.insert(0, members.pop()),
    "newer": listed(version=2),
    "no class": listed(files={}),
    "folder outside": listed(folders={"../evil": 0o700}),
    "odd list": listed(files=[1]),
    "odd modes": listed(folders={"x": "y"}),
    "empty list": lambda members: [(members[-1][0], b"{}")],
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_or_damaged_archive_is_refused(archive, tmp_path, change, capfd):
    rewritten(archive, change)
    before = sorted(tmp_path.iterdir())
    assert main(["class", "restore", "kept.tar.gz", "again"]) == 2
    assert capfd.readouterr().err.startswith("course: ")
    assert sorted(tmp_path.iterdir()) == before


def test_a_broken_file_is_refused_wherever_it_breaks(archive, tmp_path, capfd):
    whole = archive.read_bytes()
    before = sorted(tmp_path.iterdir())
    breaks = [0, 1, 12, *range(100, len(whole) - 600, len(whole) // 12)]
    for place in breaks:
        for broken in (whole[:place], whole[:place] + b"\0\xff" + whole[place + 2 :]):
            archive.write_bytes(broken)
            assert main(["class", "restore", "kept.tar.gz", "again"]) == 2, place
            assert capfd.readouterr().err.startswith("course: ")
    assert sorted(tmp_path.iterdir()) == before
