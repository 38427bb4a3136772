"""What the state file holds of bindings and accounts, entry by entry.

An entry that cannot be read costs itself, not its neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, starmap
from sys import intern
from typing import TypeVar

import msgspec
from attrs import Factory, frozen

from qr.actors.account_state import AccountState
from qr.quota.history import Refused, Reset, Samples, Series
from qr.routing.bindings import Binding
from qr.routing.rules import Rules

__all__ = ["Image", "Key", "Parts", "pieces", "read_image"]

T = TypeVar("T")

# Entries that are encoded at once, in some hundred microseconds: no other thread runs meanwhile.
BINDINGS_AT_ONCE, ACCOUNTS_AT_ONCE, SERIES_AT_ONCE = 250, 5, 5

Key = tuple[str, str]
"""Provider and session, or account id and window name."""


class BindingEntry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A binding as it is written: the session's key is a hash already."""

    provider: str
    key: str
    account: str
    stand_in: str | None = None
    bound_at: float = 0.0
    used_at: float = 0.0


class SeriesEntry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The use of a window over time as it is written: columns, since they are the bulk of the file."""

    account: str
    window: str
    at: bytes = b""
    used_tenths: bytes = b""
    reset_at: list[int] = []
    reset_used_percent: list[float] = []
    refused_at: list[int] = []


class Body(msgspec.Struct):
    """The state file; its history is read one series at a time, as its columns are large."""

    bindings: list[BindingEntry] = []
    accounts: list[AccountState] = []
    history: list[msgspec.Raw] = []
    settings_generation: int = 0
    host_rules: Rules | None = None


class Unread(msgspec.Struct):
    """The state file, its entries still unread."""

    bindings: list[msgspec.Raw] = []
    accounts: list[msgspec.Raw] = []
    history: list[msgspec.Raw] = []
    settings_generation: int = 0
    host_rules: msgspec.Raw = msgspec.Raw(b"null")


@frozen
class Image:
    """What was read from a state file."""

    bindings: dict[Key, Binding] = Factory(dict)
    accounts: Sequence[AccountState] = ()
    history: dict[Key, Series] = Factory(dict)
    settings_generation: int = 0
    host_rules: Rules | None = None
    """What decisions depended on when a host owned the settings; it tells them anew within seconds."""
    unreadable: int = 0
    """Entries that were passed over."""


@frozen
class Parts:
    """What is to be written, as it is at one moment; it can be gone through once."""

    bindings: Iterable[tuple[Key, Binding]]
    accounts: Iterable[AccountState]
    history: Iterable[tuple[Key, Series]]
    settings_generation: int = 0
    host_rules: Rules | None = None


def pieces(schema: int, parts: Parts) -> Iterator[bytes]:
    """The file's text, in pieces: made as a whole, no other thread could run meanwhile."""
    rules = msgspec.json.encode(parts.host_rules)
    generation = parts.settings_generation
    yield b'{"schema":%d,"settings_generation":%d,"host_rules":%b' % (schema, generation, rules)
    for name, entries, at_once in (
        (b"accounts", parts.accounts, ACCOUNTS_AT_ONCE),
        (b"bindings", starmap(_binding_entry, parts.bindings), BINDINGS_AT_ONCE),
        (b"history", starmap(_series_entry, parts.history), SERIES_AT_ONCE),
    ):
        yield b',\n"%b":[' % name
        yield from _listed(entries, at_once)
        yield b"]"
    yield b"}\n"


def _listed(entries: Iterable[object], at_once: int) -> Iterator[bytes]:
    rest, between = iter(entries), b""
    while piece := list(islice(rest, at_once)):
        if text := _encoded(piece):
            yield between + text
            between = b",\n"


def _encoded(entries: Sequence[object]) -> bytes:
    """The entries without the brackets around them; one that is no JSON costs itself, not its neighbours."""
    try:
        return msgspec.json.encode(entries)[1:-1]
    except UnicodeError:
        alone = (_encoded([one]) for one in entries if len(entries) > 1)
        return b",".join(filter(None, alone))


def _binding_entry(name: Key, binding: Binding) -> BindingEntry:
    return BindingEntry(*name, binding.account, binding.stand_in, binding.bound_at, binding.used_at)


def _series_entry(key: Key, series: Series) -> SeriesEntry:
    return SeriesEntry(
        *key,
        *series.samples.packed(),
        reset_at=[reset.at for reset in series.resets],
        reset_used_percent=[reset.used_percent for reset in series.resets],
        refused_at=[refused.at for refused in series.refusals],
    )


def read_image(text: bytes) -> Image:
    """
    The entries of a state file; what cannot be read is counted, not raised.

    Args:
        text: the file's JSON in the current schema.

    """
    try:
        body, lost = msgspec.json.decode(text, type=Body), 0
    except msgspec.DecodeError:
        body, lost = _entry_by_entry(text)
    history = dict(filter(None, map(_series, _read(body.history, SeriesEntry))))
    lost += len(body.history) - len(history)
    return Image(
        _named(body.bindings), body.accounts, history, body.settings_generation, body.host_rules, lost
    )


def _entry_by_entry(text: bytes) -> tuple[Body, int]:
    """What can be read, and how many entries cannot."""
    try:
        unread = msgspec.json.decode(text, type=Unread)
    except msgspec.DecodeError:
        return Body(), 1
    bindings = list(_read(unread.bindings, BindingEntry))
    accounts = list(_read(unread.accounts, AccountState))
    lost = len(unread.bindings) + len(unread.accounts) - len(bindings) - len(accounts)
    rules = next(_read([unread.host_rules], Rules), None)
    return Body(bindings, accounts, unread.history, unread.settings_generation, rules), lost


def _read(entries: Iterable[msgspec.Raw], kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    for entry in entries:
        try:
            yield decoder.decode(entry)
        except msgspec.DecodeError:
            continue


def _series(entry: SeriesEntry) -> tuple[Key, Series] | None:
    """A column that is shorter than its partner ends both."""
    try:
        samples = Samples.unpacked(entry.at, entry.used_tenths)
    except ValueError:
        return None
    resets = tuple(map(Reset, entry.reset_at, entry.reset_used_percent))
    return (entry.account, entry.window), Series(samples, resets, tuple(map(Refused, entry.refused_at)))


def _named(bindings: Iterable[BindingEntry]) -> dict[Key, Binding]:
    """Few names for many bindings: each is kept once."""
    return {
        (intern(one.provider), one.key): Binding(intern(one.account), one.stand_in, one.bound_at, one.used_at)
        for one in bindings
    }
