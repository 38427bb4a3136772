"""
The supervisor and its accounts: picks, deaths, restarts.

Each test names `autojump_clock` itself: the test runner looks for a clock among a test's own arguments only.
"""

import pytest
import trio
from attrs import evolve

from qr.actors.door import CAPACITY
from qr.actors.messages import Pause, Step, Unbind
from qr.actors.reports import Attempt, read_attempt
from qr.routing.request import Attributes, Candidate
from qr.routing.reservations import FIRST_GUESS
from tests.actors.house import DAY, HOUR, NOW, claude_headers, living


@pytest.fixture
async def house(tmp_path, autojump_clock):
    async with living(tmp_path) as house:
        yield house


async def test_a_pick_is_decided_on_what_was_reported(house, autojump_clock):
    assert (await house.pick("a", "b")).reason == "no_trusted_quota"
    await house.seen("a", week_resets=2 * DAY)
    await house.seen("b", week_resets=DAY)
    decision = await house.pick("a", "b")
    assert (decision.account, decision.reason) == ("b", "policy:reset_first")


async def test_a_session_stays_fails_over_and_comes_home(house, autojump_clock):
    await house.seen("a", week_resets=DAY)
    await house.seen("b", week_resets=2 * DAY)
    assert (await house.pick("a", "b")).account == "a"
    await house.seen("a", five=100.0, five_status="rejected", week_resets=DAY)
    away = await house.pick("a", "b")
    assert (away.account, away.reason) == ("b", "failover:exhausted")
    await house.seen("a", five=1.0, week_resets=DAY)
    home = await house.pick("a", "b")
    assert (home.account, home.reason, home.change) == ("a", "affinity", "home")


async def test_a_429_that_names_no_window_does_not_exhaust(house, autojump_clock):
    await house.seen("a")
    await house.report(
        "a", failed=True, status=429, body='{"error":{"type":"rate_limit_error","message":"Error"}}'
    )
    assert house.view("a").windows["five_hour"].exhausted_until is None
    assert house.view("a").last_error == "rate_limited"


async def test_a_codex_refusal_that_names_no_window_is_attributed_by_its_reset(house, autojump_clock):
    until = int(house.clock.now() + 40 * HOUR)
    body = f'{{"error":{{"type":"usage_limit_reached","resets_at":{until}}}}}'
    await house.list("x", provider="codex")
    now = house.clock.now()
    attempt = Attempt("x", "codex", "gpt-5", None, now - 1, now, True, 429)
    house.house.door.tell(read_attempt(attempt, {}, body))
    await house.settled()
    assert house.view("x").windows["weekly"].exhausted_until == until


async def test_failures_open_the_circuit_and_one_trial_closes_it(house, autojump_clock):
    await house.seen("a", week_resets=DAY)
    await house.seen("b")
    await house.pick("a", "b")
    for _ in range(5):
        await house.report("a", failed=True, status=503, started=-0.5)
    assert (await house.pick("a", "b")).reason == "failover:circuit_open"
    await trio.sleep(31)
    trial = await house.pick("a", "b")
    assert (trial.account, trial.reason) == ("a", "affinity")
    assert (await house.pick("a", "b")).reason == "failover:circuit_open"
    await house.settled()
    assert house.view("a").trial_until is not None
    await house.report("a", started=-0.0)
    assert (await house.pick("a", "b")).account == "a"
    assert house.view("a").circuit == "closed"


async def test_a_dead_login_is_left_for_good_until_the_credential_changes(house, autojump_clock):
    await house.list("a", "b")
    await house.seen("a", week_resets=DAY)
    await house.seen("b")
    await house.pick("a", "b")
    body = '{"error":{"type":"permission_error","message":"OAuth token has been revoked."}}'
    await house.report("a", failed=True, status=403, body=body)
    assert (await house.pick("a", "b")).reason == "rebind:auth_failed"
    await house.list("a", "b", changed_at=house.clock.now() + 1)
    assert house.view("a").login == "ok"


async def test_a_request_fault_is_nothing_to_the_account(house, autojump_clock):
    await house.seen("a")
    before = house.view("a")
    await house.report("a", failed=True, status=400, body='{"error":{"type":"invalid_request_error"}}')
    assert house.view("a").last_error is None
    assert house.view("a").circuit == before.circuit


async def test_headers_of_a_failure_without_a_status_are_not_believed(house, autojump_clock):
    headers = claude_headers(house.clock.now(), 99.0, 99.0)
    await house.report("a", headers=headers, failed=True, status=0)
    await house.list("a")
    await house.report("a", headers=headers, failed=True, status=0)
    assert house.view("a").windows == {}


async def test_a_burst_of_new_sessions_spreads_by_reservations(house, autojump_clock):
    await house.seen("a", week=60.0, week_resets=DAY)
    await house.seen("b", week=40.0, week_resets=2 * DAY)
    picks = [(await house.pick("a", "b", session=f"s{number}")).account for number in range(50)]
    # Two percent each, down to five percent left: first on the one that resets first, then on the other, and
    # once nobody has headroom as usual again.
    assert picks == ["a"] * 18 + ["b"] * 28 + ["a"] * 4


async def test_paused_accounts_are_left_and_come_back(house, autojump_clock):
    await house.seen("a", week_resets=DAY)
    await house.seen("b")
    await house.pick("a", "b")
    house.house.door.tell(Pause("a", on=True))
    await house.settled()
    assert (await house.pick("a", "b")).reason == "failover:paused"
    house.house.door.tell(Pause("a", on=False))
    await house.settled()
    assert (await house.pick("a", "b")).reason == "affinity"


async def test_an_account_that_the_host_deleted_is_gone(house, autojump_clock):
    await house.list("a", "b")
    await house.seen("a", week_resets=DAY)
    await house.seen("b")
    await house.pick("a", "b")
    await house.list("b")
    assert house.view("a") is None
    decision = await house.pick("b")
    assert (decision.account, decision.reason) == ("b", "rebind:removed")


async def test_one_that_comes_back_after_it_was_deleted_owes_nothing(house, autojump_clock):
    await house.list("a", "b")
    await house.seen("a", week_resets=DAY)
    await house.pick("a", "b")
    assert house.supervisor.fleet.reserved("a") == FIRST_GUESS
    await house.list("b")
    assert len(house.supervisor.sessions.reservations) == 0
    await house.list("a", "b")
    await house.seen("a", week_resets=DAY)
    await house.pick("a", "b", session="another")
    assert house.supervisor.fleet.reserved("a") == FIRST_GUESS


async def test_an_api_key_is_never_listed_and_stays_while_it_is_offered(house, autojump_clock):
    key = Candidate("claude:apikey:1", "claude", 0, Attributes("apikey"))
    await house.pick(key, "a")
    await house.list("a")
    assert house.view("claude:apikey:1") is not None
    await trio.sleep(DAY + 1)
    await house.list("a")
    assert house.view("claude:apikey:1") is None


async def test_unbind_forgets_a_binding_once(house, autojump_clock):
    await house.seen("a")
    await house.pick("a")
    for expected in (True, False):
        unbind = Unbind("claude", "s")
        house.house.door.tell(unbind)
        assert await unbind.reply.wait() is expected


async def test_shadow_has_bindings_of_its_own_and_drops_them_with_the_mode(house, autojump_clock):
    await house.seen("a", week_resets=DAY)
    await house.seen("b")
    await house.set(mode="shadow")
    decision = await house.pick("a", "b")
    assert (decision.account, decision.would.account) == (None, "a")
    assert house.house.journal.bindings == {}
    assert (await house.pick("a", "b")).would.reason == "affinity"
    await house.set(mode="active")
    assert (await house.pick("a", "b")).reason == "policy:reset_first"
    await house.set(mode="shadow")
    assert (await house.pick("a", "b", session="other")).would.reason == "policy:reset_first"


class TestDeath:
    async def test_a_killed_supervisor_comes_back_with_every_binding(self, house, autojump_clock):
        await house.seen("a", week_resets=DAY)
        await house.seen("b")
        for number in range(20):
            await house.pick("a", "b", session=f"s{number}")
        house.house.lives["supervisor"].kill()
        await house.settled()
        assert house.house.lives["supervisor"].restarts == 1
        for number in range(20):
            assert (await house.pick("a", "b", session=f"s{number}")).reason == "affinity"

    async def test_picks_that_wait_for_a_killed_supervisor_are_answered(self, house, autojump_clock):
        await house.seen("a")
        decisions = []

        async def ask():
            decisions.append(await house.pick("a"))

        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(ask)
            house.house.lives["supervisor"].kill()
        assert len(decisions) == 10
        assert (await house.pick("a")).account == "a"

    async def test_what_an_account_told_a_dying_supervisor_is_known_to_the_next(self, house, autojump_clock):
        await house.seen("a", week=55.0)
        house.supervisor._board.take = list  # it dies before it looks
        await house.seen("a", week=57.0)
        assert house.view("a").windows["weekly"].used_percent == 55.0
        house.house.lives["supervisor"].kill()
        await house.settled()
        assert house.view("a").windows["weekly"].used_percent == 57.0

    async def test_what_a_dying_supervisor_has_passed_on_is_taken_in(self, house, autojump_clock):
        """
        Else a step of the clock would be lost, and what was said before it would look fresher than it is.
        """
        await house.seen("a")
        await trio.sleep(600)
        house.supervisor.directory.rooms.get("a").life.kill()
        house.clock.step(-300)
        house.supervisor.handle(Step(-300))
        house.house.lives["supervisor"].kill()
        await house.settled()
        assert house.clock.now() - house.view("a").observed_at == pytest.approx(600)

    async def test_a_killed_account_comes_back_from_its_last_view(self, house, autojump_clock):
        await house.seen("a", week=55.0)
        room = house.supervisor.directory.rooms.get("a")
        room.life.kill()
        await house.settled()
        assert room.life.restarts == 1
        assert house.view("a").windows["weekly"].used_percent == 55.0
        await house.seen("a", week=56.0)
        assert house.view("a").windows["weekly"].used_percent == 56.0

    async def test_what_is_reported_between_two_lives_is_not_lost(self, house, autojump_clock):
        await house.seen("a", week=55.0)
        room = house.supervisor.directory.rooms.get("a")
        room.life.kill()
        await house.seen("a", week=57.0)
        assert house.view("a").windows["weekly"].used_percent == 57.0

    async def test_everything_may_die_at_once(self, house, autojump_clock):
        await house.seen("a")
        await house.pick("a")
        for life in house.house.lives.values():
            life.kill()
        await house.settled()
        assert (await house.pick("a")).reason == "affinity"


class TestOverload:
    async def test_a_full_mailbox_is_answered_not_queued(self, house, autojump_clock):
        while house.house.door.tell(Pause("nobody", on=True)):
            pass
        assert len(house.house.door.mailbox) == CAPACITY
        assert await house.pick("a") is None
        assert house.house.door.mailbox.refused == 2
        assert house.house.door.unanswered == 1

    async def test_without_a_supervisor_nobody_waits(self, house, autojump_clock):
        house.house.door.open = False
        began = trio.current_time()
        assert await house.pick("a") is None
        assert trio.current_time() == began


async def test_settings_reach_everyone_even_when_their_notice_is_lost(house, autojump_clock):
    await house.seen("a", week_resets=DAY, week=97.0)
    await house.seen("b")
    current = house.house.current
    current.take(
        evolve(current.settings, rules=evolve(current.settings.rules, new_session_min_remaining=1.0))
    )
    assert (await house.pick("a", "b")).account == "a"


async def test_a_clock_that_is_set_back_makes_nothing_fresher(house, autojump_clock):
    await house.seen("a")
    await trio.sleep(600)
    house.clock.step(-3600)
    await trio.sleep(6)
    age = house.clock.now() - house.view("a").observed_at
    assert 600 <= age < 620
    await trio.sleep(400)
    assert (await house.pick("a")).reason == "no_trusted_quota"


async def test_decisions_are_numbered_and_fed(house, autojump_clock):
    await house.seen("a")
    before = house.house.feed.number
    await house.pick("a")
    kinds = {change.kind for change in house.house.feed.since(before)}
    assert {"decision", "binding"} <= kinds
    newest = next(iter(house.house.decisions))
    assert house.house.decisions.get(newest.number) is newest
    assert house.house.decisions.last["s"] == newest.number


async def test_models_of_no_supported_provider_start_no_actors(house, autojump_clock):
    await house.pick(Candidate("g", "gemini"), provider="gemini")
    assert house.view("g") is None
    assert house.clock.now() >= NOW


async def test_a_session_that_was_idle_for_too_long_is_a_new_one(house, autojump_clock):
    ttl = house.house.current.settings.binding_ttl
    await house.seen("a")
    assert (await house.pick("a")).change == "bound"
    reasons = []
    for idle in (ttl - 60, ttl + 60):
        house.clock.step(idle)
        await house.seen("a")
        reasons.append((await house.pick("a")).reason)
    assert reasons == ["affinity", "policy:reset_first"]
