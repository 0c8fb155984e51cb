"""The answers file: nothing lost, nothing believed, and a plain word when it cannot be kept."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_utils.quiz import answers
from course_utils.quiz.answers import (
    empty_answers,
    read_answers,
    read_submitted_answers,
    record_answer,
    record_check,
)

LESSON = "01_language_models"
DIGEST = "0" * 64
TIME = "2026-11-29T20:00:00Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".course" / f"{LESSON}.answers.json"


def put(path: Path, content: object) -> Path:
    """Write a raw answers file: text as it is, bytes as they are, anything else as JSON."""
    path.parent.mkdir(exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return path


def filled(**entries: object) -> dict[str, object]:
    return {**empty_answers(LESSON), "answers": entries}


def entry(answer: object) -> dict[str, object]:
    return {"answer": answer, "time": TIME, "attempts": [{"answer": answer, "time": TIME}]}


class TestKeeping:
    @pytest.mark.parametrize("answer", ["four", ["red", "green"], 2.5, 15])
    def test_an_answer_is_read_back_as_it_was_given(self, path, answer):
        assert record_answer(path, LESSON, "perplexity", answer).saved
        assert read_answers(path)["answers"]["perplexity"]["answer"] == answer

    def test_the_file_has_the_agreed_shape(self, path, monkeypatch):
        monkeypatch.setattr(answers, "now", lambda: TIME)
        record_answer(path, LESSON, "perplexity", "four")
        record_check(path, LESSON, "bigram_counts", DIGEST, 2.0, 2)
        assert json.loads(path.read_text()) == {
            "version": 1,
            "lesson": LESSON,
            "answers": {"perplexity": entry("four")},
            "checks": {
                "bigram_counts": {
                    "source_sha256": DIGEST,
                    "score": 2.0,
                    "points": 2,
                    "time": TIME,
                }
            },
        }

    def test_a_new_answer_replaces_the_old_one_which_stays_among_the_attempts(self, path):
        record_answer(path, LESSON, "perplexity", "two")
        record_answer(path, LESSON, "perplexity", "four")
        found = read_answers(path)["answers"]["perplexity"]
        assert found["answer"] == "four"
        assert [attempt["answer"] for attempt in found["attempts"]] == ["two", "four"]

    def test_the_same_answer_again_is_no_new_attempt(self, path):
        for picks in (["a1", "b1"], ["a1", "b1"], ["b1", "a1"]):
            assert record_answer(path, LESSON, "gates", picks).saved
        assert len(read_answers(path)["answers"]["gates"]["attempts"]) == 1

    def test_only_the_last_fifty_attempts_are_kept(self, path):
        for number in range(53):
            record_answer(path, LESSON, "uniform", number)
        attempts = read_answers(path)["answers"]["uniform"]["attempts"]
        assert [attempts[0]["answer"], len(attempts), attempts[-1]["answer"]] == [3, 50, 52]

    def test_answers_and_checks_do_not_disturb_each_other(self, path):
        record_check(path, LESSON, "bigram_counts", DIGEST, 1, 2)
        record_answer(path, LESSON, "perplexity", "four")
        record_check(path, LESSON, "bigram_counts", DIGEST, 2, 2)
        found = read_answers(path)
        assert found["checks"]["bigram_counts"]["score"] == 2
        assert "perplexity" in found["answers"]

    def test_nothing_but_the_answers_file_and_its_lock_is_left_in_the_folder(self, path):
        record_answer(path, LESSON, "perplexity", "four")
        assert {file.name for file in path.parent.iterdir()} <= {path.name, path.name + ".lock"}

    @pytest.mark.parametrize("answer", [None, True, float("nan"), 10**400, {}, "x y", [1]])
    def test_what_is_no_answer_is_never_written(self, path, answer):
        with pytest.raises(TypeError, match="is no answer"):
            record_answer(path, LESSON, "perplexity", answer)

    def test_a_file_not_yet_there_reads_as_no_answers(self, path):
        assert read_answers(path, LESSON) == empty_answers(LESSON)


WRITER = """
import sys
from pathlib import Path
from course_utils.quiz.answers import record_answer
for number in range(25):
    assert record_answer(Path(sys.argv[1]), sys.argv[2], f"{sys.argv[3]}_{number}", number).saved
"""


def test_two_processes_never_lose_each_others_answers(path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), LESSON, name])
        for name in ("left", "right")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    expected = {f"{name}_{number}" for name in ("left", "right") for number in range(25)}
    assert set(read_answers(path)["answers"]) == expected


class TestMalformed:
    BROKEN = (
        '{"version": 1, "answers": {',
        '{"version": 1, "lesson": "01_language_models", "answers": []}',
        "[]",
        '{"version": 2}',
        b"\xff\xfe",
        "",
    )

    @pytest.mark.parametrize("content", BROKEN)
    def test_a_malformed_file_is_kept_aside_and_said(self, path, content):
        put(path, content)
        before = path.read_bytes()
        recorded = record_answer(path, LESSON, "perplexity", "four")
        assert recorded.saved
        assert recorded.set_aside is not None
        assert recorded.set_aside.startswith(f"{LESSON}.answers.malformed-")
        assert path.with_name(recorded.set_aside).read_bytes() == before
        assert recorded.set_aside in recorded.notes("en")[0]
        assert recorded.set_aside in recorded.notes("zh")[0]
        assert list(read_answers(path)["answers"]) == ["perplexity"]

    def test_two_malformed_files_within_a_second_are_both_kept(self, path):
        names = set()
        for _ in range(2):
            put(path, "no json")
            names.add(record_answer(path, LESSON, "perplexity", "four").set_aside)
        assert len(names) == 2

    def test_good_entries_survive_a_bad_one(self, path):
        put(path, filled(good=entry("four"), bad={"answer": None}))
        recorded = record_answer(path, LESSON, "perplexity", "four")
        assert recorded.set_aside is not None
        assert list(read_answers(path)["answers"]) == ["good", "perplexity"]

    def test_another_lessons_file_is_not_mixed_in(self, path):
        put(path, {**filled(good=entry("four")), "lesson": "02_word_vectors"})
        recorded = record_answer(path, LESSON, "perplexity", "four")
        assert recorded.set_aside is not None
        assert list(read_answers(path)["answers"]) == ["perplexity"]

    def test_reading_alone_changes_nothing(self, path):
        put(path, "no json")
        assert read_answers(path, LESSON) == empty_answers(LESSON)
        assert path.read_text() == "no json"


class TestUnwritable:
    """The answer is judged all the same: no exception reaches the learner."""

    @pytest.mark.parametrize(
        ("number", "problem", "word"),
        [
            (errno.EROFS, "read_only", "read-only"),
            (errno.EACCES, "read_only", "read-only"),
            (errno.ENOSPC, "disk_full", "disk is full"),
            (errno.EIO, "failed", "cannot be read or written"),
        ],
    )
    def test_a_failing_disk_gives_a_clear_word(self, path, monkeypatch, number, problem, word):
        def fail(*_: object) -> None:
            raise OSError(number, "no")

        monkeypatch.setattr(os, "fsync", fail)
        recorded = record_answer(path, LESSON, "perplexity", "four")
        assert (recorded.saved, recorded.problem) == (False, problem)
        assert word in recorded.notes("en")[0]
        assert recorded.notes("zh")[0].startswith("没有保存")

    def test_a_failed_write_leaves_the_old_file_and_no_litter(self, path, monkeypatch):
        record_answer(path, LESSON, "perplexity", "four")
        before = path.read_bytes()

        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, "no")

        monkeypatch.setattr(os, "replace", fail)
        assert not record_answer(path, LESSON, "perplexity", "two").saved
        assert path.read_bytes() == before
        assert not list(path.parent.glob(".*.new"))

    @pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
    def test_a_folder_that_is_read_only(self, tmp_path):
        tmp_path.chmod(0o555)
        recorded = record_answer(tmp_path / ".course" / "x.answers.json", "x", "q", "four")
        tmp_path.chmod(0o755)
        assert recorded.problem == "read_only"

    def test_a_lock_that_is_never_released(self, path, monkeypatch):
        from filelock import FileLock

        monkeypatch.setattr(answers, "LOCK_SECONDS", 0.05)
        path.parent.mkdir()
        with FileLock(path.with_name(path.name + ".lock")):
            recorded = record_answer(path, LESSON, "perplexity", "four")
        assert (recorded.saved, recorded.problem) == (False, "busy")


class TestSubmitted:
    """Hostile input: a problem and an empty or partial set of answers, never an exception."""

    def test_an_honest_file(self, path):
        put(path, filled(perplexity=entry("four")))
        found, problem = read_submitted_answers(path, 10_000)
        assert problem is None
        assert found["answers"]["perplexity"] == entry("four")

    @pytest.mark.parametrize(
        ("content", "code"),
        [
            ("", "not_json"),
            (b"\xff\xff", "not_json"),
            ("[" * 100_000, "not_json"),
            ('{"a":' * 30_000, "not_json"),
            ('{"version": 1, "lesson": "x", "answers": {"q": NaN}}', "not_json"),
            ('{"version": ' + "9" * 5000 + "}", "not_json"),
            ('{"version": 1, "version": 1}', "repeated_key"),
            ('{"version": 1, "lesson": "x", "answers": {"q": {"a": 1, "a": 1}}}', "repeated_key"),
            ("[1]", "wrong_shape"),
            ("null", "wrong_shape"),
            ('{"version": true, "lesson": "x"}', "wrong_shape"),
            ('{"version": 1, "lesson": "../x"}', "wrong_shape"),
            ('{"version": 1, "lesson": "x", "answers": []}', "wrong_shape"),
            ('{"version": 1, "lesson": "x", "checks": 3}', "wrong_shape"),
            (" " * 200_001, "too_large"),
        ],
    )
    def test_a_file_that_cannot_be_used(self, path, content, code):
        found, problem = read_submitted_answers(put(path, content), 200_000)
        assert problem == code
        assert found["answers"] == {}

    @pytest.mark.parametrize(
        "bad",
        [
            None,
            [],
            {},
            {"answer": "four"},
            entry(None),
            entry(True),
            entry("<script>"),
            entry("\ud800"),
            entry(["four", 4]),
            entry([["four"]]),
            entry({"four": 1}),
            entry(["x"] * 101),
            {**entry("four"), "time": 0},
            {**entry("four"), "time": "yesterday"},
            {**entry("four"), "attempts": {}},
            {**entry("four"), "attempts": [None]},
        ],
    )
    def test_a_bad_entry_is_left_out_and_the_good_ones_stay(self, path, bad):
        put(path, filled(bad=bad, good=entry(2.5)))
        found, problem = read_submitted_answers(path)
        assert problem == "bad_entries"
        assert list(found["answers"]) == ["good"]

    @pytest.mark.parametrize("score", [-1, 3, "2", None, True, 1e400])
    def test_a_forged_check_is_left_out(self, path, score):
        check = {"source_sha256": DIGEST, "score": score, "points": 2, "time": TIME}
        put(path, json.dumps({**empty_answers(LESSON), "checks": {"f": check}}))
        found, problem = read_submitted_answers(path)
        assert problem in ("bad_entries", "not_json")
        assert found["checks"] == {}

    def test_another_lessons_file(self, path):
        put(path, filled())
        assert read_submitted_answers(path, lesson="02_word_vectors")[1] == "other_lesson"

    def test_no_file(self, path):
        assert read_submitted_answers(path)[1] == "missing"

    def test_a_link_is_not_followed(self, path, tmp_path):
        secret = put(tmp_path / ".other" / "secret.json", filled(perplexity=entry("four")))
        path.parent.mkdir()
        path.symlink_to(secret)
        assert read_submitted_answers(path)[1] == "not_a_file"

    def test_a_linked_folder_is_not_followed(self, path, tmp_path):
        put(tmp_path / ".other" / path.name, filled())
        path.parent.symlink_to(tmp_path / ".other")
        assert read_submitted_answers(path)[1] == "not_a_file"

    def test_a_folder_is_no_file(self, path):
        path.mkdir(parents=True)
        assert read_submitted_answers(path)[1] in ("not_a_file", "unreadable")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
    def test_a_pipe_does_not_hang(self, path):
        path.parent.mkdir()
        os.mkfifo(path)
        assert read_submitted_answers(path)[1] == "not_a_file"

    def test_a_name_that_no_file_can_have(self, tmp_path):
        assert read_submitted_answers(tmp_path / "a\0b")[1] == "unreadable"

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
    @given(content=st.binary(max_size=60))
    def test_any_bytes(self, path, content):
        found, problem = read_submitted_answers(put(path, content))
        assert found["answers"] == {}
        assert problem

    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=6,
    )

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
    @given(mess=st.dictionaries(st.sampled_from(["answer", "time", "attempts"]), values))
    def test_any_entry_is_dropped_or_comes_out_well_formed(self, path, mess):
        put(path, filled(question=mess))
        found, _ = read_submitted_answers(path)
        for kept in found["answers"].values():
            assert answers.is_answer(kept["answer"])
            assert set(kept) == {"answer", "time", "attempts"}

    @pytest.mark.parametrize("lang", ["en", "zh"])
    def test_every_problem_has_words(self, lang):
        from course_utils.words import WORDS

        codes = (
            "missing not_a_file too_large unreadable not_json repeated_key wrong_shape "
            "other_lesson bad_entries"
        )
        for code in codes.split():
            assert WORDS[f"answers_problem_{code}"][lang]
