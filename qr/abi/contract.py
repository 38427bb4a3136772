"""The host's JSON as types, and our answers as bytes (the host's plugin contract, RPC schema 6).

The constants are the plugin library's own, byte for byte: it answers with them when the service is not there.
The types are lenient: a key may be missing, unknown keys are skipped, lists and maps may be null. What is
secret and not needed is not decoded; what is needed and secret or personal is shown by no `repr`.

`scheduler.pick` has its type in `qr.routing.request`; `qr.upstream.host` reads the answers of the callbacks.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TypeVar

import msgspec

from qr import __version__

__all__ = [
    "NOT_HANDLED",
    "OK",
    "SCHEMA",
    "USAGE_OK",
    "Failure",
    "ManagementRegister",
    "ManagementRequest",
    "Register",
    "Resource",
    "Route",
    "Tokens",
    "UsageRecord",
    "chosen",
    "decode_management",
    "decode_management_register",
    "decode_register",
    "decode_usage",
    "epoch_seconds",
    "error",
    "management_answer",
    "management_registration",
    "registration",
    "service_down",
    "unknown_method",
]

_T = TypeVar("_T")

SCHEMA = 6
"""The newest RPC schema we speak; the host refuses a plugin that answers with a newer one than its own."""

# The one answer to a pick besides a chosen account. An error would make the client's request fail, so every
# trouble ends here.
NOT_HANDLED = b'{"ok":true,"result":{"Handled":false}}'
OK = USAGE_OK = b'{"ok":true,"result":{}}'

# The host sends the metadata along with every single pick: two fields, and short ones.
_METADATA = (
    f'{{"Name":"Quota Router","Version":"{__version__}","Author":"quota-router",'
    '"GitHubRepository":"https://github.com/quota-router/quota-router","Logo":"","ConfigFields":['
    '{"Name":"mode","Type":"enum","EnumValues":["active","shadow","off"],'
    '"Description":"shadow only records"},'
    '{"Name":"policy","Type":"string","Description":"order of accounts"}]}'
)
_CAPABILITIES = (
    '{"scheduler":true,"scheduler_across_priorities":true,"usage_plugin":true,"management_api":true}'
)
_SERVICE_DOWN = b"The quota-router service does not answer. Is `qr serve` running?\n"


@lru_cache(maxsize=SCHEMA)
def _registration(schema: int) -> bytes:
    result = f'{{"schema_version":{schema},"metadata":{_METADATA},"capabilities":{_CAPABILITIES}}}'
    return f'{{"ok":true,"result":{result}}}'.encode()


def registration(schema: int) -> bytes:
    """The answer to `plugin.register` and `plugin.reconfigure` of a host with the RPC schema *schema*."""
    return _registration(min(max(schema, 1), SCHEMA))


# Far above the accounts that anybody has; ids come from the host, so the cache is bounded all the same.
@lru_cache(maxsize=4096)
def chosen(account_id: str) -> bytes:
    """The answer to a pick that chose *account_id*, which must be one of those offered."""
    return b'{"ok":true,"result":{"AuthID":%b,"Handled":true}}' % msgspec.json.encode(account_id)


def error(code: str, message: str) -> bytes:
    """An error envelope. Never for a pick: there it makes the client's request fail."""
    return b'{"ok":false,"error":%b}' % msgspec.json.encode({"code": code, "message": message})


def unknown_method() -> bytes:
    """The answer to a method that we do not know."""
    return error("unknown_method", "no such method")


def _go(name: str) -> str:
    return "".join({"id": "ID", "ttft": "TTFT"}.get(word, word.title()) for word in name.split("_"))


def epoch_seconds(time: str) -> float | None:
    """
    A time of the host (RFC 3339, up to nanoseconds, any offset) in epoch seconds.

    None when it is unset (the host writes year 1), has no offset or is no time.
    """
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return None
    if moment.tzinfo is None or moment.year < 1970:
        return None
    return moment.timestamp()


class Register(msgspec.Struct, frozen=True):
    """`plugin.register` and `plugin.reconfigure`: the plugin's part of the host's configuration."""

    config_yaml: bytes | None = None
    schema_version: int = 0

    @property
    def config(self) -> str:
        """The YAML text as the operator wrote it; what is no UTF-8 shows as U+FFFD."""
        return (self.config_yaml or b"").decode(errors="replace")

    def __repr__(self) -> str:
        return f"Register(schema_version={self.schema_version})"


class Failure(msgspec.Struct, frozen=True, rename=_go):
    """Why an attempt failed; *body* is the provider's text, to be classified and forgotten."""

    status_code: int = 0
    body: str = ""

    def __repr__(self) -> str:
        return f"Failure(status_code={self.status_code})"


class Tokens(msgspec.Struct, frozen=True, rename=_go):
    """What an attempt consumed."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0
    total_tokens: int = 0


class UsageRecord(msgspec.Struct, frozen=True, rename=_go):
    """
    `usage.handle`: one attempt at a provider.

    The client's key (`APIKey`) and `Source`, which can be the provider's key, are not decoded.
    """

    provider: str = ""
    model: str = ""
    alias: str = ""
    auth_id: str = ""
    auth_index: str = ""
    auth_type: str = ""
    generate: bool = True
    requested_at: str = ""
    latency: int = 0
    """Nanoseconds."""
    ttft: int = 0
    """Nanoseconds to the first token; 0 is unknown."""
    failed: bool = False
    failure: Failure | None = None
    detail: Tokens | None = None
    response_headers: dict[str, list[str] | None] | None = None
    """Of the last response in the client's request: after a retry without response, another account's."""
    session_id: str = ""
    parent_session_id: str = ""
    stream: bool = False

    @property
    def started_at(self) -> float | None:
        """Epoch second at which this attempt began."""
        return epoch_seconds(self.requested_at)

    @property
    def status(self) -> int:
        """The HTTP status of a failure; 0 where there is none."""
        return self.failure.status_code if self.failure else 0

    def headers(self) -> dict[str, list[str]]:
        return {name: values for name, values in (self.response_headers or {}).items() if values}

    def __repr__(self) -> str:
        return f"UsageRecord({self.provider!r}, failed={self.failed}, status={self.status})"


class ManagementRegister(msgspec.Struct, frozen=True, rename=_go):
    """`management.register`: where the host will serve our resources."""

    resource_base_path: str = ""


class ManagementRequest(msgspec.Struct, frozen=True, rename=_go):
    """`management.handle`: a request to a route or resource of ours; the headers hold the management key."""

    method: str = "GET"
    path: str = ""
    headers: dict[str, list[str] | None] | None = None
    query: dict[str, list[str] | None] | None = None
    body: bytes | None = None

    def __repr__(self) -> str:
        return f"ManagementRequest({self.method!r}, {self.path!r})"


class Route(msgspec.Struct, frozen=True, rename=_go):
    """A management route: behind the management key, matched exactly."""

    method: str
    path: str


class Resource(msgspec.Struct, frozen=True, rename=_go, omit_defaults=True):
    """A file of the dashboard: GET only, without any authentication; *menu* puts it into the panel."""

    path: str
    menu: str = ""
    description: str = ""


class _Answer(msgspec.Struct, rename=_go):
    status_code: int
    headers: Mapping[str, Sequence[str]]
    body: bytes


def management_registration(routes: Sequence[Route], resources: Sequence[Resource]) -> bytes:
    """The answer to `management.register`."""
    return _ok({"routes": routes, "resources": resources})


def management_answer(status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> bytes:
    """The answer to `management.handle`; names of *headers* in canonical spelling (`Content-Type`)."""
    return _ok(_Answer(status, headers, body))


def service_down(method: str) -> bytes:
    """What the library answers to *method* while the service does not."""
    if method == "management.register":
        return error("service_unavailable", "the quota-router service does not answer")
    if method == "management.handle":
        return management_answer(503, {"Content-Type": ["text/plain"]}, _SERVICE_DOWN)
    silent = {"scheduler.pick": NOT_HANDLED, "usage.handle": USAGE_OK, "plugin.quiesce": OK}
    return silent.get(method, unknown_method())


def _ok(result: object) -> bytes:
    return b'{"ok":true,"result":%b}' % msgspec.json.encode(result)


_register = msgspec.json.Decoder(Register)
_usage = msgspec.json.Decoder(UsageRecord)
_management_register = msgspec.json.Decoder(ManagementRegister)
_management = msgspec.json.Decoder(ManagementRequest)


def _decode(decoder: msgspec.json.Decoder[_T], body: bytes) -> _T:
    try:
        return decoder.decode(body)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None


def decode_register(body: bytes) -> Register:
    """
    Read `plugin.register` or `plugin.reconfigure`.

    Raises:
        msgspec.DecodeError: the bytes are no JSON, or a value has the wrong type; so for all of these.
    """
    return _decode(_register, body)


def decode_usage(body: bytes) -> UsageRecord:
    """Read `usage.handle`."""
    return _decode(_usage, body)


def decode_management_register(body: bytes) -> ManagementRegister:
    """Read `management.register`."""
    return _decode(_management_register, body)


def decode_management(body: bytes) -> ManagementRequest:
    """Read `management.handle`."""
    return _decode(_management, body)
