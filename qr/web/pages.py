"""The page and its files, and what a probe asks: all without data, all without a login."""

from collections.abc import Mapping

from quart import request
from quart_trio import QuartTrio

from qr.web.assets import PAGE, Asset
from qr.web.desk import Desk
from qr.web.problems import ProblemError
from qr.web.responses import Response, asset_response, text_response

__all__ = ["FAVICON", "add_pages", "add_probes"]

FAVICON = "favicon.svg"


def add_pages(app: QuartTrio, assets: Mapping[str, Asset]) -> None:
    """`/`, `/favicon.ico` and `/static/…`."""

    async def page() -> Response:
        return _file(PAGE)

    async def favicon() -> Response:
        return _file(FAVICON)

    async def file(name: str) -> Response:
        return _file(name)

    def _file(name: str) -> Response:
        asset = assets.get(name)
        if asset is None:
            raise ProblemError("not_found", "There is no such file.")
        return asset_response(asset, request.headers.get("If-None-Match"))

    app.add_url_rule("/", view_func=page, provide_automatic_options=False)
    app.add_url_rule("/favicon.ico", view_func=favicon, provide_automatic_options=False)
    app.add_url_rule("/static/<path:name>", view_func=file, provide_automatic_options=False)


def add_probes(app: QuartTrio, desk: Desk) -> None:
    """`/healthz`: the process answers. `/readyz`: picks can be decided."""

    async def healthz() -> Response:
        return text_response("ok\n")

    async def readyz() -> Response:
        ready = desk.house.door.open
        return text_response("ready\n" if ready else "no_supervisor\n", 200 if ready else 503)

    app.add_url_rule("/healthz", view_func=healthz, provide_automatic_options=False)
    app.add_url_rule("/readyz", view_func=readyz, provide_automatic_options=False)
