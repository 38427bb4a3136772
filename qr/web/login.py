"""Logging in and out: a token for a cookie."""

import msgspec
from quart import request
from quart_trio import QuartTrio

from qr.web.access import COOKIE_LIFE
from qr.web.guard import Guard
from qr.web.problems import ProblemError
from qr.web.responses import Response, redirect
from qr.web.routes import body_of, read_body, read_query

__all__ = ["add_login"]


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The token, in a body or in the printed URL."""

    token: str


def add_login(app: QuartTrio, guard: Guard) -> None:
    """`/login` and `/logout`."""

    async def follow_url() -> Response:
        """The URL that is printed at the start: it leaves the address bar at once."""
        try:
            given = read_query(Token, request.args).token
            guard.check(given, request, "page")
        except ProblemError as error:
            why = "later" if error.kind == "too_many_attempts" else "refused"
            return redirect(f"/#login={why}")
        return _logged_in(redirect("/"), guard)

    async def login() -> Response:
        require_json()
        given = read_body(Token, await body_of(request)).token
        guard.check(given, request, "page")
        return _logged_in(Response(b"", 204), guard)

    async def logout() -> Response:
        response = Response(b"", 204)
        response.delete_cookie(guard.cookie, path="/", httponly=True, samesite="Strict")
        return response

    app.add_url_rule("/login", view_func=follow_url, methods=["GET"], provide_automatic_options=False)
    app.add_url_rule("/login", view_func=login, methods=["POST"], provide_automatic_options=False)
    app.add_url_rule("/logout", view_func=logout, methods=["POST"], provide_automatic_options=False)


def require_json() -> None:
    """
    Take JSON only: no form and no text that another site's page can send without asking first.

    Raises:
        ProblemError: it is something else.
    """
    if request.mimetype != "application/json":
        raise ProblemError("unsupported_media_type", "Send `Content-Type: application/json`.")


def _logged_in(response: Response, guard: Guard) -> Response:
    """Behind a proxy that speaks TLS the browser's own `Origin` tells that the cookie may be kept to it."""
    response.set_cookie(
        guard.cookie,
        guard.access.cookie(guard.desk.now),
        max_age=round(COOKIE_LIFE),
        path="/",
        secure=request.headers.get("Origin", "").startswith("https://"),
        httponly=True,
        samesite="Strict",
    )
    response.headers["Cache-Control"] = "no-store"
    return response
