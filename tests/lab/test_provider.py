"""The simulated providers: quota that drains and resets, told in words that our own readers understand."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qr.lab.faults import FAULTS, Faults
from qr.lab.plans import PLANS, UNIT
from qr.lab.provider import Provider
from qr.lab.subscription import Account
from qr.quota import claude, codex
from qr.quota.failures import read_failure
from qr.quota.windows import DAY, HOUR, remaining_percent

NOW = 1_788_739_200.0
READERS = {"claude": claude, "codex": codex}
MODELS = {"claude": "claude-sonnet-5", "codex": "gpt-5.3-codex"}
FAMILY_MODELS = {"claude": "claude-fable-5", "codex": "gpt-5.3-codex-spark"}

every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=lambda plan: f"{plan.provider}-{plan.name}")


def provider_of(plan, *, seed=1, faults="none", **more):
    return Provider([Account("a", plan, **more)], now=NOW, seed=seed, faults=faults)


def truth(provider, account="a"):
    return {name: meter.used_percent for name, meter in provider.subscriptions[account].meters.items()}


def meters(provider, account="a"):
    return provider.subscriptions[account].meters


def failure_of(answer, plan, model, now):
    return read_failure(
        provider=plan.provider,
        endpoint="inference",
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        model=model,
        observed_at=now,
    )


requests = st.lists(
    st.tuples(st.floats(0, 8 * HOUR), st.integers(0, int(UNIT)), st.sampled_from((MODELS, FAMILY_MODELS))),
    max_size=40,
)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(list(PLANS.values())), requests)
def test_used_and_remaining_are_always_100_and_every_token_is_counted(plan, asked):
    provider, now = provider_of(plan), NOW
    began = {name: meter.used for name, meter in meters(provider).items()}
    for wait, tokens, models in asked:
        now += wait
        answer = provider.serve("a", models[plan.provider], tokens, now)
        for name, meter in meters(provider).items():
            began[name] += answer.tokens if meter.limit.counts(models[plan.provider]) else 0
    for name, meter in meters(provider).items():
        assert meter.used_percent + remaining_percent(meter.used_percent) == 100.0
        overflown = [spell for spell in provider.subscriptions["a"].ledger if spell.window == name]
        if not any(spell.used_percent == 100.0 for spell in overflown):
            ended = sum(spell.used_percent for spell in overflown) / 100.0 * meter.capacity
            assert ended + meter.used == pytest.approx(began[name])


@every_plan
@settings(max_examples=15, deadline=None)
@given(used=st.floats(0, 99.4), tokens=st.integers(1, 1000))
def test_headers_say_the_truth(plan, used, tokens):
    """Within the rounding of the wire: two decimals of a fraction, or whole percents."""
    provider = provider_of(plan, used={limit.window: used for limit in plan.limits})
    before, model = truth(provider), FAMILY_MODELS[plan.provider]
    answer = provider.serve("a", model, tokens, NOW)
    seen = READERS[plan.provider].read_headers(answer.headers, status=200, observed_at=NOW)
    assert {reading.window for reading in seen.readings} == set(before)
    for reading in seen.readings:
        assert reading.used_percent == pytest.approx(before[reading.window], abs=1.0)
        assert reading.resets_at == pytest.approx(meters(provider)[reading.window].resets_at, abs=1.0)


@every_plan
@settings(max_examples=15, deadline=None)
@given(used=st.floats(0, 100))
def test_the_usage_endpoint_says_the_truth(plan, used):
    provider = provider_of(plan, used={limit.window: used for limit in plan.limits})
    body = json.loads(provider.usage("a", NOW).body)
    seen = READERS[plan.provider].read_usage(body, observed_at=NOW)
    assert seen.full
    assert {reading.window for reading in seen.readings} == set(truth(provider))
    for reading in seen.readings:
        assert reading.used_percent == pytest.approx(truth(provider)[reading.window], abs=1.0)


def test_a_claude_window_that_has_not_started_is_told_as_free_and_without_a_reset():
    provider = provider_of(PLANS["claude", "pro"])
    body = json.loads(provider.usage("a", NOW).body)
    (five_hour,) = [
        one for one in claude.read_usage(body, observed_at=NOW).readings if one.window == "five_hour"
    ]
    assert five_hour.unstarted
    assert five_hour.used_percent == 0


def test_a_codex_window_that_has_not_started_floats():
    provider = provider_of(PLANS["codex", "plus"])
    for now in (NOW, NOW + DAY):
        body = json.loads(provider.usage("a", now).body)
        (week,) = [one for one in codex.read_usage(body, observed_at=now).readings if one.window == "weekly"]
        assert week.resets_at == pytest.approx(now + 7 * DAY, abs=1)


def test_five_hours_begin_with_the_first_use_at_a_ten_minute_mark():
    provider = provider_of(PLANS["claude", "pro"])
    provider.serve("a", MODELS["claude"], 1000, NOW + 1234.0)
    assert meters(provider)["five_hour"].resets_at == NOW + 1200 + 5 * HOUR
    provider.usage("a", NOW + 1200 + 5 * HOUR)
    assert meters(provider)["five_hour"].resets_at is None
    assert truth(provider)["five_hour"] == 0


def test_a_week_of_claude_follows_its_calendar_and_one_of_codex_its_use():
    claude_account = provider_of(PLANS["claude", "pro"], resets_in={"weekly": DAY})
    claude_account.usage("a", NOW + 9 * DAY)
    assert meters(claude_account)["weekly"].resets_at == NOW + 15 * DAY
    codex_account = provider_of(PLANS["codex", "plus"], used={"weekly": 10}, resets_in={"weekly": DAY})
    codex_account.usage("a", NOW + 9 * DAY)
    assert meters(codex_account)["weekly"].resets_at is None


def test_what_is_left_at_a_reset_stands_in_the_ledger():
    provider = provider_of(PLANS["claude", "pro"], used={"weekly": 30}, resets_in={"weekly": DAY})
    provider.usage("a", NOW + DAY)
    (spell,) = [one for one in provider.subscriptions["a"].ledger if one.window == "weekly"]
    assert spell.remaining_percent == pytest.approx(70)
    assert not spell.early


@every_plan
def test_a_spent_window_refuses_and_the_refusal_names_it(plan):
    spent = plan.limits[0].window
    provider = provider_of(plan, used={spent: 100}, resets_in={spent: 2 * HOUR})
    answer = provider.serve("a", MODELS[plan.provider], 1000, NOW)
    assert (answer.status, answer.tokens, answer.cause) == (429, 0, "quota")
    failure = failure_of(answer, plan, MODELS[plan.provider], NOW)
    assert failure.cls == "quota_exhausted"
    assert failure.window == spent
    assert failure.until == pytest.approx(NOW + 2 * HOUR, abs=1)


@every_plan
def test_a_refusal_that_names_no_window_still_tells_until_when(plan):
    spent = plan.limits[0].window
    provider = provider_of(
        plan, used={spent: 100}, resets_in={spent: 2 * HOUR}, faults=Faults(unattributed=1.0)
    )
    answer = provider.serve("a", MODELS[plan.provider], 1000, NOW)
    failure = failure_of(answer, plan, MODELS[plan.provider], NOW)
    assert failure.cls == "quota_exhausted"
    assert failure.until == pytest.approx(NOW + 2 * HOUR, abs=1)


def test_a_spent_family_blocks_its_own_models_only():
    provider = provider_of(PLANS["claude", "pro"], used={"weekly:fable": 100})
    assert provider.serve("a", FAMILY_MODELS["claude"], 1, NOW).status == 429
    assert provider.serve("a", MODELS["claude"], 1, NOW).status == 200


def test_a_spent_main_window_blocks_a_family_too():
    provider = provider_of(PLANS["codex", "pro"], used={"weekly": 100})
    assert provider.serve("a", FAMILY_MODELS["codex"], 1, NOW).status == 429
    assert not provider.could_serve("a", FAMILY_MODELS["codex"], NOW)


@pytest.mark.parametrize(
    ("used", "status"), [(50, "allowed"), (74, "allowed"), (76, "allowed_warning"), (100, "rejected")]
)
def test_a_week_of_claude_warns_from_75_percent(used, status):
    provider = provider_of(PLANS["claude", "pro"], used={"weekly": used})
    answer = provider.serve("a", MODELS["claude"], 1, NOW)
    assert answer.headers["Anthropic-Ratelimit-Unified-7d-Status"] == status


@pytest.mark.parametrize("plan", [PLANS["claude", "pro"], PLANS["codex", "plus"]], ids=str)
@pytest.mark.parametrize(
    ("fault", "classes"),
    [
        ("throttled", {"rate_limited"}),
        ("overloaded", {"overloaded"}),
        ("broken", {"transient"}),
        ("expired", {"auth_refreshable"}),
    ],
)
def test_faults_mean_what_they_are(plan, fault, classes):
    provider = provider_of(plan, faults=Faults(**{fault: 1.0}))
    for second in range(5):
        answer = provider.serve("a", MODELS[plan.provider], 1000, NOW + second)
        assert failure_of(answer, plan, MODELS[plan.provider], NOW).cls in classes
        assert answer.tokens == 0


@pytest.mark.parametrize("plan", [PLANS["claude", "pro"], PLANS["codex", "plus"]], ids=str)
def test_a_revoked_login_refuses_everything_until_somebody_logs_in_again(plan):
    provider = provider_of(plan, faults=Faults(revoked=1000.0))
    known, now = provider.subscriptions["a"], NOW
    while known.login == "ok":
        now += 60
        answer = provider.serve("a", MODELS[plan.provider], 1, now)
    assert failure_of(answer, plan, MODELS[plan.provider], now).cls == "auth_permanent"
    assert provider.usage("a", now).status == 401
    provider.faults = known.faults = FAULTS["none"]
    assert provider.usage("a", now + 12 * HOUR).status == 200
    assert known.changed_at > now


def test_an_early_reset_empties_the_windows_and_wastes_nothing():
    provider = provider_of(PLANS["claude", "pro"], used={"weekly": 80}, faults=Faults(early_resets=50.0))
    provider.usage("a", NOW + DAY)
    assert truth(provider)["weekly"] == 0
    assert all(spell.early for spell in provider.subscriptions["a"].ledger if spell.window == "weekly")


def test_after_a_reset_the_old_use_may_stand_beside_the_new_reset():
    provider = provider_of(
        PLANS["claude", "pro"],
        used={"weekly": 95},
        resets_in={"weekly": HOUR},
        faults=Faults(mixtures=1.0),
    )
    answers = [provider.serve("a", MODELS["claude"], 1, NOW + HOUR + wait).headers for wait in (1.0, 61.0)]
    told = [headers["Anthropic-Ratelimit-Unified-7d-Utilization"] for headers in answers]
    assert told == ["0.95", "0.0"]
    assert {headers["Anthropic-Ratelimit-Unified-7d-Reset"] for headers in answers} == {
        f"{NOW + HOUR + 7 * DAY:.0f}"
    }


def test_a_drifting_calendar_moves_by_hours():
    provider = provider_of(PLANS["claude", "pro"], resets_in={"weekly": 5 * DAY}, faults=Faults(drifts=7.0))
    provider.usage("a", NOW + 4 * DAY)
    assert meters(provider)["weekly"].resets_at != NOW + 5 * DAY


def test_use_outside_the_proxy_drains_an_account_that_nobody_asks():
    provider = provider_of(PLANS["claude", "pro"], resets_in={"weekly": 7 * DAY}, faults=Faults(outside=0.5))
    provider.usage("a", NOW + 6 * DAY)
    assert 20 < truth(provider)["weekly"] < 80


def test_the_same_seed_gives_the_same_answers():
    def answers():
        provider = provider_of(PLANS["claude", "max_5x"], seed=3, faults="wild")
        return [provider.serve("a", MODELS["claude"], 20_000, NOW + 600 * step) for step in range(200)]

    assert answers() == answers()


def test_what_one_account_is_asked_disturbs_no_other():
    accounts = [Account(name, PLANS["claude", "pro"]) for name in "ab"]

    def answers(*, disturbed):
        provider = Provider(accounts, now=NOW, seed=3, faults="wild")
        for step in range(100):
            if disturbed:
                provider.usage("b", NOW + 600 * step)
            yield provider.serve("a", MODELS["claude"], 20_000, NOW + 600 * step)

    assert list(answers(disturbed=True)) == list(answers(disturbed=False))


@every_plan
def test_unreadable_polls_are_never_read_as_something_else(plan):
    """Whatever the endpoint comes up with, a reading is the truth or missing."""
    provider = provider_of(
        plan, used={limit.window: 40 for limit in plan.limits}, faults=Faults(unpollable=1.0)
    )
    for second in range(60):
        answer = provider.usage("a", NOW + second)
        try:
            body = json.loads(answer.body)
        except ValueError:
            continue
        seen = READERS[plan.provider].read_usage(body, observed_at=NOW + second)
        assert all(reading.used_percent in (None, pytest.approx(40, abs=1.0)) for reading in seen.readings)


def test_faster_windows_tell_their_real_length():
    """A demo's week passes in minutes, and is told as a week all the same."""
    provider = Provider([Account("a", PLANS["codex", "plus"])], now=NOW, speed=240.0)
    headers = provider.serve("a", MODELS["codex"], 1000, NOW).headers
    assert headers["X-Codex-Primary-Window-Minutes"] == "300"
    assert headers["X-Codex-Primary-Reset-After-Seconds"] == "75"
