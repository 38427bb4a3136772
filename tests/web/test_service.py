"""The web in the house: where it listens, what it refuses, what it leaves behind."""

import socket
import stat

import httpx
import pytest
import trio

from qr.settings import Settings
from qr.system import build
from qr.web.service import serve
from qr.web.sockets import ExposedError, address_of, listen_on
from tests.web.site import running


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
def test_beyond_loopback_a_token_of_ones_own_is_needed_and_the_message_says_how(tmp_path, listen):
    """The settings refuse this too; here it is refused whoever made them."""
    settings = Settings(state_dir=tmp_path, listen=listen)
    with pytest.raises(ExposedError, match="QUOTA_ROUTER_TOKEN"):
        listen_on(settings)
    assert not (tmp_path / "web.token").exists()


def test_a_name_that_leads_beyond_loopback_is_found_out(tmp_path):
    """What counts is the address that is listened on, not how it is spelt."""
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError:
        pytest.skip("this machine's own name cannot be resolved")
    if address.startswith("127."):
        pytest.skip("this machine's own name is loopback's")
    with pytest.raises(ExposedError):
        listen_on(Settings(state_dir=tmp_path, listen=f"{name}:0"))


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "localhost:0", "127.0.0.2:0"])
def test_on_loopback_none_is_needed(tmp_path, listen):
    with listen_on(Settings(state_dir=tmp_path, listen=listen)) as listening:
        assert listening.getsockname()[1] > 0


def test_a_wildcard_is_named_as_the_machine_itself_reaches_it(tmp_path):
    settings = Settings(state_dir=tmp_path, listen="0.0.0.0:0", token="a-token-of-my-own-making")
    with listen_on(settings) as listening:
        assert address_of(listening)[0] == "127.0.0.1"


def test_a_name_that_nobody_knows_says_so(tmp_path):
    with pytest.raises(OSError, match=r"cannot listen on nowhere\.invalid:0"):
        listen_on(Settings(state_dir=tmp_path, listen="nowhere.invalid:0", token="a-token-of-my-own-making"))


def test_an_address_in_use_says_so(tmp_path):
    with listen_on(Settings(state_dir=tmp_path, listen="127.0.0.1:0")) as first:
        taken = f"127.0.0.1:{first.getsockname()[1]}"
        with pytest.raises(OSError, match=f"{first.getsockname()[1]}"):
            listen_on(Settings(state_dir=tmp_path, listen=taken))


async def test_beyond_loopback_other_names_are_answered_and_logins_asked_for(tmp_path):
    async with running(tmp_path, listen="0.0.0.0:0", token="a-token-of-my-own-making") as site:
        port = site.address[1]
        transport = httpx.AsyncHTTPTransport(verify=False)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", transport=transport) as stranger:
            headers = {"Host": "router.lan:8318"}
            assert (await stranger.get("/healthz", headers=headers)).status_code == 200
            assert (await stranger.get("/api/v1/health", headers=headers)).status_code == 401
            headers["Authorization"] = "Bearer a-token-of-my-own-making"
            assert (await stranger.get("/api/v1/health", headers=headers)).status_code == 200
            headers["Origin"] = "http://evil.example"
            assert (await stranger.get("/api/v1/health", headers=headers)).status_code == 403


async def test_the_login_url_is_printed_by_who_asks_and_is_in_no_log(tmp_path, capsys):
    async with running(tmp_path) as site:
        assert site.service.login_url == f"{site.origin}/login?token={site.service.access.token}"
        await site.client.get(site.service.login_url)
        await site.client.get("/nothing")
    output = capsys.readouterr()
    assert site.service.access.token not in output.out + output.err


async def test_a_second_service_on_the_same_directory_lives_without_the_owners_socket(tmp_path):
    async with running(tmp_path) as first, running(tmp_path) as second:
        assert len(first.service.server.doorways) == 2
        assert len(second.service.server.doorways) == 1
        assert any("web.sock" in notice for notice in second.house.notices)
        assert second.service.access.token == first.service.access.token


async def test_a_directory_that_cannot_be_written_costs_the_token_its_permanence(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    async with running(blocked / "state") as site:
        assert any("token" in notice for notice in site.house.notices)
        assert (await site.client.get("/api/v1/health")).status_code == 200


async def test_readiness_follows_the_supervisor(tmp_path):
    house = build(Settings(state_dir=tmp_path, listen="127.0.0.1:0"))
    service = serve(house, Settings(state_dir=tmp_path, listen="127.0.0.1:0"))
    client = service.app.test_client()
    headers = {"Host": "localhost"}
    assert (await client.get("/readyz", headers=headers)).status_code == 503
    assert (await client.get("/healthz", headers=headers)).status_code == 200
    house.door.open = True
    assert (await client.get("/readyz", headers=headers)).status_code == 200
    service.close()
    house.store.close()


async def test_everything_in_the_directory_is_for_the_owner_alone(tmp_path):
    async with running(tmp_path / "state") as site:
        await site.fleet()
        for path in (tmp_path / "state").iterdir():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


async def test_the_end_of_the_house_is_the_end_of_the_web(tmp_path):
    with trio.fail_after(10):
        async with running(tmp_path) as site:
            address = site.address
    with pytest.raises(OSError, match="onnect"):
        await trio.open_tcp_stream(*address)
