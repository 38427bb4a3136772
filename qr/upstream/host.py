"""Accounts and credentials from the host, by its callbacks `host.auth.list` and `host.auth.get`."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec
import trio
from attrs import evolve

from qr.quota.fields import item, text
from qr.upstream.credentials import AuthEntry, Credential, Skipped, read_credential, read_entry
from qr.upstream.errors import (
    CredentialUnusableError,
    HostNotReadyError,
    HostRefusedError,
    HostUnreachableError,
)
from qr.upstream.objects import member, pick, rows

__all__ = ["HOST_ANSWER_WITHIN", "Call", "HostCredentials"]

# Seconds. The callbacks read memory or one file; a host that needs longer is busy dying or restarting.
HOST_ANSWER_WITHIN = 10.0

# Entries of a listing that are read at once, in some hundred microseconds; then picks have their turn.
ENTRIES_AT_ONCE = 25

Call = Callable[[str, bytes], Awaitable[bytes]]
"""A host callback by method and request; raises `HostUnreachableError` when there is no link to the host."""


class HostCredentials:
    """The host's accounts, asked for each time: the host refreshes tokens and rewrites files as it likes."""

    def __init__(self, call: Call, *, within: float = HOST_ANSWER_WITHIN) -> None:
        """*within* bounds one callback, in seconds."""
        self._call = call
        self._within = within
        self._skipped: Sequence[Skipped] = ()

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The entries of the last listing that could not be read, or not be asked for."""
        return self._skipped

    async def list(self) -> Sequence[AuthEntry]:
        """
        The accounts that have files, and those in the host's memory; not the API keys of its configuration.

        Raises:
            HostNotReadyError: the host has no accounts loaded yet; it lists its directory then, without ids.
            HostRefusedError, HostUnreachableError: it did not say.
        """
        try:
            files = rows(member(await self._ask("host.auth.list", b"{}"), "files"))
        except ValueError:
            raise HostUnreachableError(_SENSELESS) from None
        read = []
        for number, file in enumerate(files, 1):
            read.append(_entry(file))
            if number % ENTRIES_AT_ONCE == 0:
                await trio.lowlevel.checkpoint()
        entries = [found for found in read if isinstance(found, AuthEntry)]
        self._skipped = [found for found in read if isinstance(found, Skipped)]
        if files and not entries:
            raise HostNotReadyError("the host has not loaded its accounts yet: ask again in a moment")
        return entries

    async def fetch(self, entry: AuthEntry) -> Credential:
        """
        The credential as the host's file has it now.

        Raises:
            CredentialUnusableError: an API key, or a file without an access token.
            HostNotReadyError, HostRefusedError, HostUnreachableError: the host did not say.
        """
        if entry.api_key or not entry.auth_index:
            raise CredentialUnusableError("the host keeps no file for this account that could be asked for")
        request = msgspec.json.encode({"auth_index": entry.auth_index})
        try:
            stored = member(await self._ask("host.auth.get", request), "json")
        except ValueError:
            raise HostUnreachableError(_SENSELESS) from None
        credential = read_credential(stored)
        return evolve(credential, provider=credential.provider or entry.provider)

    async def _ask(self, method: str, request: bytes) -> msgspec.Raw:
        with trio.move_on_after(self._within):
            try:
                return _result(await self._call(method, request), method)
            except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, trio.EndOfChannel):
                raise HostUnreachableError("the link to the host is down: is the host running?") from None
        raise HostUnreachableError(f"the host did not answer {method} within {self._within:g} s")


_SENSELESS = "the host's answer is not the JSON that its plugin contract promises: is its version supported?"


def _result(envelope: bytes, method: str) -> msgspec.Raw:
    """The result in the host's envelope (contract, section 2)."""
    try:
        opened = pick(envelope, ("ok", "error"))
        if opened.get("ok") is True:
            return member(envelope, "result")
    except ValueError:
        raise HostUnreachableError(_SENSELESS) from None
    # The message itself is not passed on: it can name a file, and files are named after e-mail addresses.
    if "unavailable" in (text(item(opened.get("error"), "message")) or ""):
        raise HostNotReadyError("the host has not loaded its accounts yet: ask again in a moment")
    raise HostRefusedError(f"the host refused {method}: see its log")


def _entry(file: msgspec.Raw) -> AuthEntry | Skipped:
    try:
        entry = read_entry(file)
    except ValueError:
        return Skipped("", "an entry of the host's list that is no JSON object")
    if not entry.id or not entry.auth_index:
        return Skipped(entry.id, "the host lists it without an id that it could be asked for")
    return entry
