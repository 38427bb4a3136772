"""The reference's table of settings, made from the code: `python -m tests.docs.settings_table` writes it."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from qr.settings import KEYS, Key
from qr.settings.kinds import Choice, Number, Switch, Table

__all__ = ["PAGE", "SECTION", "table"]

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"

SECTION = re.compile(r"(?<=<!-- settings: begin -->\n).*?(?=<!-- settings: end -->)", re.DOTALL)


def table() -> str:
    """Every key in the order of the code, a line each."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield "| key | takes | default | what it does |"
    yield "| --- | --- | --- | --- |"
    for name, key in KEYS.items():
        yield f"| `{name}` | {_takes(key)} | {_default(key)} | {_does(key)} |"


def _takes(key: Key) -> str:
    match key.kind:
        case Choice(words=words):
            return ", ".join(f"`{word}`" for word in words)
        case Switch():
            return "`true`, `false`"
        case Table(of=kind):
            return f"names, each with a value from {kind.range}"
        case Number(off=True):
            return f"{key.kind.range.removesuffix(' or off')} {key.unit}, or `off`"
        case Number():
            return f"{key.kind.range} {key.unit}"
    return key.kind.range


def _default(key: Key) -> str:
    match key.default:
        case None:
            return "none"
        case bool(switch):
            return f"`{str(switch).lower()}`"
        case int() | float():
            return f"{key.default:.15g}"
        case str(text) if text.startswith("("):
            return escape(text.strip("()"))
        case str(text):
            return f"`{text}`"
    return "none"


def _does(key: Key) -> str:
    marks = ["*restart*"] if key.restart else []
    marks += [f"`{key.environment}`"] if key.environment else []
    return " ".join([key.text, *([f"({', '.join(marks)})"] if marks else [])])


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(lambda _: table(), PAGE.read_text()))
