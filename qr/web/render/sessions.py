"""Bindings as they are shown, page by page."""

from collections.abc import Iterable, Mapping

from qr.routing.bindings import Binding
from qr.web.render.decisions import SHOWN_DIGITS
from qr.web.shapes.asks import AskSessions
from qr.web.shapes.decisions import Session, Sessions

__all__ = ["Row", "session_shape", "sessions_page"]

Row = tuple[str, str, Binding]
"""Provider, key, binding."""


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


def sessions_page(
    rows: Iterable[Row],
    ask: AskSessions,
    last: Mapping[str, int],
    *,
    accounts: Mapping[str, int],
    ttl: float,
    shadow: bool,
    now: float,
) -> Sessions:
    """
    One page of *rows*, the most recently used first.

    Raises:
        ValueError: the cursor of *ask* is none of ours.

    Args:
        rows: all bindings.
        ask: which of them.
        last: each session's newest decision.
        accounts: bound sessions by account.
        ttl: seconds without use after which a binding ends.
        shadow: these are shadow's own bindings.
        now: epoch seconds.

    """
    matching = [row for row in rows if _matches(row, ask)]
    matching.sort(key=_place, reverse=True)
    end = _read_cursor(ask.before) if ask.before else None
    from_here = [row for row in matching if end is None or _place(row) < end]
    shown = from_here[: ask.limit]
    return Sessions(
        now=now,
        total=sum(accounts.values()),
        matching=len(matching),
        shadow=shadow,
        next=_cursor(shown[-1]) if len(from_here) > len(shown) else None,
        accounts=dict(accounts),
        sessions=[session_shape(*row, ttl, last.get(row[1])) for row in shown],
    )


def _matches(row: Row, ask: AskSessions) -> bool:
    provider, _, binding = row
    return ask.provider in (None, provider) and ask.account in (None, binding.account, binding.stand_in)


def _place(row: Row) -> tuple[float, str, str]:
    provider, key, binding = row
    return binding.used_at, provider, key


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
