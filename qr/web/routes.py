"""What a route of the API is, and how a request becomes what its handler takes."""

import re
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, NoReturn, TypeVar

import msgspec
from attrs import frozen
from quart import Request
from werkzeug.datastructures import MultiDict

from qr.web.desk import Desk
from qr.web.problems import ProblemError
from qr.web.shapes.service import SettingProblem

__all__ = ["BASE", "Method", "Route", "body_of", "read_body", "read_query"]

BASE = "/api/v1"

Method = Literal["GET", "POST", "PUT", "PATCH"]

A = TypeVar("A", bound=msgspec.Struct)


@frozen
class Route(Generic[A]):
    """
    One address of the API; the application, the host's routes and the OpenAPI document are made of these.

    A handler returns a shape, or bytes that are JSON already.
    """

    method: Method
    path: str
    """Below the base; without parameters, since the host knows none."""
    handle: Callable[[Desk, A], Awaitable[msgspec.Struct | bytes]]
    asks: type[A]
    """The query of a `GET`, else the body."""
    answers: object
    """The type of the answer."""
    summary: str
    problems: tuple[str, ...] = ()
    """Besides those that every route can answer with."""


async def body_of(request: Request) -> bytes:
    """All of it; raises what the framework raises when it is too long or too late."""
    body = await request.get_data(as_text=False)
    return body if isinstance(body, bytes) else body.encode()


def read_query(asks: type[A], query: "MultiDict[str, str]") -> A:
    """
    The parameters of a `GET`.

    Raises:
        ProblemError: one is unknown, of a wrong type, or there twice.
    """
    twice = next((name for name in query if len(query.getlist(name)) > 1), None)
    if twice is not None:
        _refuse(twice, "given more than once")
    try:
        return msgspec.convert(query.to_dict(), asks, strict=False)
    except msgspec.ValidationError as error:
        _refuse_all(error)


def read_body(asks: type[A], body: bytes) -> A:
    """
    The JSON body of a request that is no `GET`; an empty one is an empty object.

    Raises:
        ProblemError: it is no JSON, or not what the route takes.
    """
    try:
        return msgspec.json.decode(body or b"{}", type=asks)
    except msgspec.ValidationError as error:
        _refuse_all(error)
    except (msgspec.DecodeError, RecursionError):
        raise ProblemError("invalid_request", "The body is no JSON.") from None


# How msgspec says where something is wrong: "Expected `int`, got `str` - at `$.limit`".
PLACE = re.compile(r"(?P<what>.*) - at `\$\.?(?P<where>.*)`", re.DOTALL)


def _refuse_all(error: msgspec.ValidationError) -> NoReturn:
    found = PLACE.fullmatch(str(error))
    where, what = (found["where"], found["what"]) if found else ("", str(error))
    _refuse(where, what)


def _refuse(key: str, message: str) -> NoReturn:
    problem = SettingProblem(key[:200], message[:500])
    raise ProblemError("invalid_request", "The request has a member that is not taken.", [problem])
