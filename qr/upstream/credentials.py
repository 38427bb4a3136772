"""Accounts and their credentials, wherever they come from.

A credential lives as long as a poll: it is fetched, used and dropped, and no `repr` shows it.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from attrs import field, frozen

from qr.quota.fields import epoch, flag, number, text
from qr.upstream.errors import CredentialUnusableError
from qr.upstream.objects import Json, pick

__all__ = [
    "BASE_URL_IS_SET",
    "POLLED",
    "AuthEntry",
    "Credential",
    "CredentialSource",
    "Skipped",
    "read_credential",
    "read_entry",
    "why_not_polled",
]

# The providers that have a usage endpoint we can read.
POLLED = ("claude", "codex")

_ENTRY_KEYS = (
    "id",
    "auth_index",
    "provider",
    "type",
    "label",
    "email",
    "disabled",
    "unavailable",
    "runtime_only",
    "priority",
    "status",
    "next_retry_after",
    "account_type",
    "base_url",
    # Not `updated_at`: the host moves that one when a request fails, too.
    "modtime",
)

BASE_URL_IS_SET = "the account has a base_url of its own, where no usage endpoint is known"

# What can stand in a header value: anything else would be an error of the HTTP library that quotes the token.
_HEADER_SAFE = re.compile(r"[\x21-\x7e]+")


@frozen
class AuthEntry:
    """One account as it is listed. Nothing in it is secret; *id* and *label* are often e-mail addresses."""

    id: str = field(repr=False)
    """As the host names it in candidates; compared byte by byte."""
    provider: str = ""
    auth_index: str = ""
    """What the host's callbacks ask for; empty for an auth directory."""
    label: str = field(default="", repr=False)
    disabled: bool = False
    unavailable: bool = False
    runtime_only: bool = False
    """Lives in the host's memory alone: there is no file whose credential could be fetched."""
    priority: int = 0
    status: str = ""
    next_retry_after: float | None = None
    """The host's own cool-down, epoch seconds."""
    account_type: str = ""
    has_base_url: bool = False
    changed_at: float = 0.0
    """When the file was last written, epoch seconds: by a refresh, a new login or an edit."""

    @property
    def api_key(self) -> bool:
        return re.sub(r"[^a-z]", "", self.account_type.lower()) == "apikey"


@frozen
class Credential:
    """What one poll needs of an auth file."""

    provider: str
    access_token: str = field(repr=False)
    account_id: str = field(default="", repr=False)
    """The ChatGPT workspace; empty when the file does not tell."""
    proxy_url: str = field(default="", repr=False)
    """As it stands in the file, password and all; empty: inherit."""
    base_url: str = field(default="", repr=False)


@frozen
class Skipped:
    """Something found among the accounts that is none; *where* may be personal, *why* is not."""

    where: str = field(repr=False)
    why: str = ""


class CredentialSource(Protocol):
    """Where accounts are listed, and credentials fetched for one poll."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """What the last listing left out."""

    async def list(self) -> Sequence[AuthEntry]:
        """
        The accounts of every provider, the disabled ones too.

        Raises:
            CredentialError: they cannot be listed now.
        """

    async def fetch(self, entry: AuthEntry) -> Credential:
        """
        The credential as it is stored at this moment.

        Raises:
            CredentialError: it cannot be had.
        """


class Listed(Protocol):
    """What decides whether an account can be polled."""

    @property
    def provider(self) -> str: ...
    @property
    def api_key(self) -> bool: ...
    @property
    def has_base_url(self) -> bool: ...
    @property
    def runtime_only(self) -> bool: ...


def why_not_polled(entry: Listed) -> str | None:
    """Why *entry* is never polled; None when it is (specification, section 6)."""
    if entry.provider not in POLLED:
        return "this provider has no usage endpoint to poll"
    if entry.api_key:
        return "an API key has no subscription windows to poll"
    if entry.has_base_url:
        return BASE_URL_IS_SET
    if entry.runtime_only:
        return "the account lives in the host's memory only, its credential cannot be fetched"
    return None


def read_entry(body: Json) -> AuthEntry:
    """
    One entry of `host.auth.list` (contract, section 6.1), or what an auth file says of its account.

    The key `account` is not read: for an API key it is the key.

    Raises:
        ValueError: *body* is no JSON object.
    """
    found = pick(body, _ENTRY_KEYS)
    return AuthEntry(
        id=_identifier(found.get("id")),
        provider=(_text(found.get("type")) or _text(found.get("provider"))).lower(),
        auth_index=_text(found.get("auth_index")),
        label=_text(found.get("label")) or _text(found.get("email")),
        disabled=flag(found.get("disabled")),
        unavailable=flag(found.get("unavailable")),
        runtime_only=flag(found.get("runtime_only")),
        priority=int(number(found.get("priority")) or 0),
        status=_text(found.get("status")),
        next_retry_after=epoch(found.get("next_retry_after")),
        account_type=_text(found.get("account_type")),
        has_base_url=bool(_told(found.get("base_url"))),
        changed_at=epoch(found.get("modtime")) or 0.0,
    )


def read_credential(body: Json) -> Credential:
    """
    The credential in an auth file (contract, sections 9.1 and 9.2).

    Raises:
        CredentialUnusableError: the file is no JSON object, or has no access token.
    """
    try:
        found = pick(body, ("type", "access_token", "account_id", "proxy_url", "base_url"))
    except ValueError:
        raise CredentialUnusableError("the auth file is no JSON object: log in again") from None
    token, account_id = _text(found.get("access_token")), _text(found.get("account_id"))
    if not _HEADER_SAFE.fullmatch(token):
        raise CredentialUnusableError("the auth file has no usable access_token: log in again")
    return Credential(
        provider=_text(found.get("type")).lower(),
        access_token=token,
        account_id=account_id if _HEADER_SAFE.fullmatch(account_id) else "",
        proxy_url=_told(found.get("proxy_url")),
        base_url=_told(found.get("base_url")),
    )


def _identifier(value: object) -> str:
    """Not trimmed: an id is opaque, and a file's name may begin or end with a blank."""
    return value if isinstance(value, str) else ""


def _text(value: object) -> str:
    return text(value) or ""


def _told(value: object) -> str:
    """
    A text, trimmed; a value of another type is told too.

    Read as missing, a `proxy_url` of the wrong type would send the poll direct.
    """
    return _text(value) if value is None or isinstance(value, str) else "(no text)"
