"""Grading on a Dask cluster: equal grades, though machines go away; what travels has no key."""

import json

import pytest

from course_utils.cli import main
from course_utils.errors import UserError
from course_utils.grading import cluster, confined, worker
from course_utils.grading.cluster import Cluster, expect_scheduler
from course_utils.grading.execute import Job, inputs_of, run_submission
from course_utils.grading.graft import graft
from course_utils.grading.limits import Limits
from course_utils.grading.parcel import job_data, job_from, packed, ran_data, ran_from, unpacked
from course_utils.grading.submission import LearnerCell
from tests.grading.cluster import machines, wait_until
from tests.grading.lesson import SQUARED, TOTAL
from tests.grading.test_execute import Pretended
from tests.grading.test_loop import begin, in_a_fork
from tests.grading.test_three_ways import (  # noqa: F401
    WORK,
    classroom,
    generated,
    state,
)

pytestmark = pytest.mark.xdist_group("cluster")

SUMS = {"ada": 8, "bob": 1, "eve": 0, "fay": 0, "gus": 6}


def log_lines(folder):
    path = folder / "log.jsonl"
    return path.read_text("utf-8").splitlines() if path.exists() else []


def test_a_worker_is_killed_in_mid_run_and_the_grades_are_the_same(
    classroom,  # noqa: F811
    tmp_path,
    monkeypatch,
    capfd,
    warmed,
):
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    with machines(tmp_path) as some:
        command = ["grade", ".", "--scheduler", some.address, "--log", "log.jsonl"]
        with monkeypatch.context() as hasty:
            hasty.setattr(cluster, "WORKERS_SECONDS", 0.2)
            wait_until(lambda: begin(main, command)() == 2)
        assert "has no workers" in capfd.readouterr().err
        some.fork_worker()
        some.add_worker()
        ended = begin(main, command)
        wait_until(lambda: log_lines(classroom))
        some.workers[0].kill()
        assert len(log_lines(classroom)) < len(WORK)
        assert ended() == 0
        said = capfd.readouterr()
        assert "5 graded, 0 had nothing new, 0 failed" in said.out, said.err
        lines = [json.loads(line) for line in log_lines(classroom)]
        assert {line["student"]: line["score"] for line in lines} == SUMS
        assert len(list((classroom / "feedback").rglob("*.html"))) == len(WORK)
        on_cluster = state(classroom)

        monkeypatch.setattr(cluster, "WORKERS_SECONDS", 1.0)
        some.workers[1].kill()
        assert begin(main, [*command, "--force"])() == 2
    in_a_fork(main, ["grade", ".", "--force"])
    assert state(classroom) == on_cluster


@pytest.fixture
def job(assignment):
    """A submission with one right and one wrong exercise, ready to run."""
    cells = {"double": SQUARED, "total": TOTAL}
    own = [LearnerCell("code", text, name, name) for name, text in cells.items()]
    own.append(LearnerCell("markdown", "my words", "", ""))
    grafted = graft(assignment.parts, own, "en")
    return Job(grafted, inputs_of(assignment.kit), Limits(), assignment.files)


def there(job):
    """The job as a worker gets it."""
    return job_from(unpacked(packed(job_data(job))))


def test_a_job_gives_the_same_elsewhere(job):
    here = run_submission(job, Pretended)
    away = run_submission(there(job), Pretended)
    assert ran_from(unpacked(packed(ran_data(away))), job) == here
    assert here.outcomes["total"]
    assert here.cells


def test_no_key_travels(job, assignment):
    data = job_data(job)
    assert data.pop("files") == dict(assignment.files)  # what learners have been given
    text = json.dumps(data)
    for secret in ("expected", "mistakes", "my words"):
        assert secret not in text
    for case in assignment.kit["exercises"]["double"]["cases"]:
        assert json.dumps(case["expected"]) not in text


@pytest.mark.parametrize("lie", [
    {"outcomes": {}, "cells": [], "cpu_seconds": 1},
    {"outcomes": {"double": [{"score": 3}] * 9}, "cells": [[0, {"printed": 5}]], "cpu_seconds": 1},
    {"outcomes": {"total": [{"value": 1, "error": {}}]}, "cells": [], "cpu_seconds": "1"},
])  # fmt: skip
def test_what_comes_back_is_checked(job, lie):
    ran = ran_from(lie, job)
    assert {name: len(given) for name, given in ran.outcomes.items()} == {"double": 4, "total": 4}
    assert all(set(one) & {"unsupported", "error"} for one in ran.outcomes["double"])


def order(job, **changes):
    terms = {"unconfined": False, "hidden": [], "about": worker.about(), "last": False}
    return packed(terms | {"job": job_data(job) if job else {}} | changes)


def test_a_worker_that_cannot_confine_refuses(job, monkeypatch):
    monkeypatch.setattr(worker, "RUNNERS", {})
    monkeypatch.setattr(confined.Warm, "why_not", lambda self: "this is a test")
    answer = unpacked(worker.run_parcel(order(job)))
    assert "cannot be confined on this system (this is a test)" in answer["refused"]
    problem = Cluster("tcp://here:1", False, [])._problem(answer)
    assert isinstance(problem, UserError)
    assert "tcp://here:1" in str(problem)


def test_a_worker_of_another_version_refuses(job):
    other = worker.about() | {"numpy": "1.0"}
    answer = unpacked(worker.run_parcel(order(job, about=other)))
    assert answer == {"differs": worker.about()}
    problem = Cluster("tcp://here:1", False, [])._problem({"differs": other})
    assert "numpy 1.0, here 2" in str(problem)
    assert "course" not in str(problem).partition("(")[2].partition(")")[0]


def test_a_fault_of_a_worker_is_told_in_words():
    answer = unpacked(worker.run_parcel(order(None)))
    assert answer["failed"].startswith("KeyError")


def test_an_address_that_is_none():
    with pytest.raises(UserError, match="No Dask scheduler answers at nowhere"):
        expect_scheduler("nowhere")
