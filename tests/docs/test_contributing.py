"""What CONTRIBUTING.md says of the code is there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.docs.house_map import PAGE, SECTION, house_map
from tests.docs.markdown import ROOT, page

CONTRIBUTING = page("CONTRIBUTING.md")

PLACES = sorted(
    {
        place
        for row in CONTRIBUTING.section("Where each rule stands").rows()
        for place in re.findall(r"`([^`]+)`", row[2])
    }
)


@pytest.mark.parametrize("place", PLACES)
def test_rule_stands_where_it_is_said_to(place: str) -> None:
    path, _, name = place.partition(":")
    assert (ROOT / path).is_file()
    if name and path.endswith(".py"):
        assert name in _names(ROOT / path)
    elif name:
        assert re.search(rf"\b{name}\(", (ROOT / path).read_text(encoding="utf-8"))


@cache
def _names(path: Path) -> set[str]:
    """Functions, classes, constants and what stands in the classes, as `Class.name`."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        f"{node.name}.{name}"
        for node in module.body
        if isinstance(node, ast.ClassDef)
        for name in _defined(node)
    }
    return set(_defined(module)) | inside


def _defined(scope: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_map_has_every_module() -> None:
    found = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert found
    assert house_map() == found[0], "run: python -m tests.docs.house_map"


def test_paths_that_are_named_exist() -> None:
    named = re.findall(r"`((?:qr|tests|docs|deploy)/[\w./-]+)`", CONTRIBUTING.prose())
    assert [path for path in named if not (ROOT / path).exists()] == []
