"""The application: guard, pages, login, API, live feed. One application answers all entrances."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import structlog
from attrs import define
from quart import has_request_context, request, websocket
from quart.typing import ResponseTypes
from quart_trio import QuartTrio
from werkzeug.exceptions import HTTPException

from qr.web.api import add_api
from qr.web.assets import Asset, load_assets
from qr.web.desk import Desk
from qr.web.entrances import Application, Entrance, entered_by, entrance_of
from qr.web.guard import Guard
from qr.web.headers import security_headers
from qr.web.live import Live, events_route
from qr.web.login import add_login
from qr.web.messages import Messages
from qr.web.pages import add_pages, add_probes
from qr.web.problems import KINDS, ProblemError
from qr.web.reading import READING
from qr.web.responses import Response, problem_response
from qr.web.routes import Route
from qr.web.writing import WRITING

__all__ = ["Web", "create_app"]

# Bytes of a request's body: settings with a manual priority for each of 4096 accounts fit.
MAX_BODY: Final = 512 * 1024

# Seconds in which a request's body must have arrived.
BODY_TIMEOUT: Final = 10

log = structlog.get_logger(__name__)


@define(eq=False)
class Web:
    """The application, and what its servers need of it."""

    app: QuartTrio
    desk: Desk
    live: Live
    routes: Sequence[Route[Any]]
    """Those of the API, below its base."""
    assets: Mapping[str, Asset]

    def entered_by(self, entrance: Entrance) -> Application:
        """The application as it is to those who come in by *entrance*."""
        return entered_by(entrance, cast(Application, self.app))


def create_app(desk: Desk, guard: Guard, assets: Mapping[str, Asset] | None = None) -> Web:
    """
    Build the application.

    Args:
        desk: what the routes work with.
        guard: lets requests in, or not.
        assets: the dashboard's files by name; None: those of the package.

    """
    app = QuartTrio("qr.web", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY, BODY_TIMEOUT=BODY_TIMEOUT)
    messages = Messages(desk)
    live = Live(messages)
    routes: Sequence[Route[Any]] = (*READING, events_route(messages), *WRITING)
    assets = load_assets() if assets is None else assets
    _add_guard(app, guard)
    _add_problems(app)
    add_pages(app, assets)
    add_probes(app, desk)
    add_login(app, guard)
    add_api(app, desk, routes)
    app.add_websocket("/live", view_func=live.serve)
    return Web(app, desk, live, routes, assets)


def _add_guard(app: QuartTrio, guard: Guard) -> None:
    async def admit_request() -> None:
        guard.admit(request)

    async def admit_websocket() -> None:
        guard.admit(websocket)

    async def secure(response: ResponseTypes) -> ResponseTypes:
        response.headers.update(security_headers(entrance_of(request.scope)))
        return response

    async def secure_refusal(response: ResponseTypes | None) -> ResponseTypes | None:
        """A handshake that was refused has a response; a feed that has ended has none."""
        if response is not None:
            response.headers.update(security_headers(entrance_of(websocket.scope)))
        return response

    app.before_request(admit_request)
    app.before_websocket(admit_websocket)
    app.after_request(secure)
    app.after_websocket(secure_refusal)


def _add_problems(app: QuartTrio) -> None:
    async def told(error: ProblemError) -> Response:
        return problem_response(error)

    async def refused(error: HTTPException) -> Response:
        """What the framework refuses by itself, in our words."""
        status = error.code or 500
        kind = next((name for name in FRAMEWORK if KINDS[name].status == status), "invalid_request")
        return problem_response(ProblemError(kind, "The request was refused."))

    async def failed(error: Exception) -> Response:
        log.error("request failed", path=_path(), cause=type(error).__name__)
        return problem_response(ProblemError("internal", "The log of the service names the cause."))

    app.register_error_handler(ProblemError, told)
    app.register_error_handler(HTTPException, refused)
    app.register_error_handler(Exception, failed)


def _path() -> str:
    return request.path if has_request_context() else websocket.path


# The problems that the framework finds, each of a status of its own.
FRAMEWORK = (
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "too_large",
    "unsupported_media_type",
    "internal",
)
