"""The bounds that the discussion names are those of the code."""

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.docs.markdown import ROOT, page

UNITS = {"": 1.0, "s": 1.0, "ms": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "bytes": 1.0, "messages": 1.0}


def _rows() -> Iterator[Any]:
    for row in page("docs/discussion/bounds.md").rows():
        yield pytest.param(row[1], row[-1].strip("`"), id=row[0])


@pytest.mark.parametrize(("bound", "place"), list(_rows()))
def test_bound_is_the_constant(bound: str, place: str) -> None:
    path, _, name = place.partition(":")
    amount, unit = re.fullmatch(r"([\d.]+) ?(\w*)(?: apart)?", bound).groups()  # type: ignore[union-attr]  # fails then
    assert float(amount) * UNITS[unit] == (_in_c if path.endswith(".c") else _in_python)(path, name)


def _in_python(path: str, name: str) -> float:
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    return float(getattr(module, name))


def _in_c(path: str, name: str) -> float:
    found = re.search(rf"\b{name} = (\d+)\b", (ROOT / path).read_text(encoding="utf-8"))
    assert found, f"{path} has no constant {name}"
    return float(found[1])
