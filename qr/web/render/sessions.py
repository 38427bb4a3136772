"""Bindings as they are shown, page by page."""

from collections.abc import Iterable, Mapping
from heapq import nlargest
from itertools import chain

from qr.routing.bindings import Binding, Lookup
from qr.web.render.decisions import SHOWN_DIGITS
from qr.web.shapes.asks import AskSessions
from qr.web.shapes.decisions import Session, Sessions

__all__ = ["Newest", "session_shape", "sessions_page"]

Row = tuple[tuple[str, str], Binding]
"""Provider and key, and what they are bound to."""


def session_shape(provider: str, key: str, binding: Binding, ttl: float, last: int | None) -> Session:
    """
    One binding.

    Args:
        provider: the provider it is for.
        key: the session's hashed name.
        binding: where it is bound to.
        ttl: seconds without use after which it ends.
        last: the number of its newest decision that is still kept.

    """
    return Session(
        provider=provider,
        key=key,
        fingerprint=key[:SHOWN_DIGITS],
        account=binding.account,
        stand_in=binding.stand_in,
        bound_at=binding.bound_at,
        used_at=binding.used_at,
        expires_at=binding.used_at + ttl,
        last_decision=last,
    )


class Newest:
    """The most recently used bindings that are asked for, found piece by piece."""

    def __init__(self, ask: AskSessions) -> None:
        """Raises `ValueError`: the cursor of *ask* is none of ours."""
        self._ask = ask
        self._end = _read_cursor(ask.before) if ask.before else None
        self._found: list[Row] = []
        self.matching = 0
        """How many there are on all pages."""

    def look_through(self, names: Iterable[tuple[str, str]], table: Lookup) -> None:
        """Each binding in *table* is to be named once; whichever has gone meanwhile is passed over."""
        rows = ((name, binding) for name in names if (binding := table.get(*name)) is not None)
        matching = list(filter(self._matches, rows))
        self.matching += len(matching)
        here = (row for row in matching if self._end is None or _place(row) < self._end)
        self._found = nlargest(self._ask.limit + 1, chain(self._found, here), _place)

    def _matches(self, row: Row) -> bool:
        (provider, _), binding = row
        ask = self._ask
        return ask.provider in (None, provider) and ask.account in (None, binding.account, binding.stand_in)

    @property
    def shown(self) -> list[Row]:
        """Of this page."""
        return self._found[: self._ask.limit]

    @property
    def next(self) -> str | None:
        """The cursor of the page after this one; None: there is none."""
        return _cursor(self.shown[-1]) if len(self._found) > self._ask.limit else None


def sessions_page(
    found: Newest,
    last: Mapping[str, int],
    *,
    accounts: Mapping[str, int],
    ttl: float,
    shadow: bool,
    now: float,
) -> Sessions:
    """
    One page of bindings, the most recently used first.

    Args:
        found: what is shown.
        last: each session's newest decision.
        accounts: bound sessions by account.
        ttl: seconds without use after which a binding ends.
        shadow: these are shadow's own bindings.
        now: epoch seconds.

    """
    return Sessions(
        now=now,
        total=sum(accounts.values()),
        matching=found.matching,
        shadow=shadow,
        next=found.next,
        accounts=dict(accounts),
        sessions=[session_shape(*name, binding, ttl, last.get(name[1])) for name, binding in found.shown],
    )


def _place(row: Row) -> tuple[float, str, str]:
    name, binding = row
    return binding.used_at, *name


def _cursor(row: Row) -> str:
    used_at, provider, key = _place(row)
    return f"{used_at!r}/{provider}:{key}"


def _read_cursor(text: str) -> tuple[float, str, str]:
    """
    Raises:
        ValueError: it is none of ours.
    """
    used_at, _, name = text.partition("/")
    provider, _, key = name.partition(":")
    return float(used_at), provider, key
