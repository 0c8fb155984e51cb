"""The `course` command: build lessons, make and grade a class, hand work in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from course_utils.errors import UserError
from course_utils.words import LANGUAGES


def parser() -> argparse.ArgumentParser:
    """The command line, one subcommand per task."""
    root = argparse.ArgumentParser(prog="course", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands)
    _add_site(commands)
    _add_class(commands)
    _add_submit(commands)
    _add_grade(commands)
    _add_report(commands)
    _add_export(commands)
    return root


def _add_build(commands: argparse._SubParsersAction) -> None:
    build = commands.add_parser("build", help="turn sources into notebooks and kits")
    build.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all")
    build.add_argument(
        "--check", action="store_true", help="only compare the notebooks with their sources"
    )
    build.add_argument(
        "--text", action="store_true", help="write the prose anew and keep the outputs; run nothing"
    )
    build.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    from course_utils.authoring.build import build, out_of_step, reword

    if not options.check:
        make = reword if options.text else build
        make(options.lessons, lambda line: print(line, flush=True))
        return 0
    complaints = out_of_step(options.lessons)
    for line in complaints:
        print(line)
    print("Run `course build` to bring them in step." if complaints else "All in step.")
    return 1 if complaints else 0


def _add_site(commands: argparse._SubParsersAction) -> None:
    site = commands.add_parser("site", help="make pages of all lessons, to read in a browser")
    site.add_argument("folder", nargs="?", default="site", type=Path, metavar="DIR")
    site.set_defaults(run=_site)


def _site(options: argparse.Namespace) -> int:
    from course_utils.site.build import build_site

    build_site(options.folder, lambda line: print(line, flush=True))
    return 0


def _add_class(commands: argparse._SubParsersAction) -> None:
    group = commands.add_parser("class", help="make an nbgrader class of the lessons")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make a class, or add lessons to one")
    create.add_argument("folder", type=Path, metavar="DIR")
    create.add_argument("--lang", choices=LANGUAGES, help="language of notebooks and feedback")
    create.add_argument("--lessons", nargs="+", metavar="LESSON", help="default: all")
    create.add_argument(
        "--graded", action="store_true", help="learners get no verdict and no key from the quiz"
    )
    create.add_argument("--course-id", metavar="ID", help="default: the folder's name")
    create.add_argument("--exchange", metavar="DIR", help="nbgrader's exchange folder")
    create.add_argument(
        "--gradebook",
        metavar="URL",
        help="its database, postgresql+psycopg://user@host/name; default: a file beside the class",
    )
    create.set_defaults(run=_class_create)
    _add_class_backup(actions)
    _add_class_restore(actions)


def _class_create(options: argparse.Namespace) -> int:
    from course_utils.grading.new_class import Wanted, make

    wanted = Wanted(
        options.lang,
        options.lessons,
        options.graded,
        options.course_id,
        options.exchange,
        options.gradebook,
    )
    make(options.folder, wanted, lambda line: print(line, flush=True))
    return 0


def _add_class_backup(actions: argparse._SubParsersAction) -> None:
    backup = actions.add_parser("backup", help="write a class into one file")
    backup.add_argument("folder", type=Path, metavar="DIR")
    backup.add_argument(
        "--to", type=Path, metavar="FILE", help="file or folder; default: beside the class"
    )
    backup.set_defaults(run=_class_backup)


def _class_backup(options: argparse.Namespace) -> int:
    from course_utils.grading.backup import back_up

    back_up(options.folder, options.to, print)
    return 0


def _add_class_restore(actions: argparse._SubParsersAction) -> None:
    restore = actions.add_parser("restore", help="make a class anew from its backup")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    restore.set_defaults(run=_class_restore)


def _class_restore(options: argparse.Namespace) -> int:
    from course_utils.grading.restore import restore

    restore(options.file, options.folder, print)
    return 0


def _add_submit(commands: argparse._SubParsersAction) -> None:
    submit = commands.add_parser("submit", help="check a lesson's work and pack it for an upload")
    submit.add_argument("work", nargs="?", metavar="NOTEBOOK", help="notebook file or lesson")
    submit.add_argument(
        "--strict", action="store_true", help="pack nothing unless everything is in order"
    )
    submit.set_defaults(run=_submit)


def _submit(options: argparse.Namespace) -> int:
    from course_utils.grading.hand_in import submit

    return submit(options.work, Path.cwd(), options.strict)


def _add_grade(commands: argparse._SubParsersAction) -> None:
    grade = commands.add_parser("grade", help="grade a notebook of your own, or a class")
    grade.add_argument(
        "work", nargs="?", metavar="WORK", help="notebook file, lesson, or a class's folder"
    )
    of_class = grade.add_argument_group("for a class")
    of_class.add_argument("--lesson", nargs="+", default=[], help="default: all handed in")
    of_class.add_argument(
        "--only", nargs="+", default=[], metavar="STUDENT", help="names or patterns; default: all"
    )
    of_class.add_argument("--force", action="store_true", help="grade again what is not new")
    of_class.add_argument("--log", type=Path, help="add a line of JSON for each submission")
    of_class.add_argument(
        "--workers", type=int, default=0, metavar="N", help="side by side; default: processors"
    )
    of_class.add_argument(
        "--scheduler", default="", metavar="URL", help="run on a Dask cluster: tcp://host:8786"
    )
    of_class.add_argument("--no-pages", action="store_true", help="make no feedback pages")
    grade.set_defaults(run=_grade)


def _grade(options: argparse.Namespace) -> int:
    from course_utils.grading.classroom import is_class

    if options.work is not None and is_class(Path(options.work)):
        return _grade_class(options)
    from course_utils.grading.alone import grade_alone

    return grade_alone(options.work, Path.cwd())


def _grade_class(options: argparse.Namespace) -> int:
    from course_utils.grading.whole_class import Wishes, grade_folder

    wishes = Wishes(
        lessons=options.lesson,
        only=options.only,
        force=options.force,
        log=options.log,
        workers=options.workers,
        scheduler=options.scheduler,
        pages=not options.no_pages,
    )
    return grade_folder(Path(options.work), wishes)


def _add_report(commands: argparse._SubParsersAction) -> None:
    report = commands.add_parser("report", help="write a page on how a class is doing")
    report.add_argument("folder", type=Path, metavar="DIR", help="the class")
    report.add_argument("--lesson", nargs="+", default=[], help="default: all")
    report.add_argument("--hide-names", action="store_true", help="call learners by codes")
    report.add_argument("--to", type=Path, metavar="FILE", help="default: DIR/report.html")
    report.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    from course_utils.reporting.report import write_report

    target = write_report(options.folder, options.lesson, options.hide_names, options.to)
    print(f"Wrote {target}. Open it in a browser; it needs no network.")
    return 0


def _add_export(commands: argparse._SubParsersAction) -> None:
    export = commands.add_parser("export", help="write a class's grades for Canvas or Moodle")
    export.add_argument("folder", type=Path, metavar="DIR", help="the class")
    export.add_argument("--for", dest="system", choices=("canvas", "moodle"), required=True)
    export.add_argument("--lesson", nargs="+", default=[], help="default: all that is graded")
    export.add_argument(
        "--roster", type=Path, metavar="FILE", help="its own table of grades, to take ids from"
    )
    export.add_argument("--to", type=Path, metavar="FILE", help="default: DIR/canvas.csv …")
    export.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from course_utils.reporting.exports import export

    target = export(options.folder, options.system, options.lesson, options.roster, options.to)
    print(f"Wrote {target}.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 done, 1 work not in order, 2 unusable input)."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except UserError as problem:
        print(f"course: {problem}", file=sys.stderr)
        return 2
