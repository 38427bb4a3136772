"""Fixtures of the web's tests."""

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
