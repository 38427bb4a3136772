"""Asking a provider what an account has left: one GET with the account's own credential, and nothing else.

No inference (it would start a window's clock), no token refresh (the host does that), nothing written.
A poll always ends, within its limits, in a `PollResult`.
"""

import os
import time
from collections.abc import Callable, Mapping

import httpx
import trio
from attrs import Factory, frozen
from msgspec.structs import replace

from qr import __version__
from qr.settings import Settings
from qr.upstream.connections import Connect
from qr.upstream.credentials import BASE_URL_IS_SET, AuthEntry, Credential, CredentialSource, why_not_polled
from qr.upstream.errors import UpstreamError
from qr.upstream.proxies import Proxy, resolve_proxy
from qr.upstream.questions import Endpoints, usage_request, usage_url
from qr.upstream.reasons import reason
from qr.upstream.results import PollResult, judge

__all__ = ["Limits", "PollOptions", "PollResult", "poll", "poll_account", "poll_options"]

USER_AGENT = f"quota-router/{__version__}"


@frozen
class Limits:
    """What bounds one poll."""

    connect: float = 5.0
    """Seconds for a TCP connection, and again for a TLS handshake."""
    whole: float = 15.0
    """Seconds from the first packet to the last byte."""
    body: int = 1024 * 1024
    """Bytes. A real answer has 2 to 5 KB."""


@frozen
class PollOptions:
    """How polls are made."""

    endpoints: Endpoints
    proxy_url: str = ""
    """For accounts without a `proxy_url` of their own."""
    user_agent: str = USER_AGENT
    limits: Limits = Factory(Limits)


def poll_options(settings: Settings) -> PollOptions:
    """How *settings* want polls to be made."""
    return PollOptions(
        endpoints=Endpoints(settings.claude_base_url, settings.codex_base_url),
        proxy_url=settings.proxy_url or "",
        user_agent=settings.poll_user_agent or USER_AGENT,
    )


async def poll(
    credential: Credential,
    *,
    options: PollOptions,
    proxy: Proxy | None,
    connect: Connect,
    now: Callable[[], float] = time.time,
) -> PollResult:
    """
    Ask the usage endpoint once. Raises nothing but `trio.Cancelled`.

    Args:
        connect: opens the connection, see `qr.upstream.connections.connector`.
        now: epoch seconds; an observation is as old as the end of its answer.
    """
    started, limits = trio.current_time(), options.limits
    result = PollResult(error=f"no complete answer within {limits.whole:g} s")
    with trio.move_on_after(limits.whole):
        result = await _ask(credential, options, proxy, connect, now)
    return replace(result, duration=trio.current_time() - started)


async def poll_account(
    source: CredentialSource,
    entry: AuthEntry,
    *,
    options: PollOptions,
    connect: Connect,
    now: Callable[[], float] = time.time,
    environ: Mapping[str, str] = os.environ,
) -> PollResult:
    """
    Fetch the credential of *entry*, poll, and let go of it. Raises nothing but `trio.Cancelled`.

    When the token is refused as expired, the host may have refreshed it meanwhile: the credential is fetched
    once more and, only if its token is another one, asked with once more. Nobody hammers with a dead token.
    """

    async def ask(credential: Credential) -> PollResult:
        url = usage_url(credential.provider, options.endpoints)
        proxy = resolve_proxy(credential.proxy_url, options.proxy_url, environ, url)
        return await poll(credential, options=options, proxy=proxy, connect=connect, now=now)

    if (why := why_not_polled(entry)) is not None:
        return PollResult(error=why, pollable=False)
    result = None
    try:
        credential = await source.fetch(entry)
        result = await ask(credential)
        if not result.refreshable:
            return result
        renewed = await source.fetch(entry)
        return result if renewed.access_token == credential.access_token else await ask(renewed)
    except UpstreamError as error:
        return result or PollResult(error=str(error))


async def _ask(
    credential: Credential,
    options: PollOptions,
    proxy: Proxy | None,
    connect: Connect,
    now: Callable[[], float],
) -> PollResult:
    if credential.base_url:
        return PollResult(error=BASE_URL_IS_SET, pollable=False)
    try:
        request = usage_request(credential, options.endpoints, options.user_agent)
        limits = options.limits
        request.extensions["timeout"] = httpx.Timeout(None, connect=limits.connect).as_dict()
        async with connect(proxy) as transport:
            response = await transport.handle_async_request(request)
            return await judge(response, credential, body_limit=limits.body, now=now)
    except UpstreamError as error:
        return PollResult(error=str(error))
    except Exception as error:  # noqa: BLE001 - whatever a library or a peer comes up with is a failed poll
        return PollResult(error=reason(error, proxy))
