"""Reads as much of the documentation's Markdown as the tests ask of it."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

__all__ = ["DOCS", "ROOT", "Block", "Page", "page", "pages"]

ROOT = Path(__file__).parents[2]

DOCS = ROOT / "docs"

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")

CODE = re.compile(r"`[^`\n]*`")


@frozen
class Block:
    """A fenced block: its language, empty when none is named, and its text without a list's indentation."""

    language: str
    text: str


@frozen
class Page:
    """One file of Markdown."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    def blocks(self) -> Iterator[Block]:
        for indent, language, text in FENCE.findall(self.text):
            yield Block(language, re.sub(rf"^{indent}", "", text, flags=re.MULTILINE))

    def prose(self) -> str:
        """All but the fenced blocks."""
        return FENCE.sub("", self.text)

    def links(self) -> list[str]:
        return LINK.findall(CODE.sub("", self.prose()))

    def anchors(self) -> set[str]:
        """How headings are linked to, as the usual viewers name them."""
        titles = re.findall(r"^#+ (.+)$", self.prose(), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}

    def section(self, title: str) -> "Page":
        """What stands under the heading *title*, up to the next one of its level or above."""
        found = re.search(
            rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", self.text, re.DOTALL | re.MULTILINE
        )
        assert found, f"{self.name} has no section {title!r}"
        return Page(self.path, found[2])

    def rows(self) -> list[list[str]]:
        """The cells of all tables, without their heads."""
        lines = [line for line in self.prose().splitlines() if line.lstrip().startswith("|")]
        heads = {at - 1 for at, line in enumerate(lines) if re.fullmatch(r"[ |:-]+", line)}
        heads |= {at + 1 for at in heads}
        return [_cells(line) for at, line in enumerate(lines) if at not in heads]

    def words(self, column: int = 0) -> list[str]:
        """What stands between backquotes in one column of all tables."""
        return [word for row in self.rows() for word in re.findall(r"`([^`]+)`", row[column])]


def _cells(line: str) -> list[str]:
    inside = line.strip().strip("|").replace("\\|", "\0")
    return [cell.strip().replace("\0", "|") for cell in inside.split("|")]


@cache
def page(name: str) -> Page:
    """The page at *name*, relative to the checkout."""
    path = ROOT / name
    return Page(path, path.read_text(encoding="utf-8"))


def pages() -> list[Page]:
    """All pages of the project."""
    found = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    return [page(path.relative_to(ROOT).as_posix()) for path in sorted(found)]
