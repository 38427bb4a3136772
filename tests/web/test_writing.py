"""Actions: each does what it says, says what it did, and can be taken back where that makes sense."""

import pytest
import trio

from qr.actors.account_state import Entry
from qr.actors.messages import Refresh
from qr.upstream.results import PollResult
from tests.web.site import ANN, BOB, running


async def undo(site, action):
    """Send what the action says that takes it back."""
    undone = action["undo"]
    return await site.post(undone["path"], undone["body"], method=undone["method"])


async def test_an_account_is_paused_and_resumed(fleet):
    action = await fleet.post("/accounts/pause", {"account": ANN})
    assert action["changed"]
    assert action["done"] == "ann is paused: it gets no request until it is resumed."
    assert fleet.house.supervisor.fleet.get(ANN).paused
    assert (await fleet.pick("1")).account == BOB
    again = await fleet.post("/accounts/pause", {"account": ANN})
    assert (again["changed"], again["undo"]) == (False, None)
    await undo(fleet, action)
    assert not fleet.house.supervisor.fleet.get(ANN).paused


async def test_nobody_can_be_paused_who_is_not_there(fleet):
    problem = await fleet.post("/accounts/pause", {"account": "nobody"}, status=404)
    assert problem["type"].endswith(":unknown_account")


async def test_a_session_is_unbound_and_bound_again_as_it_was(fleet):
    await fleet.pick("1")
    before = (await fleet.get("/sessions"))["sessions"]
    action = await fleet.post("/sessions/unbind", {"provider": "claude", "key": "1" * 64})
    assert (await fleet.get("/sessions"))["total"] == 0
    await undo(fleet, action)
    assert (await fleet.get("/sessions"))["sessions"] == before


async def test_an_unbinding_is_not_taken_back_over_a_newer_binding(fleet):
    await fleet.pick("1")
    action = await fleet.post("/sessions/unbind", {"provider": "claude", "key": "1" * 64})
    await fleet.pick("1", names=(BOB,))
    problem = await fleet.post("/sessions/restore", action["undo"]["body"], status=409)
    assert problem["type"].endswith(":session_bound_anew")
    assert fleet.house.supervisor.sessions.bound.get("claude", "1" * 64).account == BOB


async def test_shadow_unbinds_its_own(fleet):
    await fleet.pick("1")
    await fleet.rule(mode="shadow")
    await fleet.pick("1")
    await fleet.post("/sessions/unbind", {"provider": "claude", "key": "1" * 64})
    assert fleet.house.supervisor.sessions.bound.get("claude", "1" * 64) is not None


@pytest.mark.parametrize(
    "body",
    [
        {"provider": "claude", "key": "1" * 63},
        {"provider": "claude", "key": "G" * 64},
        {"provider": "gemini", "key": "1" * 64},
        {"key": "1" * 64},
    ],
)
async def test_what_cannot_be_a_session_is_refused(fleet, body):
    await fleet.post("/sessions/unbind", body, status=400)


async def test_a_session_that_is_not_bound_is_a_problem(fleet):
    await fleet.post("/sessions/unbind", {"provider": "claude", "key": "1" * 64}, status=404)


async def test_a_restored_binding_cannot_come_from_the_future(fleet):
    body = {
        "provider": "claude",
        "key": "2" * 64,
        "account": ANN,
        "bound_at": 1e300,
        "used_at": 1e300,
        "stand_in": "nobody",
    }
    await fleet.post("/sessions/restore", body)
    binding = fleet.house.supervisor.sessions.bound.get("claude", "2" * 64)
    assert binding.used_at <= fleet.house.clock.now()
    assert binding.stand_in is None


async def test_the_mode_is_set_and_set_back(fleet):
    action = await fleet.post("/mode", {"mode": "shadow"})
    assert fleet.house.current.settings.rules.mode == "shadow"
    assert action["done"] == "In force now: mode is shadow."
    assert action["lasts"] == "until_restart"
    await fleet.settled()
    assert (await fleet.pick("1")).reason == "shadow"
    await undo(fleet, action)
    assert fleet.house.current.settings.rules.mode == "active"


async def test_a_mode_that_is_none_is_refused_with_the_reason(fleet):
    problem = await fleet.post("/mode", {"mode": "on"}, status=422)
    assert problem["errors"] == [{"key": "mode", "message": 'expected one of active, shadow, off, got "on"'}]


async def test_the_policy_is_set(fleet):
    await fleet.post("/policy", {"policy": "balanced"})
    assert (await fleet.pick("1")).reason == "policy:balanced"


async def test_a_manual_priority_decides_and_goes_back(fleet):
    action = await fleet.post("/accounts/priority", {"account": BOB, "priority": 5})
    assert (await fleet.get(f"/accounts?id={BOB}"))["accounts"][0]["manual_priority"] == 5
    assert (await fleet.pick("1")).account == BOB
    await undo(fleet, action)
    assert fleet.house.current.settings.rules.manual_priority == {}
    await fleet.post("/accounts/priority", {"account": BOB, "priority": 10**9}, status=400)


async def test_nothing_different_changes_nothing(fleet):
    generation = fleet.house.current.generation
    action = await fleet.post("/mode", {"mode": "active"})
    assert (action["changed"], action["undo"]) == (False, None)
    assert fleet.house.current.generation == generation


async def test_a_refresh_polls_and_says_when_the_next_is_possible(tmp_path):
    asked = trio.Event()

    async def ask(entry):
        asked.set()
        await trio.sleep_forever()

    async with running(tmp_path, ask=ask) as site:
        await site.list(Entry("polled.json", "claude", "ann", auth_index="7"))
        action = await site.post("/accounts/refresh", {"account": "polled.json"})
        assert action["done"].startswith("ann is being polled")
        assert action["possible_at"] > site.house.clock.now()
        await asked.wait()


async def test_an_account_that_is_not_polled_says_why(site):
    await site.list(Entry("key.json", "claude", "ann", listed=False))
    problem = await site.post("/accounts/refresh", {"account": "key.json"}, status=501)
    assert problem["detail"].startswith("ann is not polled: ")
    account = (await site.get("/accounts"))["accounts"][0]
    assert (account["polling"]["polled"], bool(account["polling"]["why_not"])) == (False, True)


async def test_a_refresh_too_soon_says_when(tmp_path):
    async def ask(_):
        return PollResult(None, error="no answer")

    async with running(tmp_path, ask=ask) as site:
        await site.list(Entry("polled.json", "claude", "ann", auth_index="7"))
        await site.post("/accounts/refresh", {"account": "polled.json"})
        await site.settled()
        (account,) = (await site.get("/accounts"))["accounts"]
        assert account["polling"]["last_error"] == "no answer"
        answer = await site.client.post("/api/v1/accounts/refresh", json={"account": "polled.json"})
        assert answer.status_code == 429
        assert answer.json()["possible_at"] == account["polling"]["refresh_possible_at"]
        assert 1 <= int(answer.headers["Retry-After"]) <= 30


async def test_when_the_supervisor_does_not_get_to_it_the_answer_says_so(fleet):
    while fleet.house.door.tell(Refresh("nobody")):
        pass
    answer = await fleet.client.post("/api/v1/accounts/pause", json={"account": ANN})
    assert answer.status_code in (200, 503)
    if answer.status_code == 503:
        assert answer.headers["Retry-After"]
