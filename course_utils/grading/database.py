"""The gradebook's database: nbgrader's file beside the class, or a PostgreSQL server.

Which one is nbgrader's own setting, `c.CourseDirectory.db_url` in the class's `nbgrader_config.py`.
What nbgrader lacks on a server is added here: connections that were lost are noticed, and what
cannot be reached or is locked is waited for or said in a sentence.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import sqlalchemy
from alembic.script import ScriptDirectory
from nbgrader import api, dbutil
from nbgrader.converters import BaseConverter, NbGraderException
from sqlalchemy import String
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
)

from course_utils.errors import UserError

LOG = logging.getLogger("course.grading")
LOCKED_SECONDS = 600.0
LOST_SECONDS = 120.0
PAUSE_SECONDS = 2.0
MAX_RACES = 3
CONNECT_SECONDS = 10
NBGRADERS_WIDTH, WIDTH = 128, 255  # characters of a name
LOCK_SECONDS = 5.0  # then waiting goes on, but is said
STATES = {"55P03": "locked", "40P01": "locked", "40001": "locked"}
NBGRADERS_OWN = "default_course"  # nbgrader names no course where it reads a notebook
T = TypeVar("T")


def checked_url(text: str) -> str:
    """A database's address as it may stand in a class's settings.

    Raises:
        UserError: it is none, its driver is missing, or it holds a password.
    """
    url = _parsed(text)
    if url.password is not None:
        raise UserError(
            "A password in a settings file is read by too many. Leave it out of the address and "
            "put it into ~/.pgpass or the environment variable PGPASSWORD."
        )
    if not is_file(text) and not url.database:
        raise UserError(f"{text} names no database: add its name at the end, as in …/nlp_2027.")
    make_engine(text).dispose()
    return text


def shown(db_url: str) -> str:
    """A database's address without a password."""
    return _parsed(db_url).render_as_string(hide_password=True)


def is_file(db_url: str) -> bool:
    """Whether the database is a file (SQLite), with no server."""
    return _parsed(db_url).get_backend_name() == "sqlite"


def _parsed(db_url: str) -> URL:
    try:
        return make_url(db_url)
    except (ArgumentError, ValueError) as problem:
        raise UserError(
            f"{db_url!r} is no database's address. One looks like "
            "postgresql+psycopg://user@host/database."
        ) from problem


def make_engine(db_url: str, **options: Any) -> Engine:
    """SQLAlchemy's engine, which on a server tests a connection before it is used again.

    Raises:
        UserError: the address is none, or its driver is not installed.
    """
    url = _parsed(db_url)
    if is_file(db_url):
        options.setdefault("connect_args", {"timeout": LOCK_SECONDS})
    else:
        options["pool_pre_ping"] = True
    if url.get_backend_name() == "postgresql":
        options.setdefault("connect_args", {"connect_timeout": CONNECT_SECONDS})
    try:
        return sqlalchemy.create_engine(db_url, **options)
    except (NoSuchModuleError, ModuleNotFoundError) as problem:
        raise UserError(
            f"There is no driver for {shown(db_url)} ({problem}). For PostgreSQL: "
            "pip install 'psycopg[binary]', and an address like "
            "postgresql+psycopg://user@host/database."
        ) from problem


def expect_reachable(db_url: str) -> None:
    """See to it that a database server answers.

    Raises:
        UserError: it does not; the text says why.
    """
    if is_file(db_url):
        return
    engine = make_engine(db_url)
    try:
        engine.connect().close()
    except DBAPIError as problem:
        raise UserError(unreachable(db_url, problem)) from problem
    finally:
        engine.dispose()


def unreachable(db_url: str, problem: DBAPIError) -> str:
    """A sentence on a gradebook that does not answer."""
    said = " ".join(str(problem.orig).split())
    return (
        f"The gradebook {shown(db_url)} cannot be used: {said.rstrip('.?')}. (Passwords belong "
        "into ~/.pgpass or PGPASSWORD.)"
    )


def open_gradebook(db_url: str, course_id: str) -> api.Gradebook:
    """nbgrader's gradebook, waited for where another program has locked it.

    Raises:
        UserError: it cannot be reached, or is another class's.
    """
    prepare()
    expect_reachable(db_url)
    gradebook = patiently(lambda: api.Gradebook(db_url, course_id))
    try:
        if not is_file(db_url):
            _expect_own(gradebook, course_id)
    except BaseException:
        gradebook.close()
        raise
    if gradebook.engine.name == "postgresql":
        gradebook.db.remove()
        gradebook.engine.dispose()
        sqlalchemy.event.listen(gradebook.engine, "connect", _limit_waiting)
    return gradebook


def _limit_waiting(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {LOCK_SECONDS * 1000:.0f}")
    connection.commit()


def _expect_own(gradebook: api.Gradebook, course_id: str) -> None:
    """Refuse a database with another class in it: lessons are told apart by name only."""
    query = gradebook.db.query(api.Assignment.course_id).distinct()
    others = {row[0] for row in query} - {course_id, NBGRADERS_OWN}
    if others:
        raise UserError(
            f"The database {shown(str(gradebook.engine.url))} holds the class {min(others)}. "
            "Give each class a database of its own (createdb)."
        )


def patiently(work: Callable[[], T]) -> T:
    """Do `work`; while the gradebook is locked, or its server away, wait and say so.

    Raises:
        UserError: it took too long. What was recorded before stays.
    """
    began, races = time.monotonic(), 0
    while True:
        try:
            return work()
        except (OperationalError, IntegrityError) as problem:
            why = _passing(problem)
            races += why == "raced"
            if not why or races > MAX_RACES:
                raise
            if time.monotonic() - began > (LOST_SECONDS if why == "lost" else LOCKED_SECONDS):
                raise UserError(_given_up(why, problem)) from problem
            _say_waiting(why, problem)


def _passing(problem: DBAPIError) -> str:
    """What another attempt may mend: `locked`, `lost`, `raced`; else empty."""
    if isinstance(problem, IntegrityError):
        return "raced"  # another program recorded the same submission meanwhile
    state = getattr(problem.orig, "sqlstate", None)
    if "database is locked" in str(problem) or state in STATES:
        return "locked"
    server = not type(problem.orig).__module__.startswith("sqlite3")
    return "lost" if server and (state is None or state[:2] in ("08", "57", "53")) else ""


def _say_waiting(why: str, problem: DBAPIError) -> None:
    if why == "locked":
        LOG.warning("The gradebook is locked by another program; waiting for it.")
    elif why == "lost":
        LOG.warning("The gradebook's server does not answer; trying again. (%s)", problem.orig)
        time.sleep(PAUSE_SECONDS)


def _given_up(why: str, problem: DBAPIError) -> str:
    what = "is still locked by another program" if why == "locked" else "does not answer any more"
    return (
        f"The gradebook {what} ({' '.join(str(problem.orig).split())}). What was recorded stays; "
        "the same command goes on from there."
    )


def prepare() -> None:
    """Let all of nbgrader in this process make its connections by `make_engine`.

    Its tables cut names at 128 characters, which SQLite does not heed and PostgreSQL does: they
    are made as wide as a folder's name can be.
    """
    api.create_engine = make_engine
    api.get_alembic_version = newest_form
    for table in api.Base.metadata.tables.values():
        for column in table.columns:
            if isinstance(column.type, String) and column.type.length == NBGRADERS_WIDTH:
                column.type.length = WIDTH


def newest_form() -> str | None:
    """Which form of its tables a new gradebook has; nbgrader starts a program to find out."""
    return ScriptDirectory(dbutil.ALEMBIC_DIR).get_current_head()


def configured() -> None:
    """What nbgrader's commands and formgrader need in a class: see this module's head."""
    prepare()
    sys.excepthook = told_in_a_sentence
    start = BaseConverter.start
    if not hasattr(start, "checks_first"):
        BaseConverter.start = _checking_first(start)


def _checking_first(start: Callable[[Any], None]) -> Callable[[Any], None]:
    """nbgrader's converters, which would tell of a server that is away as of a broken notebook."""

    def checked(self: Any) -> None:
        try:
            expect_reachable(self.coursedir.db_url)
        except UserError as problem:
            self.log.error("%s", problem)
            raise NbGraderException(str(problem)) from problem
        start(self)

    checked.checks_first = True  # type: ignore[attr-defined]
    return checked


def told_in_a_sentence(
    kind: type[BaseException], problem: BaseException, trace: TracebackType | None
) -> None:
    """`sys.excepthook` for nbgrader's commands: no traceback where a server is away."""
    if isinstance(problem, UserError):
        print(problem, file=sys.stderr)
    elif isinstance(problem, OperationalError) and _passing(problem) == "lost":
        said = " ".join(str(problem.orig).split())
        print(f"The gradebook's database cannot be used: {said}.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, problem, trace)
