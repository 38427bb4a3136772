"""What the state file holds of bindings and accounts, entry by entry.

An entry that cannot be read costs itself, not its neighbours.
"""

from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import TypeVar

import msgspec
from attrs import Factory, frozen

from qr.actors.account_state import AccountState
from qr.quota.history import Refused, Reset, Samples, Series
from qr.routing.bindings import Binding
from qr.routing.rules import Rules

__all__ = ["Image", "Parts", "encode_account", "encode_binding", "encode_series", "pieces", "read_image"]

T = TypeVar("T")

# Entries joined at once: some ten microseconds of work.
PIECE = 250

Key = tuple[str, str]


class BindingEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A binding as it is written: the session's key is a hash already."""

    provider: str
    key: str
    account: str
    stand_in: str | None = None
    bound_at: float = 0.0
    used_at: float = 0.0


class SeriesEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The use of a window over time as it is written: columns, since they are the bulk of the file."""

    account: str
    window: str
    at: list[int] = []
    used_percent: list[float] = []
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

    bindings: dict[Key, Binding]
    accounts: list[AccountState]
    history: dict[Key, Series] = Factory(dict)
    settings_generation: int = 0
    host_rules: Rules | None = None
    """What decisions depended on when a host owned the settings; it tells them anew within seconds."""
    unreadable: int = 0
    """Entries that were passed over."""


def encode_binding(name: Key, binding: Binding) -> bytes:
    written = BindingEntry(*name, binding.account, binding.stand_in, binding.bound_at, binding.used_at)
    return msgspec.json.encode(written)


def encode_account(state: AccountState) -> bytes:
    return msgspec.json.encode(state)


def encode_series(key: Key, series: Series) -> bytes:
    written = SeriesEntry(
        *key,
        at=series.samples.at,
        used_percent=series.samples.used_percent,
        reset_at=[reset.at for reset in series.resets],
        reset_used_percent=[reset.used_percent for reset in series.resets],
        refused_at=[refused.at for refused in series.refusals],
    )
    return msgspec.json.encode(written)


@frozen
class Parts:
    """The encoded entries of a state file."""

    bindings: list[bytes]
    accounts: list[bytes]
    history: list[bytes]
    settings_generation: int = 0
    host_rules: Rules | None = None
    number: int = 0
    """The higher, the newer."""


def pieces(schema: int, parts: Parts) -> Iterator[bytes]:
    """The file's text from its encoded entries, in pieces: made as a whole, no thread could run meanwhile."""
    rules = msgspec.json.encode(parts.host_rules)
    generation = parts.settings_generation
    yield b'{"schema":%d,"settings_generation":%d,"host_rules":%b' % (schema, generation, rules)
    for name, entries in (
        (b"accounts", parts.accounts),
        (b"bindings", parts.bindings),
        (b"history", parts.history),
    ):
        yield b',\n"%b":[' % name
        yield from _listed(entries)
        yield b"]"
    yield b"}\n"


def _listed(entries: Sequence[bytes]) -> Iterator[bytes]:
    for start in range(0, len(entries), PIECE):
        yield (b",\n" if start else b"") + b",\n".join(entries[start : start + PIECE])


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
    named = dict(map(_named, body.bindings))
    return Image(named, body.accounts, history, body.settings_generation, body.host_rules, lost)


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
    """A column that is shorter than its partner ends both; a number that cannot be is no series."""
    try:
        samples = Samples(entry.at, entry.used_percent)
    except (OverflowError, ValueError):
        return None
    resets = tuple(map(Reset, entry.reset_at, entry.reset_used_percent))
    return (entry.account, entry.window), Series(samples, resets, tuple(map(Refused, entry.refused_at)))


def _named(entry: BindingEntry) -> tuple[Key, Binding]:
    """Few names for many bindings: each is kept once."""
    binding = Binding(intern(entry.account), entry.stand_in, entry.bound_at, entry.used_at)
    return (intern(entry.provider), entry.key), binding
