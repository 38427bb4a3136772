"""The OpenAPI document, made of the routes and their shapes: it cannot say anything else than they do."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from qr import __version__
from qr.web.problems import KINDS, PREFIX
from qr.web.routes import BASE, Route
from qr.web.shapes.accounts import Account
from qr.web.shapes.feed import Changed
from qr.web.shapes.service import Problem

__all__ = ["openapi"]

REF = "#/components/schemas/{name}"

# What any route can answer with, besides its own.
EVERYWHERE = ("invalid_request", "unauthenticated", "foreign_origin", "foreign_host", "internal")

# What only a request with a body can be answered with.
WITH_BODY = ("too_large", "unsupported_media_type", "request_timeout")

# The feed's messages hold these encoded already.
ENCODED = {("Snapshot", "accounts"): "Account", ("Changes", "changes"): "Changed"}

CHANGED = ("Account", "DecisionShape", "Session", "SettingsInForce")


def openapi(routes: Sequence[Route[Any]]) -> bytes:
    """The document as JSON (OpenAPI 3.1)."""
    answers = [route.answers for route in routes]
    bodies = [route.asks for route in routes if route.method != "GET"]
    schemas, components = msgspec.json.schema_components(
        [*answers, *bodies, Problem, Account, Changed], ref_template=REF
    )
    for (shape, member), name in ENCODED.items():
        components[shape]["properties"][member]["items"] = _ref(name)
    components["Changed"]["properties"]["value"] = {"anyOf": [*map(_ref, CHANGED), {"type": "null"}]}
    paths: dict[str, Any] = {}
    for route, schema in zip(routes, schemas, strict=False):
        paths.setdefault(BASE + route.path, {})[route.method.lower()] = _operation(route, schema)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "quota-router",
                "version": __version__,
                "description": "Accounts, sessions and decisions of quota-router. Times are epoch seconds.",
            },
            "security": [{"token": []}, {"cookie": []}],
            "paths": paths,
            "components": {"schemas": components, "securitySchemes": SECURITY},
        }
    )


SECURITY = {
    "token": {"type": "http", "scheme": "bearer"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "quota_router_8318"},
}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": REF.format(name=name)}


def _operation(route: Route[Any], schema: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": f"{route.method.lower()}{route.path.replace('/', '_')}",
        "responses": {"200": _content("Done.", "application/json", schema), **_problems(route)},
    }
    if route.method == "GET":
        operation["parameters"] = list(_parameters(route.asks))
    else:
        body = _ref(route.asks.__name__)
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation


def _content(text: str, content_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": text, "content": {content_type: {"schema": schema}}}


def _problems(route: Route[Any]) -> dict[str, Any]:
    names = (*EVERYWHERE, *route.problems, *(WITH_BODY if route.method != "GET" else ()))
    by_status: dict[int, list[str]] = {}
    for name in names:
        by_status.setdefault(KINDS[name].status, []).append(PREFIX + name)
    problem = _ref("Problem")
    return {
        str(status): _content(" or ".join(kinds), "application/problem+json", problem)
        for status, kinds in sorted(by_status.items())
    }


def _parameters(asks: type[msgspec.Struct]) -> Iterator[dict[str, Any]]:
    schema = msgspec.json.schema(asks)
    shape = schema["$defs"][asks.__name__]
    required = shape.get("required", [])
    for name, described in shape["properties"].items():
        yield {"name": name, "in": "query", "required": name in required, "schema": described}
