"""Settings over the API: checked as a whole, in force at once, and the host's where a host is."""

import pytest

from tests.web.site import ANN, running


async def test_every_key_tells_what_it_is(site):
    answer = await site.get("/settings")
    by_key = {setting["key"]: setting for setting in answer["settings"]}
    assert by_key["mode"]["choices"] == ["active", "shadow", "off"]
    assert by_key["max_age"] | {"text": ""} == {
        "key": "max_age",
        "type": "number",
        "range": "30 to 2592000",
        "choices": [],
        "unit": "seconds",
        "default": 900,
        "value": 900,
        "changed": False,
        "text": "",
        "restart": False,
        "secret": False,
        "environment": "",
    }
    assert by_key["listen"]["restart"]
    assert by_key["failover_max"]["value"] == "off"
    assert all(setting["text"] for setting in by_key.values())
    assert (answer["owner"], answer["writable"]) == ("service", True)


async def test_secrets_are_not_shown(tmp_path):
    secret = "a-token-of-my-own-making"
    proxy = "http://ann:geheim@proxy.example:3128"
    async with running(tmp_path, token=secret, proxy_url=proxy) as site:
        text = (await site.client.get("/api/v1/settings")).text
    assert secret not in text
    assert "geheim" not in text


async def test_a_change_is_in_force_at_once_and_is_counted(site):
    before = (await site.get("/settings"))["generation"]
    action = await site.post("/settings", {"values": {"max_age": 600, "failover_max": 60}}, method="PATCH")
    assert [change["key"] for change in action["changes"]] == ["failover_max", "max_age"]
    assert site.house.current.settings.rules.max_age == 600
    await site.settled()
    assert site.house.supervisor.fleet.rules.max_age == 600
    assert (await site.get("/settings"))["generation"] == before + 1
    await site.post(action["undo"]["path"], action["undo"]["body"], method="PATCH")
    assert site.house.current.settings.rules.failover_max is None


async def test_everything_that_is_wrong_is_named_and_nothing_changes(site):
    values = {"max_age": 1, "nonsense": 2, "mode": "on", "policy": "balanced", "manual_priority": {"a": "x"}}
    problem = await site.post("/settings", {"values": values}, status=422, method="PATCH")
    assert {error["key"] for error in problem["errors"]} == {
        "max_age",
        "nonsense",
        "mode",
        "manual_priority.a",
    }
    assert site.house.current.settings.rules.policy == "reset_first"


async def test_null_takes_a_key_back_to_what_the_service_was_started_with(tmp_path):
    async with running(tmp_path, max_passive_skips=3) as site:
        await site.post("/settings", {"values": {"max_passive_skips": 9}}, method="PATCH")
        await site.post("/settings", {"values": {"max_passive_skips": None}}, method="PATCH")
        assert site.house.current.settings.max_passive_skips == 3
        problem = await site.post("/settings", {"values": {"nonsense": None}}, status=422, method="PATCH")
        assert problem["errors"][0]["key"] == "nonsense"


async def test_a_put_takes_back_what_it_does_not_name(site):
    await site.post("/settings", {"values": {"max_age": 600, "policy": "balanced"}}, method="PATCH")
    await site.post("/settings", {"values": {"policy": "balanced"}}, method="PUT")
    rules = site.house.current.settings.rules
    assert (rules.max_age, rules.policy) == (900, "balanced")


@pytest.mark.parametrize("key", ["listen", "token", "state_dir", "socket"])
async def test_what_only_a_start_can_change_is_refused_here(site, key, tmp_path):
    value = {"listen": "127.0.0.1:9", "token": "a-token-of-my-own-making"}.get(key, str(tmp_path / "x"))
    problem = await site.post("/settings", {"values": {key: value}}, status=422, method="PATCH")
    assert problem["errors"][0]["key"] in (key, "socket")
    assert "start" in problem["errors"][0]["message"]


async def test_a_hidden_secret_that_a_form_sends_back_stays_as_it_is(tmp_path):
    proxy = "http://ann:geheim@proxy.example:3128"
    async with running(tmp_path, proxy_url=proxy) as site:
        shown = {one["key"]: one["value"] for one in (await site.get("/settings"))["settings"]}
        values = {"proxy_url": shown["proxy_url"], "max_age": 600}
        await site.post("/settings", {"values": values}, method="PATCH")
        assert site.house.current.settings.proxy_url == proxy
        await site.post("/settings", {"values": values}, method="PUT")
        assert site.house.current.settings.proxy_url == proxy


async def test_what_the_environment_sets_is_not_changed_behind_its_back(site, monkeypatch):
    monkeypatch.setenv("QUOTA_ROUTER_TOKEN", "a-token-of-my-own-making")
    problem = await site.post(
        "/settings", {"values": {"token": "another-token-of-mine"}}, status=422, method="PATCH"
    )
    assert "QUOTA_ROUTER_TOKEN" in str(problem["errors"])


async def test_a_check_changes_nothing_and_tells_what_would_change(site):
    answer = await site.post("/settings/check", {"values": {"max_age": 600, "policy": "reset_first"}})
    assert (answer["valid"], answer["patch"]) == (True, {"max_age": 600})
    assert answer["changes"] == [{"key": "max_age", "old": 900, "new": 600, "restart": False}]
    answer = await site.post("/settings/check", {"values": {"max_age": "x"}})
    assert (answer["valid"], [error["key"] for error in answer["errors"]]) == (False, ["max_age"])
    assert site.house.current.settings.rules.max_age == 900


@pytest.mark.parametrize(
    "values", [{"manual_priority": {"a" * 200_000: 1}}, {"x" * 100_000: 1}, {str(n): n for n in range(5000)}]
)
async def test_a_monstrous_request_gets_a_readable_answer(site, values):
    answer = await site.client.patch("/api/v1/settings", json={"values": values})
    assert answer.status_code in (200, 422)
    assert len(answer.json().get("errors", [])) <= 50


@pytest.mark.parametrize(
    "values",
    [
        {"manual_priority": [[[[[]]]]]},
        {"mode": {"a": {"b": 1}}},
        {"max_age": 10**400},
        {"max_age": True},
        {"policy": None},
    ],
)
async def test_odd_values_are_refused_or_harmless(site, values):
    answer = await site.client.patch("/api/v1/settings", json={"values": values})
    assert answer.status_code in (200, 400, 422)


class TestHost:
    """A host has registered: its configuration is the source of the settings."""

    @pytest.fixture
    async def hosted(self, fleet):
        await fleet.house.calls.answer(
            "plugin.register", b'{"schema_version":6,"config_yaml":"bW9kZTogYWN0aXZlCg=="}'
        )
        return fleet

    async def test_the_page_is_told_whose_they_are(self, hosted):
        answer = await hosted.get("/settings")
        assert (answer["owner"], answer["writable"], answer["lasts"]) == ("host", False, "until_host_reload")

    @pytest.mark.parametrize(
        ("path", "body", "method"),
        [
            ("/settings", {"values": {"max_age": 600}}, "PATCH"),
            ("/settings", {"values": {"max_age": 600}}, "PUT"),
            ("/mode", {"mode": "shadow"}, "POST"),
            ("/policy", {"policy": "balanced"}, "POST"),
            ("/accounts/priority", {"account": ANN, "priority": 1}, "POST"),
        ],
    )
    async def test_they_are_not_changed_behind_its_back(self, hosted, path, body, method):
        problem = await hosted.post(path, body, status=409, method=method)
        assert problem["type"].endswith(":settings_belong_to_host")
        assert hosted.house.current.generation == 0
        action = await hosted.post(path, body | {"temporary": True}, method=method)
        assert action["lasts"] == "until_host_reload"
        assert action["undo"]["body"]["temporary"]

    async def test_what_is_temporary_ends_when_the_host_loads_its_own(self, hosted):
        await hosted.post("/mode", {"mode": "off", "temporary": True})
        await hosted.house.calls.answer(
            "plugin.reconfigure", b'{"schema_version":6,"config_yaml":"bW9kZTogYWN0aXZlCg=="}'
        )
        assert hosted.house.current.settings.rules.mode == "active"

    async def test_checking_still_helps(self, hosted):
        answer = await hosted.post("/settings/check", {"values": {"mode": "shadow"}})
        assert answer["patch"] == {"mode": "shadow"}

    async def test_settings_of_the_host_that_are_refused_are_shown(self, hosted):
        await hosted.house.calls.answer(
            "plugin.reconfigure", b'{"schema_version":6,"config_yaml":"bW9kZTogb24K"}'
        )
        answer = await hosted.get("/events")
        assert "mode" in answer["settings"]["problems"][0]
        assert "settings_refused" in {
            note["name"] for note in (await hosted.get("/health"))["status"]["notes"]
        }
