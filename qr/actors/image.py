"""What the state file holds of bindings and accounts, entry by entry.

An entry that cannot be read costs itself, not its neighbours.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from attrs import frozen

from qr.actors.account_state import AccountState
from qr.routing.bindings import Binding

__all__ = ["Image", "encode_account", "encode_binding", "join", "read_image"]

T = TypeVar("T")

Key = tuple[str, str]


class BindingEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A binding as it is written: the session's key is a hash already."""

    provider: str
    key: str
    account: str
    stand_in: str | None = None
    bound_at: float = 0.0
    used_at: float = 0.0


class Body(msgspec.Struct):
    """The state file's lists, their entries still unread."""

    bindings: list[msgspec.Raw] = []
    accounts: list[msgspec.Raw] = []
    settings_generation: int = 0


@frozen
class Image:
    """What was read from a state file."""

    bindings: dict[Key, Binding]
    accounts: list[AccountState]
    settings_generation: int = 0
    unreadable: int = 0
    """Entries that were passed over."""


def encode_binding(name: Key, binding: Binding) -> bytes:
    written = BindingEntry(*name, binding.account, binding.stand_in, binding.bound_at, binding.used_at)
    return msgspec.json.encode(written)


def encode_account(state: AccountState) -> bytes:
    return msgspec.json.encode(state)


def join(
    schema: int, bindings: Iterable[bytes], accounts: Iterable[bytes], settings_generation: int
) -> bytes:
    """The file's text from its encoded entries."""
    head = f'{{"schema":{schema},"settings_generation":{settings_generation}'.encode()
    return b'%b,\n"accounts":[%b],\n"bindings":[%b]}\n' % (head, b",\n".join(accounts), b",\n".join(bindings))


def read_image(given: dict[str, Any]) -> Image:
    """
    The entries of a state file; what cannot be read is counted, not raised.

    Args:
        given: the file's JSON object, its schema already checked and migrated.

    """
    try:
        body = msgspec.json.decode(msgspec.json.encode(given), type=Body)
    except msgspec.DecodeError:
        return Image({}, [], unreadable=1)
    bindings = list(_read(body.bindings, BindingEntry))
    accounts = list(_read(body.accounts, AccountState))
    lost = len(body.bindings) - len(bindings) + len(body.accounts) - len(accounts)
    return Image(dict(map(_named, bindings)), accounts, body.settings_generation, lost)


def _read(entries: Iterable[msgspec.Raw], kind: type[T]) -> Iterator[T]:
    decoder = msgspec.json.Decoder(kind)
    for entry in entries:
        try:
            yield decoder.decode(entry)
        except msgspec.DecodeError:
            continue


def _named(entry: BindingEntry) -> tuple[Key, Binding]:
    binding = Binding(entry.account, entry.stand_in, entry.bound_at, entry.used_at)
    return (entry.provider, entry.key), binding
