"""A stand-in of the host's management server, as the contract says (section 5).

It knows the plugin by its calls alone. Resources are open to all, routes want the management key, paths match
exactly, five wrong keys ban the address, JSON of routes is escaped as HTML for a plugin that speaks an old
schema, and `PATCH …/config` answers before the plugin has heard of it.
"""

import base64
import html
import json
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from attrs import define, field
from quart import Response, request
from quart_trio import QuartTrio

__all__ = ["ESCAPING_ENDS", "KEY", "PLUGIN", "Host"]

KEY = "management-key-of-the-host"
PLUGIN = "quota-router"
PREFIX = "/proxy/v0"
"""A reverse proxy stands before the host."""
ESCAPING_ENDS = 6
"""The schema from which the host leaves the JSON of routes alone."""
BANNED_AFTER = 5
RELOAD = 0.3
"""Seconds between the host's answer to a PATCH and the plugin's reconfigure."""

Call = Callable[[str, bytes], Awaitable[bytes]]


@define(eq=False)
class Host:
    """One host with one plugin."""

    call: Call
    """Method and body of a call into the plugin; its envelope."""
    schema: int = ESCAPING_ENDS
    file: dict[str, Any] = field(factory=lambda: {"enabled": True})
    """The plugin's part of `config.yaml`."""
    requests: list[str] = field(factory=list)
    """What came to routes, in order."""
    failures: int = 0
    routes: set[tuple[str, str]] = field(factory=set)
    resources: set[str] = field(factory=set)

    def asked(self) -> list[str]:
        return self.requests

    async def load(self) -> None:
        """What happens at the start, and after each change of the configuration."""
        config = {"config_yaml": _encoded(json.dumps(self.file).encode()), "schema_version": self.schema}
        await self._ask("plugin.reconfigure", config)
        base = {"BasePath": "/v0/management", "ResourceBasePath": f"/v0/resource/plugins/{PLUGIN}"}
        told = await self._ask("management.register", base)
        self.routes = {(one["Method"], one["Path"]) for one in told["routes"]}
        self.resources = {one["Path"] for one in told["resources"]}

    async def _ask(self, method: str, body: object) -> Any:
        envelope = json.loads(await self.call(method, json.dumps(body).encode()))
        assert envelope["ok"], envelope
        return envelope["result"]

    async def _reloaded(self) -> None:
        await trio.sleep(RELOAD)
        await self.load()

    def refusal(self) -> Response | None:
        """None when the request carries the key."""
        if self.failures >= BANNED_AFTER:
            return _json({"error": "IP banned due to too many failed attempts"}, 403)
        if request.headers.get("Authorization") == f"Bearer {KEY}":
            self.failures = 0
            return None
        self.failures += 1
        return _json({"error": "invalid management key"}, 401)

    async def handled(self, path: str) -> Response:
        """The plugin's answer to the request at hand."""
        told = await self._ask(
            "management.handle",
            {
                "Method": request.method,
                "Path": path,
                "Headers": {name: request.headers.getlist(name) for name, _ in request.headers},
                "Query": {name: request.args.getlist(name) for name in request.args},
                "Body": _encoded(await request.get_data()),
            },
        )
        body = base64.b64decode(told["Body"] or "")
        headers = [(name, value) for name, values in told["Headers"].items() for value in values]
        is_json = "json" in dict(headers).get("Content-Type", "") or body[:1] in b"{["
        if path.startswith("/v0/management") and self.schema < ESCAPING_ENDS and body and is_json:
            body = json.dumps(_escaped(json.loads(body))).encode()
        return Response(body, told["StatusCode"] or 200, headers)

    async def route(self, path: str) -> Response:
        """A management route of the plugin."""
        self.requests.append(f"{request.method} {path} {request.query_string.decode()}".strip())
        if (refused := self.refusal()) is not None:
            return refused
        if path == "config":
            return await self._config()
        place = f"/plugins/{PLUGIN}/{path}"
        if (request.method, place) not in self.routes:
            return Response("404 page not found", 404)
        return await self.handled(f"/v0/management{place}")

    async def _config(self) -> Response:
        if request.method == "GET":
            return _json(self.file)
        for key, value in (await request.get_json()).items():
            self.file[key] = value
            if value is None:
                del self.file[key]
        request_app().nursery.start_soon(self._reloaded)
        return _json({"status": "ok"})

    async def resource(self, path: str) -> Response:
        """A resource of the plugin."""
        if f"/{path}" not in self.resources:
            return Response("404 page not found", 404)
        return await self.handled(f"/v0/resource/plugins/{PLUGIN}/{path}")

    def app(self) -> QuartTrio:
        """Its addresses below the reverse proxy's prefix."""
        app = QuartTrio(__name__, static_folder=None)
        methods = ["GET", "POST", "PUT", "PATCH"]
        app.before_serving(self.load)
        app.add_url_rule(
            f"{PREFIX}/management/plugins/{PLUGIN}/<path:path>", view_func=self.route, methods=methods
        )
        app.add_url_rule(
            f"{PREFIX}/resource/plugins/{PLUGIN}/<path:path>", "resource", view_func=self.resource
        )
        app.add_url_rule("/panel", view_func=_panel)
        return app


def request_app() -> QuartTrio:
    from quart import current_app

    app = current_app._get_current_object()  # type: ignore[attr-defined]  # Quart's own way to its nursery
    assert isinstance(app, QuartTrio)
    return app


async def _panel() -> str:
    page = f"{PREFIX}/resource/plugins/{PLUGIN}/ui"
    head = '<!doctype html><title>host</title><link rel="icon" href="data:,">'
    return f'{head}<iframe src="{page}" width="1200" height="800"></iframe>'


def _json(value: object, status: int = 200) -> Response:
    return Response(json.dumps(value), status, content_type="application/json")


def _encoded(body: bytes) -> str:
    return base64.b64encode(body).decode()


def _escaped(value: Any) -> Any:
    """Every text value as the host writes it; keys stay."""
    if isinstance(value, str):
        return html.escape(value).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    return {key: _escaped(one) for key, one in value.items()} if isinstance(value, dict) else value
