"""Make what a course needs on the hub's server: its account, its exchange, its class.

    sudo .venv/bin/python deploy/jupyterhub/prepare.py nlp --lang en --graded

Running it again is safe: what is there stays.
"""

import argparse
import os
import pwd
import subprocess
import sys
from pathlib import Path

STATE = "/srv/jupyterhub"
EXCHANGE = "/srv/exchange"
FIRST_PERSON = 1000  # accounts of people have this number or a higher one


def make_account(course: str) -> pwd.struct_passwd:
    """The account that owns the course's class: nobody logs in to it, nobody else sees its home."""
    try:
        account = pwd.getpwnam(course)
    except KeyError:
        options = ["--system", "--create-home", "--user-group", "--shell", "/usr/sbin/nologin"]
        subprocess.run(["useradd", *options, course], check=True)
        account = pwd.getpwnam(course)
    if account.pw_uid >= FIRST_PERSON or not account.pw_uid:
        sys.exit(f"{course} is a person's account: give the course a name of its own.")
    os.chmod(account.pw_dir, 0o700)
    return account


def make_exchange(exchange: Path, course: str, account: pwd.struct_passwd) -> None:
    """The exchange's folders, with the rights that nbgrader asks for and a little less.

    Everybody may put work into `inbound`, nobody but the course may list it, and the sticky bit
    keeps one learner from moving another's work away. Pages in `feedback` have names that only
    the learner of the work can compute.
    """
    folder = exchange / course
    make_folder(exchange, 0o1777, None)
    make_folder(folder, 0o755, account)
    make_folder(folder / "outbound", 0o755, account)
    make_folder(folder / "inbound", 0o3733, account)
    make_folder(folder / "feedback", 0o711, account)


def make_folder(folder: Path, mode: int, owner: pwd.struct_passwd | None) -> None:
    """Make a folder of an account (of root where none is named) with exactly these rights."""
    if folder.is_symlink():
        sys.exit(f"{folder} is a link: remove it first.")
    folder.mkdir(parents=True, exist_ok=True)
    uid, gid = (owner.pw_uid, owner.pw_gid) if owner else (0, 0)
    if folder.stat().st_uid != uid and any(folder.iterdir()):
        sys.exit(f"{folder} belongs to another account and is not empty: look at it first.")
    os.chown(folder, uid, gid)
    os.chmod(folder, mode)


def make_class(course: str, account: pwd.struct_passwd, exchange: Path, options: list[str]) -> None:
    """The class with all lessons, in the account's home; made by that account."""
    folder = Path(account.pw_dir) / "class"
    if folder.exists():
        print(f"{folder} is there and stays as it is.")
        return
    command = [str(Path(sys.executable).parent / "course"), "class", "create", str(folder)]
    command += ["--course-id", course, "--exchange", str(exchange), *options]
    run = subprocess.run(
        command,
        cwd=account.pw_dir,
        user=account.pw_uid,
        group=account.pw_gid,
        extra_groups=[],
        env={"HOME": account.pw_dir, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    )
    if run.returncode:
        sys.exit(run.returncode)


def main() -> None:
    """Read the command line and make everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("course", help="the course's name, as in COURSES")
    parser.add_argument("--lang", choices=["en", "zh"], required=True)
    parser.add_argument("--graded", action="store_true", help="keep the key from learners")
    parser.add_argument("--lessons", nargs="+", metavar="LESSON", help="default: all")
    parser.add_argument("--state", type=Path, default=Path(STATE), help=f"default: {STATE}")
    parser.add_argument("--exchange", type=Path, default=Path(EXCHANGE), help=EXCHANGE)
    given = parser.parse_args()
    if os.geteuid():
        sys.exit("Only root can make accounts: sudo " + " ".join(sys.argv))
    account = make_account(given.course)
    make_folder(given.state, 0o700, None)
    make_exchange(given.exchange, given.course, account)
    options = ["--lang", given.lang, *(["--graded"] if given.graded else [])]
    options += ["--lessons", *given.lessons] if given.lessons else []
    make_class(given.course, account, given.exchange, options)


if __name__ == "__main__":
    main()
