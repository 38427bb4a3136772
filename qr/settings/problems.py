"""What is wrong with settings: each problem with its line and key, and the error that carries all of them."""

from collections.abc import Iterable

from attrs import frozen

__all__ = ["Problem", "SettingsError", "legible"]

# A text that is no settings at all has thousands of problems; a message of 50 lines can still be read.
SHOWN = 50


@frozen
class Problem:
    """One thing that is wrong, said so that it can be corrected. It never holds a secret."""

    message: str
    key: str = ""
    """The path of the key, such as `manual_priority.claude-a.json`; empty when no key is to blame."""
    line: int | None = None
    """1-based; None where there are no lines, as in an environment variable."""
    column: int | None = None
    """1-based; told for broken YAML only."""

    def __str__(self) -> str:
        return ": ".join(part for part in (self._place(), legible(self.key, 120), self.message) if part)

    def _place(self) -> str:
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}" if self.line else ""


class SettingsError(ValueError):
    """Settings that cannot take effect; the settings in force stay in force."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        """Sort the *problems* of *source* (a path, or what a user calls it) into the order of their lines."""
        self.source = source
        self.problems = sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
        super().__init__("\n  ".join(self._lines()))

    def _lines(self) -> list[str]:
        more = len(self.problems) - SHOWN
        shown = [str(problem) for problem in self.problems[:SHOWN]]
        return [f"{self.source}:", *shown, *([f"… and {more} more"] if more > 0 else [])]


def legible(text: str, longest: int) -> str:
    """*text* for one line of a log or a terminal: no control characters, and not longer than *longest*."""
    shown = "".join(character if character.isprintable() else "�" for character in text[:longest])
    return shown + ("…" if len(text) > longest else "")
