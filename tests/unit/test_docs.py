"""Pages for people: links lead somewhere, commands exist, quoted messages are the program's."""

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import nbgrader
import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp

import course_utils
from course_utils.cli import parser
from course_utils.kit import REPOSITORY

PAGES = sorted(
    path.relative_to(REPOSITORY)
    for folder in (".", "docs", "deploy")
    for path in (REPOSITORY / folder).glob("**/*.md" if folder != "." else "*.md")
)
HANDBOOKS = ("docs/handbook.md", "docs/handbook.zh.md")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"`((?:course|nbgrader) [^`]+)`|^\$ ((?:course|nbgrader) .+)$", re.MULTILINE)
MESSAGE_SOURCES = (Path(course_utils.__file__).parent, Path(nbgrader.__file__).parent / "exchange")


def read(page):
    return (REPOSITORY / page).read_text(encoding="utf-8")


def anchors(text):
    """The anchors of a page's headings, as code forges make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_within_the_repository_lead_somewhere(page):
    for link in (a or b for a, b in LINK.findall(FENCE.sub("", read(page)))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (REPOSITORY / page).parent / path if path else REPOSITORY / page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("page", HANDBOOKS)
def test_commands_of_the_handbook_exist(page):
    commands = [a or b for a, b in COMMAND.findall(read(page))]
    assert len(commands) > 30
    for command in commands:
        program, *words = shlex.split(command.replace("…", "x"))
        if program == "course" and words[-1] != "submit":
            parser().parse_args(words)
        elif program == "nbgrader":
            assert words[0] in {*NbGraderApp.subcommands, "--help"}, command


@cache
def messages():
    """Every text in the program's code, with … where values are put in."""
    found = []
    for path in (p for folder in MESSAGE_SOURCES for p in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else "…" for p in node.values]
                found.append("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"%[sd]|\{[^}]*\}", "…", node.value))
    return "\n".join(found)


@pytest.mark.parametrize("page", HANDBOOKS)
def test_messages_in_the_table_of_troubles_are_the_programs_own(page):
    rows = re.findall(r"^\| `([^`]+)` \|", read(page).rpartition("\n## ")[2], re.MULTILINE)
    assert len(rows) == 10
    for message in rows:
        for part in (piece.strip() for piece in message.split("…")):
            assert part in messages(), message


def test_both_handbooks_have_the_same_sections_tables_and_output():
    english, chinese = map(read, HANDBOOKS)
    for pattern in (r"^(#+) ", r"^(\|)", r"^(```.*?^```)$"):
        found = [re.findall(pattern, t, re.MULTILINE | re.DOTALL) for t in (english, chinese)]
        assert found[0] == found[1]
