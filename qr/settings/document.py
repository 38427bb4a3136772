"""YAML text to values that know their line; what YAML offers beyond plain values is named as a problem.

The tree is built from the parser's events, not by a loader: no tag builds an object, no alias expands, a key
given twice is seen, and a word means the same whichever version of YAML a text claims (`off` stays a word).
"""

import re
from collections.abc import Iterator, Mapping

from attrs import define, field, frozen
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from qr.settings.problems import Problem

__all__ = ["MAX_BYTES", "Document", "Node", "as_node", "read_document"]

# Priorities for 500 accounts fit in, and the worst that can stand there costs the parser about half a second.
MAX_BYTES = 32 * 1024

# The settings are two levels deep. The bound keeps the walk's recursion and the parser's nesting harmless.
MAX_DEPTH = 8


@frozen
class Node:
    """A value and where it stands: a scalar, a dict of nodes, or a list (which no setting reads)."""

    value: object
    line: int | None = None
    broken: bool = False
    """Named as a problem already: nothing more is to be said of it."""


@frozen
class Document:
    """What could be read of a text, and what is wrong with it."""

    root: Node
    problems: list[Problem]


class _UnreadableError(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def read_document(text: str | bytes) -> Document:
    """Read one YAML document; an empty one is null. Nothing is raised: see its `problems`."""
    walk = _Walk()
    try:
        walk.events = _events(_decoded(text))
        return Document(walk.root(), walk.problems)
    except _UnreadableError as error:
        return Document(Node(None, broken=True), [*walk.problems, error.problem])


def as_node(values: Mapping[str, object]) -> Node:
    """The same tree from values that never were YAML, such as a dashboard's form; it knows no lines."""
    return Node({key: _entry(value) for key, value in values.items()})


def _entry(value: object) -> Node:
    return Node({str(key): Node(item) for key, item in value.items()} if isinstance(value, dict) else value)


def _decoded(text: str | bytes) -> str:
    if len(text) > MAX_BYTES:
        raise _UnreadableError(Problem(f"too large: at most {MAX_BYTES} bytes are read"))
    try:
        return text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _UnreadableError(Problem("not UTF-8 text", line=line)) from error


def _events(text: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        raise _UnreadableError(_no_yaml(error)) from error
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _UnreadableError(
            Problem("no YAML: a character that must not stand there", line=line)
        ) from error
    except (OverflowError, ValueError) as error:  # the scanner on an escape beyond Unicode
        raise _UnreadableError(Problem("no YAML: an escape that names no character")) from error


def _no_yaml(error: MarkedYAMLError) -> Problem:
    said = ", ".join(part for part in (error.context, error.problem) if part)
    mark = error.problem_mark
    return Problem(f"no YAML: {said}", line=mark and mark.line + 1, column=mark and mark.column + 1)


@define
class _Walk:
    """One pass over the events of a text."""

    events: Iterator[Event] = field(factory=lambda: iter(()))
    problems: list[Problem] = field(factory=list)

    def root(self) -> Node:
        found = Node(None)
        documents = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                node = self.node(next(self.events), ())
                found = node if documents == 1 else found
                if documents == 2:
                    self.problem("a second document: only one is read", (), node.line)
        return found

    def node(self, event: Event, path: tuple[str, ...]) -> Node:
        line = event.start_mark.line + 1
        if len(path) > MAX_DEPTH:
            raise _UnreadableError(Problem("nested too deeply", ".".join(path), line))
        if refusal := _refusal(event):
            self.problem(refusal, path, line)
        return Node(self.value(event, path), line, broken=bool(refusal))

    def value(self, event: Event, path: tuple[str, ...]) -> object:
        if isinstance(event, MappingStartEvent):
            return self.mapping(path)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(path)
        return _scalar(event) if isinstance(event, ScalarEvent) else None

    def sequence(self, path: tuple[str, ...]) -> list[Node]:
        items: list[Node] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            items.append(self.node(event, (*path, str(len(items)))))
        return items

    def mapping(self, path: tuple[str, ...]) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self.key(event, path)
            node = self.node(next(self.events), (*path, key or "?"))
            if key is not None:
                self.enter(entries, key, Node(node.value, event.start_mark.line + 1, node.broken), path)
        return entries

    def key(self, event: Event, path: tuple[str, ...]) -> str | None:
        line = event.start_mark.line + 1
        if isinstance(event, ScalarEvent):
            if (
                refusal := "merge keys are not read: write the keys out"
                if _merges(event)
                else _refusal(event)
            ):
                self.problem(refusal, path, line)
            return None if refusal else event.value
        self.problem("a key must be a plain word", path, line)
        if not isinstance(event, AliasEvent):
            self.node(event, (*path, "?"))
        return None

    def enter(self, entries: dict[str, Node], key: str, node: Node, path: tuple[str, ...]) -> None:
        first = entries.setdefault(key, node)
        if first is not node:
            self.problem(f"given twice, first on line {first.line}", (*path, key), node.line)

    def problem(self, message: str, path: tuple[str, ...], line: int | None) -> None:
        self.problems.append(Problem(message, ".".join(path), line))


def _refusal(event: Event) -> str:
    """Why a value is not read, or nothing."""
    if isinstance(event, AliasEvent):
        return f"aliases (*{event.anchor}) are not read: write the value out"
    if anchor := getattr(event, "anchor", None):
        return f"anchors (&{anchor}) are not read: remove it"
    if getattr(event, "tag", None):
        return "tags (!…) are not read: remove it"
    if isinstance(event, ScalarEvent) and SURROGATE.search(event.value):
        return "an escape that names no character"
    return ""


def _merges(event: ScalarEvent) -> bool:
    return event.value == "<<" and not event.style


def _scalar(event: ScalarEvent) -> object:
    text: str = event.value
    if event.style or len(text) > LONGEST_NUMBER:
        return text
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text.replace(".inf", "inf").replace(".nan", "nan")) if FLOAT.fullmatch(text) else text


SURROGATE = re.compile("[\ud800-\udfff]")

# YAML 1.2's words. The words that only some readers take for a boolean (`off`, `yes`) stay words.
WORDS: Mapping[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}

# Numbers that every reader reads alike: `010` is 8 to some, `1_000` a word to others; here both stay words.
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
FLOAT = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan")

# No setting has more digits; a number of a million digits would be slow to convert.
LONGEST_NUMBER = 32
