"""Canaries: a token, a password, an account id and an e-mail address that must turn up nowhere."""

import json
import traceback

import pytest
import trio

from qr.upstream.credentials import read_credential, read_entry
from qr.upstream.directory import AuthDirectory
from qr.upstream.errors import UpstreamError
from qr.upstream.host import HostCredentials
from qr.upstream.proxies import resolve_proxy
from qr.upstream.questions import Endpoints
from qr.upstream.usage import Limits, PollOptions, poll_account

from .servers import CODEX_BODY, ConnectProxy, Provider, SocksProxy, hangs, hangs_up, says, says_json, serving

CANARY = "canary"
TOKEN, ACCOUNT, PASSWORD, MAIL = "tok-canary-1", "acct-canary-2", "pass-canary-3", "ann-canary@example.com"
FILE = {
    "type": "codex",
    "email": MAIL,
    "access_token": TOKEN,
    "account_id": ACCOUNT,
    "refresh_token": "rt-canary-4",
}
URL = "https://provider.test/x"


def clean(*shown):
    for one in shown:
        assert CANARY not in str(one)
        assert CANARY not in repr(one)


def echo(status):
    """A provider that says everything back which it was told."""

    async def behave(stream):
        await says_json({"error": {"message": f"{TOKEN} {ACCOUNT}", "code": TOKEN}}, status, x_token=TOKEN)(
            stream
        )

    return behave


BEHAVIOURS = {
    "usage": says_json({**CODEX_BODY, "email": MAIL, "account_id": ACCOUNT}),
    "401": echo(401),
    "403": echo(403),
    "500": echo(500),
    "a redirect": says(302, location=f"https://{TOKEN}.example/"),
    "a reason phrase": lambda stream: stream.send_all(f"HTTP/1.1 9999 {TOKEN}\r\n\r\n".encode()),
    "text": says(200, TOKEN.encode()),
    "hangs": hangs,
    "hangs up": hangs_up,
}

PROXIES = {
    "no proxy": None,
    "CONNECT": lambda: ConnectProxy(login=f"user:{PASSWORD}"),
    "CONNECT, refused": lambda: ConnectProxy(refuses=f"HTTP/1.1 403 {PASSWORD}\r\n\r\n".encode()),
    "SOCKS": lambda: SocksProxy(login=(b"user", PASSWORD.encode())),
    "SOCKS, refused": lambda: SocksProxy(login=(b"other", b"other")),
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
@pytest.mark.parametrize("proxy", PROXIES.values(), ids=PROXIES)
async def test_nothing_secret_in_results_or_in_any_log(
    connect, everything_logged, tmp_path, behaviour, proxy
):
    server = proxy and proxy()
    async with serving(Provider([behaviour])) as provider, serving(server or ConnectProxy()) as via:
        scheme = "socks5" if isinstance(via, SocksProxy) else "http"
        proxy_url = f"{scheme}://user:{PASSWORD}@127.0.0.1:{via.port}" if server else "direct"
        (tmp_path / f"{MAIL}.json").write_text(json.dumps({**FILE, "proxy_url": proxy_url}))
        source = AuthDirectory(tmp_path)
        options = PollOptions(
            Endpoints(provider.url, f"{provider.url}/backend-api"), limits=Limits(connect=0.2, whole=0.2)
        )
        with trio.fail_after(5):
            (entry,) = await source.list()
            result = await poll_account(source, entry, options=options, connect=connect)
        if server is None:
            assert provider.headers["authorization"] == f"Bearer {TOKEN}"
    clean(result, entry, source, everything_logged.text, *everything_logged.records)


def test_reprs_hide_what_is_secret_or_personal():
    body = json.dumps({**FILE, "id": MAIL, "label": MAIL, "proxy_url": f"http://u:{PASSWORD}@a"}).encode()
    credential, entry = read_credential(body), read_entry(body)
    assert (credential.access_token, entry.label) == (TOKEN, MAIL)
    clean(credential, entry)
    clean(resolve_proxy(f"socks5://{PASSWORD}:{PASSWORD}@a", "", {}, URL))


def raised_by(call, *args):
    with pytest.raises(UpstreamError) as raised:
        call(*args)
    return raised.value, "".join(traceback.format_exception(raised.value, chain=True))


@pytest.mark.parametrize(
    "proxy", ["{}", "http://u:{}@", "ftp://u:{}@a", "http://u:{}@a:port", "http://u:{}@[::1"]
)
def test_a_malformed_proxy_does_not_show_its_password(proxy):
    value = proxy.format(PASSWORD)
    clean(*raised_by(resolve_proxy, value, "", {}, URL))
    clean(*raised_by(resolve_proxy, "", value, {}, URL))


@pytest.mark.parametrize("content", ['{{"access_token": "{} {}"}}', '"{}{}"', '{{"access_token": "{}", {}'])
def test_a_broken_auth_file_does_not_show_its_content(content):
    clean(*raised_by(read_credential, content.format(TOKEN, TOKEN).encode()))


async def test_what_the_host_says_of_its_files_is_not_passed_on(everything_logged):
    async def call(_method, _request):
        return json.dumps({"ok": False, "error": {"message": f"no file {MAIL}", "code": TOKEN}}).encode()

    with pytest.raises(UpstreamError) as raised:
        await HostCredentials(call).list()
    clean(raised.value, everything_logged.text)


async def test_a_directory_is_not_named_in_its_errors(tmp_path):
    directory = AuthDirectory(tmp_path / MAIL)
    with pytest.raises(UpstreamError) as raised:
        await directory.list()
    clean(raised.value)
    (tmp_path / MAIL).mkdir()
    (tmp_path / MAIL / f"{MAIL}.json").write_text(TOKEN)
    await directory.list()
    assert directory.skipped[0].where == f"{MAIL}.json"
    clean(directory.skipped)
