"""Inside the host: what is registered, who gets what, and what the host does to answers."""

import base64
import json

import pytest

from qr.abi.contract import ManagementRequest, decode_management
from qr.web.app import create_app
from qr.web.assets import Asset
from qr.web.guard import Guard
from qr.web.host import ESCAPED, HostPages, packaged_registration
from tests.web.site import ANN

PLUGIN = "quota-router"
ROUTES = f"/v0/management/plugins/{PLUGIN}"
FILES = f"/v0/resource/plugins/{PLUGIN}"


def registered(pages, base=FILES):
    envelope = json.loads(pages.register(base))
    assert envelope["ok"]
    return envelope["result"]


async def asked(site, path, method="GET", *, body=None, query=None, headers=None):
    """One call of the host, as it comes over the wire, and its answer with the body decoded."""
    encoded = None if body is None else base64.b64encode(json.dumps(body).encode()).decode()
    request = {
        "Method": method,
        "Path": path,
        "Headers": {"Authorization": ["Bearer the-management-key"], **(headers or {})},
        "Query": query or {},
        "Body": encoded,
        "host_callback_id": "cb-1",
    }
    if body is not None:
        request["Headers"]["Content-Type"] = ["application/json"]
    envelope = json.loads(await site.house.calls.answer("management.handle", json.dumps(request).encode()))
    assert envelope["ok"], envelope
    answer = envelope["result"]
    answer["Body"] = base64.b64decode(answer["Body"])
    return answer


@pytest.fixture
async def hosted(fleet):
    """The host has registered with a schema that does not escape."""
    await fleet.house.calls.answer("plugin.register", b'{"schema_version":6,"config_yaml":""}')
    return fleet


async def test_every_route_and_every_file_is_declared_by_itself(fleet):
    result = registered(fleet.house.pages)
    routes = {(route["Method"], route["Path"]) for route in result["routes"]}
    assert ("GET", f"/plugins/{PLUGIN}/api/v1/events") in routes
    assert ("POST", f"/plugins/{PLUGIN}/api/v1/accounts/pause") in routes
    assert len(routes) == len(fleet.service.web.routes)
    files = [resource["Path"] for resource in result["resources"]]
    assert files[0] == "/ui"
    assert set(files[1:]) == {f"/static/{name}" for name in fleet.service.web.assets if name != "index.html"}


async def test_what_is_said_before_there_is_a_service_is_what_the_service_says(fleet):
    before = json.loads(packaged_registration(PLUGIN))["result"]
    for kind, declared in registered(fleet.house.pages).items():
        assert sorted(before[kind], key=str) == sorted(declared, key=str)


async def test_there_is_one_entry_in_the_panel(fleet):
    menus = [resource for resource in registered(fleet.house.pages)["resources"] if resource.get("Menu")]
    assert [(one["Path"], one["Menu"]) for one in menus] == [("/ui", "Quota Router")]


async def test_paths_are_such_that_the_host_takes_them(fleet):
    """No blanks, no parameters, no dots that climb; none of the host's own (contract, section 5.1)."""
    result = registered(fleet.house.pages)
    for one in (*result["routes"], *result["resources"]):
        path = one["Path"]
        assert path.startswith("/")
        assert not path.endswith("/")
        assert not set(path) & set(" :*<>{}?#")
        assert ".." not in path
        assert not path.endswith(("/config", "/enabled"))


async def test_the_plugins_id_comes_from_the_host(fleet):
    result = registered(fleet.house.pages, "/v0/resource/plugins/quota-router-beta/")
    assert result["routes"][0]["Path"].startswith("/plugins/quota-router-beta/api/v1/")


@pytest.mark.parametrize("prefix", ["/v0", "/v8", "/proxied/here/v0"])
async def test_data_comes_through_the_routes_of_any_prefix(hosted, prefix):
    answer = await asked(hosted, f"{prefix}/management/plugins/{PLUGIN}/api/v1/accounts")
    assert answer["StatusCode"] == 200
    assert {account["label"] for account in json.loads(answer["Body"])["accounts"]} == {"ann", "bob", "xi"}
    assert answer["Headers"]["Content-Type"] == ["application/json"]
    assert answer["Headers"]["Cache-Control"] == ["no-store"]


async def test_queries_and_bodies_arrive(hosted):
    answer = await asked(hosted, f"{ROUTES}/api/v1/accounts", query={"id": [ANN]})
    assert len(json.loads(answer["Body"])["accounts"]) == 1
    answer = await asked(hosted, f"{ROUTES}/api/v1/accounts/pause", "POST", body={"account": ANN})
    assert json.loads(answer["Body"])["changed"]
    assert hosted.house.supervisor.fleet.get(ANN).paused


async def test_one_route_a_round_is_enough(hosted):
    first = json.loads(
        (await asked(hosted, f"{ROUTES}/api/v1/events", query={"with": ["health,next"]}))["Body"]
    )
    assert first["kind"] == "snapshot"
    assert first["health"]
    assert first["next_pick"]
    await hosted.pick("1")
    query = {"after": [str(first["number"])], "epoch": [first["epoch"]]}
    news = json.loads((await asked(hosted, f"{ROUTES}/api/v1/events", query=query))["Body"])
    assert {change["kind"] for change in news["changes"]} >= {"decision", "binding"}


async def test_problems_are_told_as_everywhere(hosted):
    answer = await asked(hosted, f"{ROUTES}/api/v1/decision", query={"number": ["9"]})
    assert answer["StatusCode"] == 404
    assert answer["Headers"]["Content-Type"] == ["application/problem+json"]


async def test_settings_are_checked_here_and_written_there(hosted):
    answer = await asked(
        hosted, f"{ROUTES}/api/v1/settings/check", "POST", body={"values": {"mode": "shadow"}}
    )
    assert json.loads(answer["Body"])["patch"] == {"mode": "shadow"}
    answer = await asked(hosted, f"{ROUTES}/api/v1/settings", "PATCH", body={"values": {"mode": "shadow"}})
    assert answer["StatusCode"] == 409


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/accounts",
        "/events",
        "/live",
        "/metrics",
        "/login",
        "/logout",
        "/healthz",
        "/static",
        "/static/",
        "/static/../api/v1/accounts",
        "/api/v1/events",
        "/ui/api/v1/accounts",
        "/",
        "//api/v1/accounts",
    ],
)
async def test_resources_are_files_and_never_data(hosted, path):
    """The host asks nobody for a key before it serves a resource."""
    answer = await asked(hosted, FILES + path, query={"token": [hosted.service.access.token]})
    assert answer["StatusCode"] in (404, 405)
    assert b"ann" not in answer["Body"]
    assert "Set-Cookie" not in answer["Headers"]


@pytest.mark.parametrize(
    "path",
    [
        f"{ROUTES}/login",
        f"{ROUTES}/static/x.js",
        f"{ROUTES}/",
        ROUTES,
        "",
        "/",
        "/v0/management/other",
        f"{ROUTES}/metrics",
    ],
)
async def test_nothing_else_is_behind_the_routes(hosted, path):
    assert (await asked(hosted, path))["StatusCode"] == 404


async def test_the_page_may_be_framed_by_the_panel_and_by_nobody_else(site):
    page = {"index.html": Asset("index.html", b"<!doctype html>", "text/html; charset=utf-8", '"x"')}
    desk = site.desk
    pages = HostPages(create_app(desk, Guard(site.service.access, desk, False, "c"), page))
    envelope = json.loads(await pages.handle(ManagementRequest("GET", f"{FILES}/ui")))
    headers = envelope["result"]["Headers"]
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"][0]
    assert headers["X-Frame-Options"] == ["SAMEORIGIN"]
    assert base64.b64decode(envelope["result"]["Body"]) == b"<!doctype html>"
    known = ManagementRequest("GET", f"{FILES}/ui", {"If-None-Match": ['"x"']})
    assert json.loads(await pages.handle(known))["result"]["StatusCode"] == 304


@pytest.mark.parametrize(("schema", "escaped"), [(3, True), (5, True), (6, False), (9, False)])
async def test_the_page_learns_whether_the_host_escapes(fleet, schema, escaped):
    register = json.dumps({"schema_version": schema, "config_yaml": ""})
    await fleet.house.calls.answer("plugin.register", register.encode())
    answer = await asked(fleet, f"{ROUTES}/api/v1/accounts")
    assert (answer["Headers"].get(ESCAPED) == ["1"]) == escaped


async def test_the_hosts_key_goes_no_further(hosted, caplog):
    seen = []
    pages = hosted.house.pages
    real = pages.web.entered_by("host")

    async def application(scope, receive, send):
        seen.extend(scope["headers"])
        await real(scope, receive, send)

    pages.web = type(
        "Watched", (), {"entered_by": lambda self, entrance: application, "desk": pages.web.desk}
    )()
    await asked(
        hosted,
        f"{ROUTES}/api/v1/health",
        headers={"X-Management-Key": ["k"], "Cookie": ["c"], "X-Odd": ["é\u4e00"]},
    )
    assert [name for name, _ in seen] == []
    assert "the-management-key" not in caplog.text


@pytest.mark.parametrize(
    "request_body",
    [
        b"{}",
        b'{"Method":"BREW","Path":"/v0/management/plugins/x/api/v1/health"}',
        b'{"Path":"/v0/management/plugins/x/api/v1/\\u0000"}',
        b'{"Path":"/v0/management/plugins/x/api/v1/health","Query":{"":[""],"a":null}}',
        b'{"Path":"/v0/management/plugins/x/api/v1/health","Headers":{"Content-Type":null,"If-None-Match":["\xc3\xa9"]}}',
        b'{"Method":"POST","Path":"/v0/management/plugins/x/api/v1/mode","Body":"bm8="}',
    ],
)
async def test_odd_calls_get_an_answer(hosted, request_body):
    envelope = json.loads(await hosted.house.calls.answer("management.handle", request_body))
    assert envelope["ok"]
    assert envelope["result"]["StatusCode"] >= 400 or b"health" in request_body
    assert decode_management(request_body) is not None
