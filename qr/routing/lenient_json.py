"""A reader for one JSON object that is as forgiving as the host's own (contract, section 7.1).

The host reads Codex's turn metadata with a scanner that validates nothing. A session must get the same name
here as there, also when the header is cut off or malformed, and the standard reader refuses those. Only the
top level is read; nothing recurses, and every pattern is possessive: time grows with the length alone.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from math import isinf

__all__ = ["MAX_BYTES", "read_object"]

# Real turn metadata is one or two KB. The bound keeps the worst that can be written into it below 10 ms; what
# is longer is not read at all, since a value cut in the middle would be a wrong one.
MAX_BYTES = 16 * 1024

SPACE = bytes(range(0x21))

STRING = rb'"(?P<string>(?:[^"\\]++|\\.)*+)"'

# Anything may stand before a key but the closing brace.
KEY = re.compile(rb'[^"}]*+' + STRING, re.DOTALL)

# Anything may stand before a value but the beginning of one, even a `}`: in `{"a"}, "b"` the text b is a's.
VALUE = re.compile(
    rb'[^"{\[tfniIN0-9+-]*+'
    rb"(?:" + STRING + rb"|(?P<nested>[{\[])|(?P<literal>[tf]|n(?=u|\Z))[a-z]*+"
    rb"|(?P<number>[niIN0-9+-][^\x00-\x20,\]}]*+))",
    re.DOTALL,
)

# What opens and closes inside a nested value; a bracket within a string does neither.
NESTING = re.compile(rb'[{\[()\]}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)

STEPS = {b"{": 1, b"[": 1, b"(": 1, b")": -1, b"]": -1, b"}": -1}

LITERALS = {b"t": "true", b"f": "false", b"n": ""}

PIECE = re.compile(rb'([^\\\x00-\x1f]++)|\\(["\\/bfnrt])|\\u(.{4})', re.DOTALL)

SECOND_HALF = re.compile(rb"\\u(.{4})", re.DOTALL)

SHORT_ESCAPES = {b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}

WHOLE_NUMBER = re.compile(rb"-?[0-9]*")

HEX = re.compile(rb"[0-9A-Fa-f]{4}")


def read_object(text: str) -> Mapping[str, str]:
    """
    The top-level keys of the JSON object that *text* begins with, their values as text.

    The first of equal keys wins. Numbers and booleans become text, objects and arrays are given as they
    stand, null is empty. A missing end and whatever follows the object are tolerated. Text that is not an
    object, or is longer than `MAX_BYTES`, has no keys. Never raises.

    >>> read_object('{"a": 12, "b": [1], "a": null')
    {'a': '12', 'b': '[1]'}
    """
    raw = text.encode("utf-8", "replace").lstrip(SPACE)
    return _members(raw) if raw.startswith(b"{") and len(raw) <= MAX_BYTES else {}


def _members(raw: bytes) -> dict[str, str]:
    members: dict[str, str] = {}
    at = 1
    while (key := KEY.match(raw, at)) and (value := VALUE.match(raw, key.end())):
        text, at = _value(value)
        members.setdefault(_text(key[1]), text)
    return members


def _value(value: re.Match[bytes]) -> tuple[str, int]:
    """The value as text, and where it ends."""
    kind, text = value.lastgroup, value[value.lastindex or 0]
    if kind == "string":
        return _text(text), value.end()
    if kind == "number":
        return _number(text), value.end()
    if kind == "literal":
        return LITERALS[text], value.end()
    end = _end(value.string, value.start("nested"))
    return value.string[value.start("nested") : end].decode("utf-8", "replace"), end


def _end(raw: bytes, start: int) -> int:
    """Where a nested value ends: with the bracket that closes it, or with the input."""
    depth = 0
    for token in NESTING.finditer(raw, start):
        depth += STEPS.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(raw)


def _number(raw: bytes) -> str:
    """Whole numbers as they stand, others without exponent; what is no number after all is 0."""
    if WHOLE_NUMBER.fullmatch(raw):
        return raw.decode()
    try:
        number = float(raw)
    except ValueError:
        return "0"
    if isinf(number):
        return f"{number:+}".title()
    return f"{Decimal(repr(number)):f}".removesuffix(".0")


def _text(raw: bytes) -> str:
    return _unescape(raw) if b"\\" in raw else raw.decode("utf-8", "replace")


def _unescape(raw: bytes) -> str:
    """The text up to the first unknown escape, or control character that should have been escaped."""
    text = []
    at = 0
    while piece := PIECE.match(raw, at):
        at = piece.end()
        plain, short, code = piece.groups()
        if plain is not None:
            text.append(plain.decode("utf-8", "replace"))
        elif short is not None:
            text.append(SHORT_ESCAPES.get(short) or short.decode())
        else:
            char, at = _character(_code_unit(code), raw, at)
            text.append(char)
    return "".join(text)


def _character(unit: int, raw: bytes, at: int) -> tuple[str, int]:
    """The character whose first UTF-16 unit ended before *at*, and where it ends; half a pair is U+FFFD."""
    if not 0xD800 <= unit <= 0xDFFF:
        return chr(unit), at
    second = SECOND_HALF.match(raw, at)
    if second is None:
        return "\N{REPLACEMENT CHARACTER}", at
    pair = unit.to_bytes(2, "big") + _code_unit(second[1]).to_bytes(2, "big")
    decoded = pair.decode("utf-16-be", "replace")
    return decoded if len(decoded) == 1 else "\N{REPLACEMENT CHARACTER}", second.end()


def _code_unit(digits: bytes) -> int:
    return int(digits, 16) if HEX.fullmatch(digits) else 0
