"""The `course` command: build lessons, make and grade a class, hand work in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from course_utils.errors import UserError


def parser() -> argparse.ArgumentParser:
    """The command line, one subcommand per task."""
    root = argparse.ArgumentParser(prog="course", description=__doc__)
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_build(commands)
    return root


def _add_build(commands: argparse._SubParsersAction) -> None:
    build = commands.add_parser("build", help="turn sources into notebooks and kits")
    build.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all")
    build.add_argument(
        "--check", action="store_true", help="only compare the notebooks with their sources"
    )
    build.set_defaults(run=_build)


def _build(options: argparse.Namespace) -> int:
    from course_utils.authoring.build import build, out_of_step

    if not options.check:
        build(options.lessons, lambda line: print(line, flush=True))
        return 0
    complaints = out_of_step(options.lessons)
    for line in complaints:
        print(line)
    print("Run `course build` to bring them in step." if complaints else "All in step.")
    return 1 if complaints else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 done, 1 work not in order, 2 unusable input)."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except UserError as problem:
        print(f"course: {problem}", file=sys.stderr)
        return 2
