"""nbgrader's exchange, where what learners left there is not believed."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import stat
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import ignore_patterns
from traitlets import Bool

ARRIVAL_SLACK = timedelta(minutes=10)


class CourseCollect(ExchangeCollect):
    """nbgrader's collect, which would copy whatever a link in a submission points to.

    Links stay links, which grading then refuses with a reason; pipes and devices stay behind. The
    time of submission is the one in the exchange's folder name, and the instructor is told when
    the work arrived much later than it says.

    Anybody may put a folder with another's name on it into the exchange. nbgrader says so and
    collects it, in the place of that learner's own work; `owners_only` leaves it.
    """

    owners_only = Bool(
        False,
        help="Collect only what belongs to the account of the learner that it names. For servers "
        "on which every learner has an account.",
    ).tag(config=True)

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find what was handed in; of each learner the latest."""
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        record = super()._path_to_record(path)
        if self.owners_only and not _may_hand_in(path, record["username"]):
            self.log.error("%s is not by whom it says, and was not collected", path)
            record["username"] = ""
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission's folder and note when it was submitted."""
        limit = 1000 * self.coursedir.max_dir_size
        if self.get_size(src) > limit:
            self.log.error("%s is larger than %d bytes and was not collected", src, limit)
            return
        ignored = ignore_patterns(
            exclude=self.coursedir.ignore,
            include=self.coursedir.include,
            max_file_size=self.coursedir.max_file_size,
            log=self.log,
        )

        def left_out(folder: str, names: Iterable[str]) -> list[str]:
            special = [name for name in names if _is_special(os.path.join(folder, name))]
            return [*ignored(folder, [n for n in names if n not in special]), *special]

        shutil.copytree(src, dest, symlinks=True, ignore=left_out)
        self._note_time(self._path_to_record(src), Path(src), Path(dest))

    def _note_time(self, record: dict[str, Any], source: Path, place: Path) -> None:
        claimed: datetime = record["timestamp"]
        arrived = datetime.fromtimestamp(source.stat().st_ctime, UTC).replace(tzinfo=None)
        if arrived - claimed > ARRIVAL_SLACK:
            self.log.warning(
                "%s says that it was submitted at %s UTC but arrived at %s UTC",
                *(record["username"], claimed, arrived),
            )
        put_text(place / "timestamp.txt", f"{claimed:%Y-%m-%d %H:%M:%S.%f} UTC")


class CourseReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's release of feedback, which stops at work that did not come through the exchange.

    Such work has no secret by which its learner could fetch the page, so it gets one that nobody
    knows, and the others get their pages.
    """

    def copy_files(self) -> None:
        """Give folders the small files that nbgrader asks for, then release."""
        for folder in map(Path, glob.glob(self.src_path)):
            if not (folder / "timestamp.txt").exists():
                put_text(folder / "timestamp.txt", "")
            secret = folder / "submission_secret.txt"
            if not secret.exists() or not secret.stat().st_size:
                put_text(secret, secrets.token_hex(64))
        super().copy_files()


def put_text(path: Path, text: str) -> None:
    """Write a file in the place of whatever is there, link or not."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")


def _may_hand_in(path: str, student: str) -> bool:
    """Whether a folder in the exchange is the learner's own, or the collector's."""
    import pwd  # not at the top: Windows lacks it

    try:
        owner = os.lstat(path).st_uid
        return owner == os.getuid() or pwd.getpwuid(owner).pw_name == student
    except (OSError, KeyError):  # gone, or of an account that was removed
        return False


def _is_special(path: str) -> bool:
    """Whether this is a pipe, a socket or a device."""
    mode = os.lstat(path).st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
