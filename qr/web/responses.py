"""Responses: JSON, text, files, problems."""

import msgspec
from quart_trio.wrappers import TrioResponse as Response

from qr.web.assets import Asset
from qr.web.problems import ProblemError

__all__ = ["Response", "asset_response", "json_response", "problem_response", "redirect", "text_response"]


def json_response(answer: msgspec.Struct | bytes) -> Response:
    """A shape, or bytes that are JSON already."""
    body = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
    return _private(Response(body, 200, content_type="application/json"))


def text_response(text: str, status: int = 200) -> Response:
    return _private(Response(text, status, content_type="text/plain; charset=utf-8"))


def problem_response(error: ProblemError) -> Response:
    """The response that tells *error*."""
    body = msgspec.json.encode(error.problem)
    response = Response(body, error.problem.status, content_type="application/problem+json")
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, round(error.retry_after)))
    if error.kind == "unauthenticated":
        response.headers["WWW-Authenticate"] = 'Bearer realm="quota-router"'
    return _private(response)


def redirect(place: str) -> Response:
    """To another address of the page, by `GET`."""
    return _private(Response(b"", 303, headers={"Location": place}))


def asset_response(asset: Asset, known: str | None) -> Response:
    """A file, or that it is the one with the entity tag that the browser *known* has already."""
    fresh = known is not None and asset.etag in [tag.strip() for tag in known.split(",")]
    response = Response(b"" if fresh else asset.content, 304 if fresh else 200)
    response.content_type = asset.content_type
    response.headers["ETag"] = asset.etag
    # It may be kept, and is asked about each time: a new version is seen at once.
    response.headers["Cache-Control"] = "no-cache"
    return response


def _private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
