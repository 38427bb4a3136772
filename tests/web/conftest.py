"""Fixtures of the web's tests."""

import httpx
import pytest

from tests.web.site import running


@pytest.fixture
async def site(tmp_path):
    """A service on real sockets, without accounts."""
    async with running(tmp_path) as site:
        yield site


@pytest.fixture
async def fleet(site):
    """The same with three accounts."""
    await site.fleet()
    return site


@pytest.fixture
async def stranger(fleet):
    """A client without a token."""
    transport = httpx.AsyncHTTPTransport(verify=False)
    async with httpx.AsyncClient(base_url=fleet.origin, transport=transport, trust_env=False) as client:
        yield client
