"""A few keys out of a JSON object; all else in it, a refresh token for example, is skipped undecoded."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

__all__ = ["Json", "member", "pick", "rows"]

Json = bytes | msgspec.Raw
T = TypeVar("T")

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_elements = msgspec.json.Decoder(list[msgspec.Raw])
_NULL = msgspec.Raw(b"null")


def pick(body: Json, wanted: Iterable[str]) -> Mapping[str, object]:
    """
    The values of the *wanted* keys of the object *body*; a key that is missing or null is missing.

    Keys may be spelt with hyphens, as the host accepts them (contract, section 9.2); the plain spelling wins.

    Raises:
        ValueError: *body* is no JSON object.
    """
    found = _decode(_members, body)
    spelt = ((name, spelling) for name in wanted for spelling in (name.replace("_", "-"), name))
    return {name: _value(found[key]) for name, key in spelt if found.get(key, _NULL) != _NULL}


def member(body: Json, key: str) -> msgspec.Raw:
    """
    The value *key* of the object *body*, undecoded; null when it is missing, or *body* is null.

    Raises:
        ValueError: *body* is neither.
    """
    return _NULL if body == _NULL else _decode(_members, body).get(key, _NULL)


def rows(body: Json) -> list[msgspec.Raw]:
    """
    The elements of the array *body*, undecoded; none when it is null.

    Raises:
        ValueError: *body* is no JSON array.
    """
    return [] if body == _NULL else _decode(_elements, body)


def _decode(decoder: msgspec.json.Decoder[T], body: Json) -> T:
    try:
        return decoder.decode(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _value(raw: msgspec.Raw) -> object:
    """
    The value; its bytes where they are fit for nothing (a number out of range, nesting without end).

    Not None: a value that is there and makes no sense must not pass for one that is missing.
    """
    try:
        value: object = msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return raw
    return value
