"""The dashboard inside the host's management pages: the same application, asked in-process.

The host serves resources to anybody and routes behind its key. So resources are the page's files without any
data, and data goes through routes only. The host's key never gets further than this module.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import trio
from attrs import define, field

from qr.abi.calls import Pages
from qr.abi.contract import (
    SCHEMA,
    ManagementRequest,
    Resource,
    Route,
    management_answer,
    management_registration,
)
from qr.web.app import Web
from qr.web.assets import PAGE, load_assets
from qr.web.entrances import Entrance
from qr.web.live import EVENTS
from qr.web.reading import READING
from qr.web.routes import BASE, Method
from qr.web.writing import WRITING

__all__ = ["ESCAPED", "HostPages", "packaged_registration"]

UI: Final = "/ui"
"""The page: the host allows no resource at the root."""

MENU, DESCRIPTION = "Quota Router", "Accounts, sessions and decisions, live"

ESCAPED: Final = "X-Quota-Router-Escaped"
"""Says that the host escapes texts in JSON as HTML: the page undoes it (contract, section 5.2)."""

# `/v0/management/plugins/<id>/api/v1/…` or `/v0/resource/plugins/<id>/ui`.
PLACE = re.compile(r".*/(?P<kind>management|resource)/plugins/[^/]+(?P<path>/.+)")

# What a request needs of its headers; the key is none of it.
PASSED = ("content-type", "if-none-match")

# The host measures the body by itself.
KEPT_BACK = frozenset({"content-length", "date", "connection"})


@define(eq=False)
class HostPages(Pages):
    """Answers the host for the application."""

    web: Web

    def register(self, resource_base_path: str) -> bytes:
        plugin = resource_base_path.rstrip("/").rpartition("/")[2]
        return _registration(
            plugin, [(route.method, route.path) for route in self.web.routes], self.web.assets
        )

    async def handle(self, request: ManagementRequest) -> bytes:
        """One request of the host's own server, answered whole."""
        place = PLACE.fullmatch(request.path)
        kind, path = (place["kind"], place["path"]) if place else ("resource", "/")
        if place is None or (kind == "management" and not path.startswith(f"{BASE}/")):
            return management_answer(404, {"Content-Type": ["text/plain"]}, b"not found\n")
        entrance: Entrance = "host" if kind == "management" else "host_page"
        answer = _Answer()
        scope = _scope(request, "/" if (kind, path) == ("resource", UI) else path)
        await self.web.entered_by(entrance)(scope, _Body(request.body or b"").receive, answer.send)
        return management_answer(answer.status, self._headers(answer), bytes(answer.body))

    def _headers(self, answer: "_Answer") -> Mapping[str, Sequence[str]]:
        schema = self.web.desk.house.calls.schema or 1
        escaped = {ESCAPED: ["1"]} if schema < SCHEMA else {}
        return {**answer.headers, **escaped}


def packaged_registration(plugin: str) -> bytes:
    """What a service would answer to `management.register`, for a host that starts before there is one."""
    routes = [(route.method, route.path) for route in (*READING, *WRITING)]
    return _registration(plugin, [*routes, ("GET", EVENTS)], load_assets())


def _registration(plugin: str, routes: Iterable[tuple[Method, str]], files: Iterable[str]) -> bytes:
    """Every route and every file by itself: the host matches paths exactly."""
    return management_registration(
        [Route(method, f"/plugins/{plugin}{BASE}{path}") for method, path in routes],
        [Resource(UI, MENU, DESCRIPTION), *(Resource(f"/static/{name}") for name in files if name != PAGE)],
    )


def _scope(request: ManagementRequest, path: str) -> dict[str, Any]:
    query = {name: values for name, values in (request.query or {}).items() if values}
    headers = {name.lower(): values for name, values in (request.headers or {}).items() if values}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method.upper(),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": urlencode(query, doseq=True).encode(),
        "root_path": "",
        "headers": [
            (name.encode(), headers[name][0].encode("latin-1", "replace"))
            for name in PASSED
            if name in headers
        ],
        "client": None,
        "server": None,
    }


@define
class _Body:
    """The request's body, in one piece; then the host is there until it has its answer."""

    body: bytes
    _sent: bool = False

    async def receive(self) -> dict[str, Any]:
        if self._sent:
            await trio.sleep_forever()
        self._sent = True
        return {"type": "http.request", "body": self.body, "more_body": False}


@define
class _Answer:
    """Collects what the application sends."""

    status: int = 500
    headers: dict[str, list[str]] = field(factory=dict)
    """In canonical spelling: `Content-Type`."""
    body: bytearray = field(factory=bytearray)

    async def send(self, event: Mapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            self.status = event["status"]
            for name, value in event["headers"]:
                if name.decode().lower() not in KEPT_BACK:
                    self.headers.setdefault(name.decode().title(), []).append(value.decode("latin-1"))
        elif event["type"] == "http.response.body":
            self.body += event.get("body", b"")
