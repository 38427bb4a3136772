"""A stand-in of the host's management server, as the contract says (section 5).

Resources are open to all, routes want the management key, five wrong keys ban the address, JSON of routes is
escaped as HTML for plugins that speak an old schema, and `PATCH …/config` answers before it is loaded.
"""

import html
import json
from typing import Any

import trio
from quart import Response, request
from quart_trio import QuartTrio

from qr.web.headers import security_headers

__all__ = ["KEY", "PLUGIN", "behind_host"]

KEY = "management-key-of-the-host"
PLUGIN = "quota-router"
BANNED_AFTER = 5
RELOAD = 0.4
"""Seconds between the host's answer to a PATCH and the plugin's reconfigure."""


def behind_host(stage: Any, inner: QuartTrio, *, old: bool) -> QuartTrio:
    """The stand-in *inner*, reached through the host's paths below `/proxy/v0`."""
    app = QuartTrio(__name__, static_folder=None)
    failures = 0
    file: dict[str, Any] = {"enabled": True}
    asked: list[str] = []
    page = f"/proxy/v0/resource/plugins/{PLUGIN}"
    routes = f"/proxy/v0/management/plugins/{PLUGIN}"

    def refused() -> Response | None:
        nonlocal failures
        if failures >= BANNED_AFTER:
            return Response(
                json.dumps({"error": "IP banned due to too many failed attempts"}),
                403,
                content_type="application/json",
            )
        if request.headers.get("Authorization") == f"Bearer {KEY}":
            failures = 0
            return None
        failures += 1
        return Response(json.dumps({"error": "invalid management key"}), 401, content_type="application/json")

    @app.get(f"{page}/ui")
    async def ui() -> Response:
        return resource("index.html")

    @app.get(f"{page}/static/<path:name>")
    async def static(name: str) -> Response:
        return resource(name)

    @app.get("/panel")
    async def panel() -> str:
        return f'<!doctype html><title>host</title><link rel="icon" href="data:,"><iframe src="{page}/ui" width="1200" height="800"></iframe>'

    def resource(name: str) -> Response:
        found = stage.assets.get(name)
        answer = Response(found.content, content_type=found.content_type) if found else Response("", 404)
        answer.headers.update(security_headers("host_page"))
        return answer

    @app.route(f"{routes}/api/v1/<path:path>", methods=["GET", "POST", "PATCH", "PUT"])
    async def route(path: str) -> Response:
        asked.append(f"{request.method} {path} {request.query_string.decode()}".strip())
        if (refusal := refused()) is not None:
            return refusal
        client = inner.test_client()
        answer = await client.open(
            f"/api/v1/{path}",
            method=request.method,
            query_string=request.args.to_dict(),
            data=await request.get_data(),
            headers={"Content-Type": "application/json"},
        )
        return as_host(await answer.get_data(), answer.status_code)

    def as_host(body: bytes, status: int) -> Response:
        if not old:
            return Response(body, status, content_type="application/json")
        escaped = json.dumps(_escaped(json.loads(body)))
        return Response(
            escaped, status, content_type="application/json", headers={"X-Quota-Router-Escaped": "1"}
        )

    @app.get(f"{routes}/config")
    async def config() -> Response:
        return refused() or Response(json.dumps(file), content_type="application/json")

    @app.patch(f"{routes}/config")
    async def patch() -> Response:
        asked.append("PATCH config")
        if (refusal := refused()) is not None:
            return refusal
        changes = await request.get_json()
        file.update(changes)
        for key in [key for key, value in file.items() if value is None]:
            del file[key]
        app.nursery.start_soon(reconfigure, changes)
        return Response('{"status":"ok"}', content_type="application/json")

    async def reconfigure(changes: dict[str, Any]) -> None:
        await trio.sleep(RELOAD)
        stage.set(changes)

    @app.post("/_stage")
    async def direct() -> Response:
        told = await request.get_json()
        if told["do"] == "asked":
            return Response(json.dumps(asked))
        answer = await inner.test_client().post("/_stage", json=told)
        return Response(await answer.get_data())

    return app


def _escaped(value: Any) -> Any:
    """Every text value as Go's `html.EscapeString` writes it; keys stay."""
    if isinstance(value, str):
        return html.escape(value).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    return {key: _escaped(one) for key, one in value.items()} if isinstance(value, dict) else value
