"""The page of commands names every command and option, and every command in the documentation exists."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest

from qr.cli import main
from tests.docs.markdown import page, pages


def _commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(_commands(main))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_command_has_a_section_with_its_options(path: tuple[str, ...]) -> None:
    text = page("docs/reference/commands.md").text
    heading = re.search(
        rf"^## `qr {' '.join(path)}(?: [A-Z…]+)?`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    assert heading, f"`qr {' '.join(path)}` has no section"
    long = [name for option in COMMANDS[path].params for name in option.opts if name.startswith("--")]
    assert [name for name in long if f"`{name}" not in heading[1]] == []


def test_no_section_without_a_command() -> None:
    headings = re.findall(
        r"^## `qr ([a-z -]+?)(?: [A-Z…]+)?`$", page("docs/reference/commands.md").text, re.MULTILINE
    )
    assert {tuple(heading.split()) for heading in headings} == set(COMMANDS)


def _shown() -> Iterator[Any]:
    """Commands in fenced shell blocks, as they are typed."""
    for one in pages():
        for block in one.blocks():
            for line in block.text.splitlines() if block.language in ("", "sh") else ():
                if found := re.match(r"(?:\$ |.*?[ /])?qr ([a-z].*)$", line):
                    yield pytest.param(found[1], id=f"{one.name}-{found[1]}")


@pytest.mark.parametrize("typed", list(_shown()))
def test_command_that_is_shown_exists(typed: str) -> None:
    words = shlex.split(typed)
    path = next((path for path in COMMANDS if tuple(words[: len(path)]) == path), None)
    assert path, f"qr {typed}"
    known = {name for option in COMMANDS[path].params for name in option.opts} | {"--help"}
    assert [word for word in words if word.startswith("--") and word not in known] == []


def test_readme_begins_with_its_two_commands() -> None:
    lines = page("README.md").text.splitlines()
    assert {"make demo", "make test"} <= set(lines[:8])
