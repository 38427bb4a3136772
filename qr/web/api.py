"""The API's routes as views: a request becomes what a handler takes, its answer becomes a response."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from quart import request
from quart_trio import QuartTrio

from qr.web.desk import Desk
from qr.web.login import require_json
from qr.web.metrics import metrics_text
from qr.web.openapi import openapi
from qr.web.reading import decision
from qr.web.responses import Response, json_response
from qr.web.routes import BASE, Route, body_of, read_body, read_query
from qr.web.shapes.asks import AskDecision

__all__ = ["add_api"]

View = Callable[[], Awaitable[Response]]


def add_api(app: QuartTrio, desk: Desk, routes: Sequence[Route[Any]]) -> None:
    """Everything below the base, the document of it, and `/metrics`."""
    for route in routes:
        _add(app, BASE + route.path, route.method, _view(desk, route))
    events = next(route for route in routes if route.path == "/events")
    _add(app, "/events", "GET", _view(desk, events))
    document = openapi(routes)

    async def described() -> Response:
        return json_response(document)

    async def metrics() -> Response:
        text, content_type = await metrics_text(desk)
        return Response(text, 200, headers={"Cache-Control": "no-store"}, content_type=content_type)

    async def one_decision(number: int) -> Response:
        return json_response(await decision(desk, AskDecision(number)))

    _add(app, f"{BASE}/openapi.json", "GET", described)
    _add(app, f"{BASE}/decisions/<int:number>", "GET", one_decision)
    _add(app, "/metrics", "GET", metrics)


def _add(app: QuartTrio, path: str, method: str, view: Callable[..., Awaitable[Response]]) -> None:
    app.add_url_rule(path, f"{method} {path}", view, methods=[method], provide_automatic_options=False)


def _view(desk: Desk, route: Route[Any]) -> View:
    async def look() -> Response:
        return json_response(await route.handle(desk, read_query(route.asks, request.args)))

    async def act() -> Response:
        require_json()
        return json_response(await route.handle(desk, read_body(route.asks, await body_of(request))))

    return look if route.method == "GET" else act
