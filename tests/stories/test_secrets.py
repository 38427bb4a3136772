"""Secrets of a known shape go in through every door, and come out of none.

The service is a process of its own with everything on: the library, polls through a proxy, the web, the log
at its most talkative. Each canary names the door that it went in through.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.abi.host import Host, eventually
from tests.stories import signals

# A free port would do as well: nobody listens on the discard port of loopback, and every poll fails there.
NOWHERE = "127.0.0.1:9"

MARK = "canary"

PAGES = ("accounts", "sessions", "decisions", "next", "history", "settings", "health", "openapi.json")


def canary(door: str) -> str:
    return f"{MARK}-{door}-0123456789abcdef"


class Service:
    """`qr serve` with its log in a file."""

    def __init__(self, place: Path) -> None:
        self.state = place / "state"
        self.log = place / "log"
        settings = place / "settings.yaml"
        settings.write_text(
            f"state_dir: {self.state}\nsocket: {place}/qr.sock\nlisten: 127.0.0.1:0\nlog_level: debug\n"
            f"token: {canary('token')}\nproxy_url: http://user:{canary('proxy')}@{NOWHERE}\n"
            f"claude_base_url: http://{NOWHERE}\npoll_interval: 30\n"
        )
        with self.log.open("wb") as log:
            command = [sys.executable, "-m", "qr", "serve", "--settings", str(settings)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def get(self, path: str, **query: Any) -> str:
        transport = httpx.HTTPTransport(uds=str(self.state / "web.sock"))
        with httpx.Client(transport=transport, base_url="http://localhost") as client:
            return client.get(path, params=query).text

    def ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return "Dashboard" in self.log.read_text() and self.get("/readyz").strip() == "ready"

    def json(self, path: str, **query: Any) -> Any:
        return json.loads(self.get(path, **query))


@pytest.fixture
def service(place: Path) -> Iterator[Service]:
    service = Service(place)
    try:
        eventually(service.ready, within=30)
        yield service
    finally:
        service.process.terminate()
        service.process.wait(30)


def listing() -> bytes:
    file = {
        "id": "claude-ann@example.com.json",
        "auth_index": "0123456789abcdef",
        "provider": "claude",
        "label": "ann@example.com",
        "account": canary("listed-key"),
        "account_type": "oauth",
        "path": f"/auths/{canary('path')}",
    }
    return json.dumps({"ok": True, "result": {"files": [file]}}).encode()


def credential() -> bytes:
    stored = {
        "type": "claude",
        "access_token": canary("access"),
        "refresh_token": canary("refresh"),
        "id_token": canary("id-token"),
        "proxy_url": f"http://user:{canary('account-proxy')}@{NOWHERE}",
    }
    return json.dumps({"ok": True, "result": {"json": stored}}).encode()


def pick() -> dict[str, Any]:
    headers = {
        "Authorization": [f"Bearer {canary('client-key')}"],
        "Cookie": [canary("cookie")],
        "X-Api-Key": [canary("api-key")],
        "X-Claude-Code-Session-Id": [canary("session")],
        "X-Codex-Turn-Metadata": [json.dumps({"session_id": canary("turn")})],
    }
    candidate = {
        "ID": "claude-ann@example.com.json",
        "Provider": "claude",
        "Attributes": {"note": canary("note")},
    }
    return {
        "Provider": "",
        "Providers": ["claude"],
        "Model": "claude-sonnet-5",
        "Options": {
            "Headers": headers,
            "Metadata": {"client_api_key": canary("metadata"), "caller_scope": "ab12"},
        },
        "Candidates": [candidate],
    }


def usage(*, failed: bool) -> dict[str, Any]:
    now = datetime.now(UTC)
    told = signals.claude(now.timestamp(), five=20, week=40)
    record = {
        "Provider": "claude",
        "Model": "claude-sonnet-5",
        "AuthID": "claude-ann@example.com.json",
        "APIKey": canary("usage-key"),
        "Source": canary("source"),
        "SessionID": f"claude:{canary('session')}",
        "RequestedAt": now.isoformat(),
        "Latency": 1_000_000,
        "ResponseHeaders": {**told, "Set-Cookie": [canary("set-cookie")]},
    }
    body = json.dumps({"error": {"type": canary("error-type"), "message": canary("error-body")}})
    return {**record, "Failed": True, "Failure": {"StatusCode": 503, "Body": body}} if failed else record


def management(path: str) -> dict[str, Any]:
    headers = {"Authorization": [f"Bearer {canary('management-key')}"], "Content-Type": ["application/json"]}
    return {
        "Method": "POST",
        "Path": path,
        "Headers": headers,
        "Query": {"q": [canary("query")]},
        "Body": "e30=",
    }


def busy_day(host: Host) -> None:
    """Everything that a host says, at least once, and some of it wrong."""
    host.register(schema=6, config=f"mode: active\nproxy_url: http://user:{canary('host-proxy')}@{NOWHERE}\n")
    host.pick(pick())
    for failed in (False, True):
        assert host.call("usage.handle", usage(failed=failed))["ok"]
    assert host.pick(pick())["Handled"] or eventually(lambda: host.pick(pick())["Handled"], within=10)
    host.call(
        "management.register", {"BasePath": "/v0/management", "ResourceBasePath": "/v0/resource/plugins/qr"}
    )
    for path in ("/v0/management/plugins/qr/api/v1/accounts/refresh", "/v0/resource/plugins/qr/ui"):
        host.call("management.handle", management(path))
    host.reconfigure(
        6, f"token: {canary('refused')}\nmode: {canary('refused-mode')}\nproxy_url: ftp://{canary('x')}\n"
    )
    host.answer("usage.handle", f'{{"Provider": 7, "APIKey": "{canary("unreadable")}"}}'.encode())
    host.answer("scheduler.pick", f'{{"Options": {{"Headers": "{canary("unreadable-pick")}"}}}}'.encode())


def shown(service: Service) -> Iterator[tuple[str, str]]:
    """All that anybody can see: pages, metrics, the feed, the files, the log."""
    for page in PAGES:
        yield page, service.get(f"/api/v1/{page}")
    for account in service.json("/api/v1/accounts")["accounts"]:
        yield "evidence", service.get("/api/v1/evidence", account=account["id"])
    for decision in service.json("/api/v1/decisions")["decisions"]:
        yield "decision", service.get("/api/v1/decision", number=decision["number"])
    yield "metrics", service.get("/metrics")
    yield "feed", service.get("/events", **{"with": "health,next"})
    for file in service.state.iterdir():
        if file.is_file():
            yield file.name, file.read_text()
    yield "log", service.log.read_text()


def test_no_secret_comes_out_anywhere(service: Service, library: Path) -> None:
    callbacks = {"host.auth.list": lambda _: listing(), "host.auth.get": lambda _: credential()}
    with Host(library, callbacks, watch_descriptors=False) as host:
        busy_day(host)
        eventually(lambda: any(method == "host.auth.get" for method, _ in host.called), within=30)
        eventually(
            lambda: service.json("/api/v1/accounts")["accounts"][0]["polling"]["last_error"], within=30
        )
        eventually((service.state / "state.json").exists, within=10)
        seen = dict(shown(service))
    # A wrong mode is no secret: its operator is told what he wrote.
    told = {where: text.replace(canary("refused-mode"), "") for where, text in seen.items()}
    # The word alone is the name of a part of the house; a secret has a dash behind it.
    leaks = {where: text for where, text in told.items() if f"{MARK}-" in text}
    assert {where: _around(text) for where, text in leaks.items()} == {}
    assert canary("refused-mode") in seen["settings"]


def _around(text: str) -> str:
    place = text.index(f"{MARK}-")
    return text[max(0, place - 60) : place + 60]


def test_no_address_and_no_id_is_logged(service: Service, library: Path) -> None:
    callbacks = {"host.auth.list": lambda _: listing(), "host.auth.get": lambda _: credential()}
    with Host(library, callbacks, watch_descriptors=False) as host:
        busy_day(host)
        eventually(lambda: any(method == "host.auth.get" for method, _ in host.called), within=30)
    assert "ann@example.com" not in service.log.read_text()
