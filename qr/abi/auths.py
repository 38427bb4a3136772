"""The host's accounts as its callbacks tell them: `host.auth.list` and `host.auth.get`.

These answers hold the most secret things there are. API keys, refresh and id tokens are skipped undecoded;
the access token is decoded because a poll needs it, and is shown by no `repr`.
"""

import msgspec

__all__ = [
    "AUTH_GET",
    "AUTH_LIST",
    "AuthFile",
    "Credential",
    "HostCallFailed",
    "auth_get_request",
    "read_auth_list",
    "read_credential",
]

AUTH_LIST = "host.auth.list"
AUTH_GET = "host.auth.get"


class HostCallFailed(Exception):  # noqa: N818 - it names an outcome that the host reports, no fault of ours
    """The host refused a callback. *code* may be logged; *message* can name a file, so it may not."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code)
        self.code = code
        self.message = message


class AuthFile(msgspec.Struct, frozen=True):
    """One account of `host.auth.list`. `account`, which can be an API key, is not decoded."""

    id: str = ""
    """As in candidates; empty while the host is starting."""
    auth_index: str = ""
    """What `host.auth.get` asks for; empty while the host is starting."""
    provider: str = ""
    type: str = ""
    label: str = ""
    email: str = ""
    status: str = ""
    disabled: bool = False
    unavailable: bool = False
    runtime_only: bool = False
    account_type: str = ""
    priority: int = 0
    next_retry_after: str = ""
    updated_at: str = ""
    base_url: str = ""

    def __repr__(self) -> str:
        return f"AuthFile({self.provider!r}, {self.status!r}, disabled={self.disabled})"


class Credential(msgspec.Struct, frozen=True):
    """What a poll needs of an auth file; None is missing, or no text."""

    type: str | None = None
    access_token: str | None = None
    account_id: str | None = None
    proxy_url: str | None = None
    base_url: str | None = None
    expired: str | None = None
    """When the host thinks that the access token ends, RFC 3339."""

    def __repr__(self) -> str:
        return f"Credential({self.type!r})"


class _Refusal(msgspec.Struct):
    code: str = ""
    message: str = ""


class _Envelope(msgspec.Struct):
    ok: bool = False
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: _Refusal | None = None


class _Listing(msgspec.Struct):
    files: list[msgspec.Raw] | None = None


class _AuthGet(msgspec.Struct):
    json: dict[str, msgspec.Raw] | None = None


def auth_get_request(auth_index: str) -> bytes:
    """The body of `host.auth.get`."""
    return msgspec.json.encode({"auth_index": auth_index})


def read_auth_list(envelope: bytes) -> tuple[AuthFile, ...]:
    """
    The accounts in the answer of `host.auth.list`; an entry that cannot be read is left out.

    Raises:
        HostCallFailed: the host answered with an error.
        msgspec.DecodeError: the answer is no envelope with a list in it.
    """
    listing = msgspec.json.decode(_result(envelope), type=_Listing)
    return tuple(file for file in map(_auth_file, listing.files or ()) if file is not None)


def read_credential(envelope: bytes) -> Credential:
    """
    The credential in the answer of `host.auth.get`.

    The file is as it lies on disk: keys may be spelt with hyphens, and a value that is no text is missing.

    Raises:
        HostCallFailed: the host answered with an error.
        msgspec.DecodeError: the answer is no envelope with an auth file in it.
    """
    entries = (msgspec.json.decode(_result(envelope), type=_AuthGet).json or {}).items()
    wanted = Credential.__struct_fields__
    texts = {name: _text(raw) for key, raw in entries if (name := key.replace("-", "_")) in wanted}
    return Credential(**texts)


def _result(envelope: bytes) -> msgspec.Raw:
    opened = msgspec.json.decode(envelope, type=_Envelope)
    if not opened.ok:
        refusal = opened.error or _Refusal()
        raise HostCallFailed(refusal.code, refusal.message)
    return opened.result


def _auth_file(raw: msgspec.Raw) -> AuthFile | None:
    try:
        return msgspec.json.decode(raw, type=AuthFile)
    except msgspec.DecodeError:
        return None


def _text(raw: msgspec.Raw) -> str | None:
    value = msgspec.json.decode(raw)
    return value if isinstance(value, str) else None
