"""The `course` command: build lessons, make and grade a class, hand work in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


class UserError(Exception):
    """A mistake of the person at the keyboard: its text says what to do."""


def parser() -> argparse.ArgumentParser:
    """The command line, one subcommand per task."""
    root = argparse.ArgumentParser(prog="course", description=__doc__)
    root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (0 done, 1 work not in order, 2 unusable input)."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except UserError as problem:
        print(f"course: {problem}", file=sys.stderr)
        return 2
