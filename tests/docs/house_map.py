"""The map of the modules in CONTRIBUTING.md, made from their docstrings: `python -m tests.docs.house_map`."""

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

__all__ = ["PAGE", "SECTION", "house_map", "modules"]

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "CONTRIBUTING.md"

SECTION = re.compile(r"(?<=<!-- modules: begin -->\n).*?(?=<!-- modules: end -->)", re.DOTALL)


def modules() -> list[Path]:
    """Every module but those that only gather others, relative to the checkout."""
    found = (path.relative_to(ROOT) for path in (ROOT / "qr").rglob("*.py"))
    return sorted((path for path in found if path.name != "__init__.py"), key=lambda path: path.parts)


def house_map() -> str:
    """One table a package, one line a module: the first sentence of its docstring."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    by_package = sorted(modules(), key=lambda path: (path.parent.parts, path.name))
    for package, inside in groupby(by_package, key=lambda path: path.parent):
        yield f"\n#### `{package}`\n"
        yield "| module | |"
        yield "| --- | --- |"
        yield from (f"| `{path.name}` | {_about(ROOT / path)} |" for path in inside)
    yield ""


def _about(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s(?=[A-Z`])", paragraph)[0].replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(lambda _: house_map(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
