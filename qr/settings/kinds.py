"""What a setting may be: each kind takes a plain value and returns it ready for use, or says what it wants.

`type` uses the host's words for a plugin's fields (contract, section 1.8); `range` is for people.
"""

import math
from collections.abc import Callable
from typing import Protocol

from attrs import frozen

from qr.settings.problems import legible

__all__ = ["Choice", "Kind", "Number", "Switch", "Table", "Text", "UnfitError", "shown"]


class UnfitError(ValueError):
    """A value that a kind does not take; the message says what was expected."""


class Kind(Protocol):
    """One kind of value."""

    @property
    def type(self) -> str:
        """The host's word for it."""

    @property
    def range(self) -> str:
        """What it takes, for people; empty when *type* says all."""

    def fit(self, value: object) -> object:
        """
        Return *value* ready for use.

        Raises:
            UnfitError: it is none of this kind.
        """


@frozen
class Number:
    """A number from *low* to *high*; a boolean is none."""

    low: float
    high: float
    whole: bool = False
    off: bool = False
    """`off` is taken too, and means None."""

    @property
    def type(self) -> str:
        return "integer" if self.whole else "number"

    @property
    def range(self) -> str:
        return f"{_plain(self.low)} to {_plain(self.high)}{self._or_off()}"

    def fit(self, value: object) -> float | None:
        if self.off and (value is None or _is_off(value)):
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnfitError(f"expected {self._name()}, got {shown(value)}")
        if not self.low <= value <= self.high:
            raise UnfitError(f"must be {self.range}, got {shown(value)}")
        return self._whole(value) if self.whole else float(value)

    def _whole(self, value: float) -> int:
        # JSON has one type of number and hosts write 5 as 5.0 or 5e+00: the value counts, not its spelling.
        if value != int(value):
            raise UnfitError(f"expected {self._name()}, got {shown(value)}")
        return int(value)

    def _name(self) -> str:
        return ("an integer" if self.whole else "a number") + self._or_off()

    def _or_off(self) -> str:
        return " or off" if self.off else ""


@frozen
class Choice:
    """One of a few words."""

    words: tuple[str, ...]
    type: str = "enum"

    @property
    def range(self) -> str:
        return ", ".join(self.words)

    def fit(self, value: object) -> str:
        word = "off" if "off" in self.words and _is_off(value) else value
        if not isinstance(word, str) or word not in self.words:
            raise UnfitError(f"expected one of {self.range}, got {shown(value)}")
        return word


@frozen
class Switch:
    """On or off, in any of the spellings that YAML readers know."""

    type: str = "boolean"
    range: str = "true, false"

    def fit(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        word = value.lower() if isinstance(value, str) else ""
        if word not in SWITCH:
            raise UnfitError(f"expected true or false, got {shown(value)}")
        return SWITCH[word]


SWITCH = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


@frozen
class Text:
    """A text with a form of its own."""

    expects: str
    """What it is: `a path`."""
    read: Callable[[str], object]
    """Returns the text ready for use; raises UnfitError."""
    optional: bool = False
    """Nothing at all is taken too, and means None."""
    type: str = "string"

    @property
    def range(self) -> str:
        return self.expects

    def fit(self, value: object) -> object:
        if self.optional and value in (None, ""):
            return None
        if not isinstance(value, str) or not value:
            raise UnfitError(f"expected {self.expects}, got {_sort(value)}")
        return self.read(value)


@frozen
class Table:
    """Names of the user's own, each with a value of one kind; nothing at all is an empty table."""

    of: Kind
    type: str = "object"

    @property
    def range(self) -> str:
        return f"name: {self.of.type}, {self.of.range}"

    def fit(self, value: object) -> dict[str, object]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise UnfitError(f"expected a mapping of names to values, got {shown(value)}")
        return value


def shown(value: object) -> str:
    """*value* as a problem shows it: quoted when it is a text, and never long."""
    if isinstance(value, str):
        return f'"{legible(value, LONGEST_SHOWN)}"'
    return _plain(value) if isinstance(value, int | float) and not isinstance(value, bool) else _sort(value)


# Long enough to recognise what was written, short enough for one line of a log.
LONGEST_SHOWN = 40


def _sort(value: object) -> str:
    """What sort of value it is, for those whose content is not shown."""
    if isinstance(value, bool):
        return str(value).lower()
    names = {dict: "a mapping", list: "a list", str: "a text" if value else "an empty text", int: "a number"}
    return "nothing" if value is None else names.get(type(value), "a number")


def _plain(number: float) -> str:
    """A number without a needless fraction."""
    if abs(number) >= 1e16 or math.isnan(number):
        return "a number out of any range"
    return str(int(number)) if number == int(number) else str(number)


def _is_off(value: object) -> bool:
    # A YAML 1.1 reader between the user and here turns `off` into false.
    return value is False or value == "off"
