"""
The account actor looks after itself: when it polls, what stops it, how it recovers.

A scripted provider answers; time is virtual. Each test names `autojump_clock` itself.
"""

from contextlib import asynccontextmanager

import pytest
import trio

from qr.actors.account_state import Entry
from qr.actors.messages import Listing, Pause, Refresh
from qr.quota.failures import Failure
from qr.quota.readings import Observation, Reading
from qr.upstream.results import PollResult
from tests.actors.house import DAY, HOUR, living


class Provider:
    """Answers polls with what it was told last, and remembers when it was asked."""

    def __init__(self):
        self.asked = []
        self.clock = None
        self.answer = lambda _: self.windows()

    def windows(self, five=20.0, week=40.0, five_resets=None, week_resets=None, **more):
        now = self.clock.now()
        readings = (
            Reading("five_hour", five, five_resets or now + 3 * HOUR, **more),
            Reading("weekly", week, week_resets or now + 3 * DAY),
        )
        return PollResult(Observation(now, "usage", readings, full=True), status=200)

    def refusing(self, cls="rate_limited", retry_after=None, **more):
        return PollResult(failure=Failure(cls, **more), error=f"answered ({cls})", retry_after=retry_after)

    async def ask(self, entry):
        self.asked.append((self.clock.now(), entry.id))
        return self.answer(entry)

    def times(self, name="a"):
        return [at for at, account in self.asked if account == name]


@asynccontextmanager
async def polled(tmp_path, *names, **more):
    provider = Provider()
    async with living(tmp_path, ask=provider.ask) as house:
        provider.clock = house.clock
        await house.list(*names, **more)
        yield house, provider


async def test_a_fleet_is_asked_soon_and_not_at_once(tmp_path, autojump_clock):
    names = [f"a{number}" for number in range(20)]
    async with polled(tmp_path, *names) as (house, provider):
        await trio.sleep(11)
        assert sorted(account for _, account in provider.asked) == sorted(names)
        assert len({at for at, _ in provider.asked}) == 20


async def test_regular_polls_keep_their_place_on_the_clock(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(HOUR)
        places = {round(at % 300, 3) for at in provider.times()[2:]}
        assert len(places) == 1
        assert len(provider.times()) == 13


async def test_traffic_makes_regular_polls_unnecessary_but_not_for_ever(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(400)
        before = len(provider.times())
        for _ in range(36):
            await house.seen("a", five_resets=4 * HOUR)
            await trio.sleep(100)
        assert 1 <= len(provider.times()) - before <= 3


async def test_it_looks_before_and_after_a_reset(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        reset = house.clock.now() + 1000
        provider.answer = lambda _: provider.windows(five=95.0, five_resets=reset)
        await trio.sleep(990)
        provider.answer = lambda _: provider.windows(five=1.0, five_resets=reset + 5 * HOUR)
        await trio.sleep(100)
        assert any(reset - 31 <= at <= reset - 29 for at in provider.times())
        assert any(reset + 29 <= at <= reset + 31 for at in provider.times())
        assert house.view("a").windows["five_hour"].used_percent == 1.0


async def test_the_mixture_after_a_reset_is_confirmed_before_it_is_believed(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        reset = house.clock.now() + 1000
        provider.answer = lambda _: provider.windows(five=98.0, five_resets=reset)
        await trio.sleep(995)
        provider.answer = lambda _: provider.windows(five=98.0, five_resets=reset + 5 * HOUR)
        await trio.sleep(40)
        assert house.view("a").windows["five_hour"].resets_at == reset
        provider.answer = lambda _: provider.windows(five=2.0, five_resets=reset + 5 * HOUR)
        await trio.sleep(70)
        assert house.view("a").windows["five_hour"].used_percent == 2.0


async def test_errors_back_off_and_keep_what_was_known(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(20)
        provider.answer = lambda _: PollResult(error="the connection was refused")
        await trio.sleep(4 * HOUR)
        gaps = [late - early for early, late in zip(provider.times()[1:], provider.times()[2:], strict=False)]
        assert gaps[0] < 40
        assert all(gap <= 1801 for gap in gaps)
        assert gaps[-1] > 1400
        assert house.view("a").poll_error == "the connection was refused"
        assert house.view("a").windows["weekly"].used_percent == 40.0
        provider.answer = lambda _: provider.windows()
        await trio.sleep(1801)
        assert house.view("a").poll_error is None


@pytest.mark.parametrize(("retry_after", "waits"), [(600.0, 600), (None, 30), (0.0, 30), (1e9, 7200)])
async def test_retry_after_is_respected(tmp_path, autojump_clock, retry_after, waits):
    async with polled(tmp_path, "a") as (house, provider):
        provider.answer = lambda _: provider.refusing("transient", retry_after)
        await trio.sleep(10000)
        first, second, *_ = provider.times()
        assert waits <= second - first <= waits + 60


async def test_a_429_slows_down_the_whole_provider_and_no_other(tmp_path, autojump_clock):
    async with polled(tmp_path, "a", "b") as (house, provider):
        entries = [Entry("a", "claude"), Entry("b", "claude"), Entry("x", "codex")]
        house.house.door.tell(Listing(entries))
        await trio.sleep(400)
        provider.answer = lambda entry: provider.refusing() if entry.id == "a" else provider.windows()
        await trio.sleep(299)
        until = house.supervisor._brakes.of("claude").until
        assert house.supervisor._brakes.of("codex").hits == 0
        before = len(provider.asked)
        await trio.sleep(max(0.0, until - house.clock.now() - 0.1))
        assert not [name for _, name in provider.asked[before:] if name in "ab"]


async def test_a_refresh_by_hand_is_limited_and_says_when(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(60)
        before = len(provider.times())
        answers = []
        for _ in range(2):
            refresh = Refresh("a")
            house.house.door.tell(refresh)
            answers.append(await refresh.reply.wait())
            await house.settled()
        assert [answer.started for answer in answers] == [True, False]
        assert 29 <= answers[1].possible_at - house.clock.now() <= 30
        assert len(provider.times()) == before + 1


async def test_a_refresh_of_nobody_is_answered(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        refresh = Refresh("nobody")
        house.house.door.tell(refresh)
        assert await refresh.reply.wait() is None


class TestNotPolled:
    @pytest.mark.parametrize(
        "entry", [{"disabled": True}, {"has_base_url": True}, {"runtime_only": True}, {"api_key": True}]
    )
    async def test_never(self, tmp_path, autojump_clock, entry):
        async with polled(tmp_path, "a", **entry) as (house, provider):
            await trio.sleep(HOUR)
            assert provider.asked == []
            assert house.view("a").unpolled
            refresh = Refresh("a")
            house.house.door.tell(refresh)
            assert (await refresh.reply.wait()).refused == house.view("a").unpolled

    async def test_without_the_scope_and_routed_all_the_same(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            provider.answer = lambda _: provider.refusing("request_fault", scope_missing=True)
            await trio.sleep(HOUR)
            assert len(provider.times()) == 1
            await house.seen("a")
            assert (await house.pick("a")).account == "a"
            await house.list("a", changed_at=house.clock.now())
            await trio.sleep(60)
            assert len(provider.times()) == 2

    async def test_a_dead_login_until_the_credential_changes(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            provider.answer = lambda _: provider.refusing("auth_permanent")
            await trio.sleep(5 * HOUR)
            assert len(provider.times()) == 1
            assert house.view("a").login == "dead"
            provider.answer = lambda _: provider.windows()
            await house.list("a", changed_at=house.clock.now())
            await trio.sleep(60)
            assert house.view("a").login == "ok"
            assert house.view("a").unpolled is None


class TestRecovery:
    async def test_an_account_wrongly_thought_dead_lives_again_by_a_poll(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            await trio.sleep(60)
            body = '{"error":{"message":"OAuth token has been revoked."}}'
            await house.report("a", failed=True, status=403, body=body)
            assert house.view("a").login == "dead"
            await trio.sleep(301)
            assert house.view("a").login == "ok"

    async def test_a_window_that_came_back_early(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            await trio.sleep(20)
            await house.seen("a", five=100.0, five_status="rejected", five_resets=4 * HOUR)
            assert (await house.pick("a")).reason == "no_trusted_quota"
            await trio.sleep(301)
            assert (await house.pick("a")).account == "a"

    async def test_a_paused_account_is_still_watched(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            house.house.door.tell(Pause("a", on=True))
            await trio.sleep(HOUR)
            assert len(provider.times()) > 10

    async def test_a_killed_actor_polls_on(self, tmp_path, autojump_clock):
        async with polled(tmp_path, "a") as (house, provider):
            await trio.sleep(400)
            house.supervisor.directory.rooms.get("a").life.kill()
            before = len(provider.times())
            await trio.sleep(900)
            assert 3 <= len(provider.times()) - before <= 4


async def test_a_clock_that_is_set_moves_the_schedule(tmp_path, autojump_clock):
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(400)
        house.clock.step(-2 * HOUR)
        before = len(provider.times())
        await trio.sleep(900)
        assert 3 <= len(provider.times()) - before <= 5
        house.clock.step(4 * HOUR)
        before = len(provider.times())
        await trio.sleep(900)
        assert 3 <= len(provider.times()) - before <= 6


async def test_after_a_small_step_the_next_poll_comes_at_its_time_of_the_clock(tmp_path, autojump_clock):
    """That time is the same, and an earlier moment."""
    async with polled(tmp_path, "a") as (house, provider):
        await trio.sleep(1000)
        await trio.sleep(house.view("a").next_poll_at - house.clock.now() + 1)
        due = house.view("a").next_poll_at
        house.clock.step(100)
        await trio.sleep(due - house.clock.now() + 1)
        assert provider.times()[-1] == pytest.approx(due, abs=1)
