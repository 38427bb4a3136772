"""The host's side of the plugin contract as bytes: the question of a pick and its answer, a usage record."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256

import msgspec

from qr.lab.answers import Answer
from qr.lab.subscription import Account
from qr.lab.traffic import Request

__all__ = ["PluginFault", "auth_index", "candidate", "chosen", "pick_body", "record_body"]

# The host sends the plugin's own metadata along with every pick.
PLUGIN = (
    b'{"Name":"Quota Router","Version":"0.1.0","Author":"quota-router",'
    b'"GitHubRepository":"https://github.com/quota-router/quota-router","Logo":"","ConfigFields":null}'
)

PATHS = {"claude": "/v1/messages", "codex": "/v1/responses"}

PICK = b'{"Plugin":%b,"Provider":"","Providers":[%b],"Model":%b,"Stream":true,"Options":%b,"Candidates":[%b]}'

NANOSECONDS = 1_000_000_000


class PluginFault(Exception):  # noqa: N818 - what the plugin did, not what went wrong here
    """The plugin's answer would make the client's request fail (contract, section 2.1)."""


class _Result(msgspec.Struct):
    AuthID: str = ""
    Handled: bool = False


class _Answer(msgspec.Struct):
    ok: bool
    result: _Result | None = None


def candidate(account: Account) -> bytes:
    """An account as it is offered (contract, section 3.4)."""
    path = f"/data/auths/{account.id}"
    attributes = {
        "path": path,
        "source": path,
        "source_backend": "file",
        "auth_kind": "oauth",
        "priority": str(account.priority),
    }
    if account.provider == "codex":
        attributes["plan_type"] = account.plan.name
    return msgspec.json.encode(
        {
            "ID": account.id,
            "Provider": account.provider,
            "Priority": account.priority,
            "Status": "active",
            "Attributes": attributes,
            "Metadata": None,
        }
    )


def pick_body(request: Request, candidates: Iterable[bytes]) -> bytes:
    """The body of `scheduler.pick` (contract, section 3.1)."""
    options = {
        "Headers": request.names.headers,
        "Metadata": {
            "requested_model": request.model,
            "request_path": PATHS[request.provider],
            "caller_scope": request.names.caller_scope,
        },
    }
    return PICK % (
        PLUGIN,
        msgspec.json.encode(request.provider),
        msgspec.json.encode(request.model),
        msgspec.json.encode(options),
        b",".join(candidates),
    )


def chosen(answer: bytes, offered: Iterable[str]) -> str | None:
    """
    The account in the answer to a pick; None: the host chooses (contract, section 2.1).

    Raises:
        PluginFault: the host would fail the client's request.
    """
    try:
        told = msgspec.json.decode(answer, type=_Answer)
    except msgspec.DecodeError:
        raise PluginFault("no envelope") from None
    if not told.ok:
        raise PluginFault("an error envelope")
    result = told.result or _Result()
    account = result.AuthID.strip()
    return account if result.Handled and account in offered else None


def record_body(
    request: Request, account: Account, answer: Answer, headers: Mapping[str, str], began_at: float
) -> bytes:
    """
    The body of `usage.handle` (contract, section 4.1).

    Args:
        request: what the client asked.
        account: who was asked.
        answer: what it answered.
        headers: of the last response seen in this request, which may be an earlier attempt's.
        began_at: epoch second at which the attempt began.

    """
    return msgspec.json.encode(
        {
            "Provider": account.provider,
            "ExecutorType": f"{account.provider.title()}Executor",
            "Model": request.model,
            "Alias": request.model,
            "APIKey": request.names.headers["Authorization"][0].removeprefix("Bearer "),
            "AuthID": account.id,
            "AuthIndex": auth_index(account),
            "AuthType": "oauth",
            "Source": account.label,
            "Generate": True,
            "RequestedAt": datetime.fromtimestamp(began_at, UTC).isoformat(),
            "Latency": int(answer.latency * NANOSECONDS),
            "TTFT": int(answer.first_byte * NANOSECONDS),
            "Failed": not answer.served,
            "Failure": {"StatusCode": 0 if answer.served else answer.status, "Body": answer.body},
            "Detail": {"InputTokens": answer.tokens, "OutputTokens": 0, "TotalTokens": answer.tokens},
            "ResponseHeaders": {name: [value] for name, value in headers.items()} or None,
            "SessionID": request.names.session,
            "ParentSessionID": request.names.parent,
            "Stream": True,
        }
    )


@lru_cache(maxsize=1024)  # one for each account, and there are some dozens
def auth_index(account: Account) -> str:
    """The account's number in the host's callbacks: 16 hex digits (contract, section 6.4)."""
    return sha256(f"{account.provider} {account.id}".encode()).hexdigest()[:16]
