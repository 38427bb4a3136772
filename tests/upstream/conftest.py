import gc
import logging
import os
import shutil
import ssl
import subprocess
from functools import partial

import pytest
import trio

from qr.upstream.connections import connector
from qr.upstream.credentials import Credential
from qr.upstream.questions import Endpoints
from qr.upstream.usage import Limits, PollOptions, PollResult, poll

# Seconds. Loopback answers in milliseconds; what hangs is given up after `whole`.
QUICK = Limits(connect=0.5, whole=0.5)

# Seconds. Far above anything a poll may take, so that it is the poll's own limit that ends it.
BOUND = 5.0


@pytest.fixture(autouse=True)
def nothing_left_open():
    """A socket that nobody closed is a warning when it is collected, and a warning is an error."""
    yield
    gc.collect(1)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate for localhost, provider.test and 127.0.0.1, as (certificate, key)."""
    if shutil.which("openssl") is None and not os.environ.get("QUOTA_ROUTER_TESTS_SKIP_NOTHING"):
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = str(folder / "certificate.pem"), str(folder / "key.pem")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=localhost -addext subjectAltName=DNS:localhost,DNS:provider.test,IP:127.0.0.1"
    )
    subprocess.run([*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="session")
def server_tls(certificate):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*certificate)
    return context


@pytest.fixture(scope="session")
def connect():
    """Connects as the service does; the test's certificate is not trusted."""
    return connector()


@pytest.fixture
def ask(connect):
    """Polls *url* for a credential; everything else can be replaced."""

    async def ask(
        url, *, provider="claude", account_id="", limits=QUICK, connect=connect, **more
    ) -> PollResult:
        credential = Credential(provider, "token-in-use", account_id)
        codex = f"{url}/backend-api"
        options = PollOptions(
            Endpoints(url, codex), limits=limits, user_agent=more.pop("user_agent", "qr/test")
        )
        with trio.fail_after(BOUND):
            return await poll(
                credential,
                options=options,
                proxy=more.get("proxy"),
                connect=connect,
                now=lambda: 1788270000.0,
            )

    return ask


@pytest.fixture
def ask_tls(ask, certificate):
    """The same, and trusts the test's certificate alone."""
    return partial(ask, connect=connector(ssl.create_default_context(cafile=certificate[0])))


@pytest.fixture
def everything_logged(caplog):
    caplog.set_level(logging.DEBUG)
    return caplog
