"""What the host says: the bodies of a pick and of usage records, and the list of its accounts.

The driver writes three of the values anew for each call, in the places marked here.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

import msgspec

from qr.upstream.credentials import AuthEntry

__all__ = ["MODEL", "SCOPE", "accounts", "listing", "pick", "records", "session_name"]

MODEL = "claude-sonnet-4-5"

SCOPE = "5f0e" * 16
"""The hash of the client's key, as the host tells it."""

# As in `native/load.c`; of the same length as what is written there.
MOMENT = "2000-01-01T00:00:00.000000Z"
USED = "0.12345"

CHANGED_AT = 1_780_000_000.0

PLUGIN: Mapping[str, object] = {
    "Name": "Quota Router",
    "Version": "0.1.0",
    "Author": "quota-router",
    "GitHubRepository": "https://github.com/quota-router/quota-router",
    "Logo": "",
    "ConfigFields": [
        {
            "Name": "mode",
            "Type": "enum",
            "EnumValues": ["active", "shadow", "off"],
            "Description": "shadow only records",
        },
        {"Name": "policy", "Type": "string", "EnumValues": None, "Description": "order of accounts"},
    ],
}

# What a coding agent sends behind two proxies: 21 headers with that of the session.
HEADERS: Mapping[str, str] = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "*",
    "Anthropic-Beta": "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14",
    "Anthropic-Dangerous-Direct-Browser-Access": "true",
    "Anthropic-Version": "2023-06-01",
    "Authorization": "Bearer sk-client-0123456789abcdef0123456789abcdef",
    "Connection": "keep-alive",
    "Content-Length": "181432",
    "Content-Type": "application/json",
    "Sec-Fetch-Mode": "cors",
    "User-Agent": "claude-cli/2.1.14 (external, cli)",
    "X-App": "cli",
    "X-Forwarded-For": "192.0.2.10",
    "X-Forwarded-Proto": "https",
    "X-Stainless-Arch": "x64",
    "X-Stainless-Lang": "js",
    "X-Stainless-Package-Version": "0.60.0",
    "X-Stainless-Runtime": "node",
    "X-Stainless-Timeout": "600",
}


def session_name(number: int) -> str:
    """The client's name of a session; the driver writes such names too."""
    return f"00000000-0000-4000-8000-{number:012x}"


def accounts(count: int) -> list[AuthEntry]:
    """So many accounts, as the host lists them."""
    return [
        AuthEntry(
            id=f"claude-user{number:04d}@example.com.json",
            provider="claude",
            auth_index=f"{number:016x}",
            label=f"user{number:04d}@example.com",
            changed_at=CHANGED_AT,
        )
        for number in range(count)
    ]


def pick(offered: Iterable[AuthEntry]) -> bytes:
    """`scheduler.pick` (contract, section 3.1); 50 accounts make 17 KB."""
    headers = {"X-Claude-Code-Session-Id": session_name(0), **HEADERS}
    return msgspec.json.encode(
        {
            "Plugin": PLUGIN,
            "Provider": "",
            "Providers": ["claude"],
            "Model": MODEL,
            "Stream": True,
            "Options": {
                "Headers": {name: [value] for name, value in sorted(headers.items())},
                "Metadata": {
                    "caller_scope": SCOPE,
                    "idempotency_key": "9d2c4be0-51a7-4cf3-8f0e-6f1d2b7a9c33",
                    "request_path": "/v1/messages",
                    "requested_model": MODEL,
                },
            },
            "Candidates": [_candidate(account) for account in offered],
        }
    )


def _candidate(account: AuthEntry) -> dict[str, object]:
    path = f"/data/auths/{account.id}"
    return {
        "ID": account.id,
        "Provider": "claude",
        "Priority": 0,
        "Status": "active",
        "Attributes": {
            "auth_kind": "oauth",
            "note": "team",
            "path": path,
            "priority": "0",
            "source": path,
            "source_backend": "file",
        },
        "Metadata": None,
    }


def listing(known: Iterable[AuthEntry]) -> bytes:
    """The answer to `host.auth.list` (contract, section 6.1)."""
    files = [
        {
            "id": account.id,
            "auth_index": account.auth_index,
            "name": account.id,
            "type": account.provider,
            "provider": account.provider,
            "label": account.label,
            "status": "active",
            "source": "file",
            "modtime": datetime.fromtimestamp(account.changed_at, UTC).isoformat(),
            "email": account.label,
            "account_type": "oauth",
        }
        for account in known
    ]
    return msgspec.json.encode({"ok": True, "result": {"files": files}})


def records(used: Iterable[AuthEntry], five_hour_resets: float, weekly_resets: float) -> bytes:
    """`usage.handle` (contract, section 4.1), one record a line: each tells of both windows."""
    return b"\n".join(map(msgspec.json.encode, _records(used, five_hour_resets, weekly_resets)))


def _records(
    used: Iterable[AuthEntry], five_hour_resets: float, weekly_resets: float
) -> Iterator[dict[str, object]]:
    prefix = "Anthropic-Ratelimit-Unified"
    told = {
        f"{prefix}-Status": "allowed",
        f"{prefix}-5h-Status": "allowed",
        f"{prefix}-5h-Reset": f"{five_hour_resets:.0f}",
        f"{prefix}-5h-Utilization": USED,
        f"{prefix}-7d-Status": "allowed",
        f"{prefix}-7d-Reset": f"{weekly_resets:.0f}",
        f"{prefix}-7d-Utilization": "0.2",
        "Content-Type": "text/event-stream; charset=utf-8",
        "Request-Id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    }
    for account in used:
        yield {
            "Provider": "claude",
            "ExecutorType": "ClaudeExecutor",
            "Model": MODEL,
            "Alias": MODEL,
            "APIKey": "sk-client-1",
            "AuthID": account.id,
            "AuthIndex": account.auth_index,
            "AuthType": "oauth",
            "Source": account.label,
            "Generate": True,
            "RequestedAt": MOMENT,
            "Latency": 2_311_000_000,
            "TTFT": 804_000_000,
            "Failed": False,
            "Failure": {"StatusCode": 0, "Body": ""},
            "Detail": {"InputTokens": 120, "OutputTokens": 640, "TotalTokens": 760},
            "ResponseHeaders": {name: [value] for name, value in told.items()},
            "SessionID": f"claude:{session_name(0)}",
            "Stream": True,
        }
