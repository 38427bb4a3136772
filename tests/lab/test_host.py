"""The stand-in for the host: what it offers, whom it asks again, and what it reports."""

import json
from collections import Counter

import pytest
from attrs import evolve

from qr.abi.contract import NOT_HANDLED, chosen, decode_usage
from qr.lab.answers import Answer
from qr.lab.builtin import RoundRobin
from qr.lab.callbacks import Callbacks, token_of
from qr.lab.clients import CLIENTS
from qr.lab.cooldowns import CoolDowns
from qr.lab.faults import Faults
from qr.lab.host import Ask, Host, Pause, Reply, Tell
from qr.lab.plans import PLANS
from qr.lab.prompt_cache import LIFETIME, PromptCache
from qr.lab.provider import Provider
from qr.lab.subscription import Account
from qr.lab.traffic import Request
from qr.routing.question import understand
from qr.routing.request import decode_pick
from qr.upstream.host import HostCredentials

NOW = 1_788_739_200.0
SONNET = "claude-sonnet-5"


def accounts(*names, used=None, **more):
    return [
        Account(name, PLANS["claude", "pro"], f"{name}@example.com", used=(used or {}).get(name, {}), **more)
        for name in names
    ]


def host_of(*known, faults="none", **more):
    return Host(Provider(known, now=NOW, seed=1, faults=faults), 1, **more)


def request(at=NOW, model=SONNET):
    return Request(at, "claude", model, CLIENTS[0].main(1), 10_000, 1_000)


class Driver:
    """Drives one request, and remembers what the host did."""

    def __init__(self, answer=lambda _: NOT_HANDLED):
        self.now = NOW
        self.picks = []
        self.records = []
        self._answer = answer

    def serve(self, host, asked=None):
        serving = host.serve(asked or request())
        try:
            step = next(serving)
            while True:
                answer = self._do(step)
                step = serving.send(Reply(self.now, answer))
        except StopIteration as end:
            return end.value

    def _do(self, step):
        match step:
            case Pause(seconds):
                self.now += seconds
            case Tell(body=body):
                self.records.append(decode_usage(body))
            case Ask(body=body):
                self.picks.append(decode_pick(body))
                return self._answer(self.picks[-1])
        return b""


def offered(pick):
    return [candidate.id for candidate in pick.candidates]


def test_a_pick_asks_what_the_contract_says():
    driver = Driver()
    driver.serve(host_of(*accounts("b", "a")))
    (pick,) = driver.picks
    question = understand(pick)
    assert offered(pick) == ["a", "b"]
    assert question.providers == ("claude",)
    assert question.session is not None


def test_the_plugin_s_choice_is_used():
    outcome = Driver(lambda _: chosen("b")).serve(host_of(*accounts("a", "b")))
    assert [(one.account, one.handled) for one in outcome.attempts] == [("b", True)]


def test_a_choice_that_was_not_offered_is_the_host_s_own():
    outcome = Driver(lambda _: chosen("c")).serve(host_of(*accounts("a", "b")))
    assert not outcome.attempts[0].handled


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'{"ok":false,"error":{"code":"x"}}', b'{"ok":true,"result":{"AuthID":7}}'],
)
def test_an_answer_that_is_none_fails_the_request(answer):
    outcome = Driver(lambda _: answer).serve(host_of(*accounts("a")))
    assert outcome.fault is not None
    assert outcome.served is None


def test_a_refused_request_is_tried_elsewhere_and_the_refusing_account_cools_down():
    host = host_of(*accounts("a", "b", used={"a": {"five_hour": 100}}))
    driver = Driver()
    outcome = driver.serve(host)
    assert [one.account for one in outcome.attempts] == ["a", "b"]
    assert [offered(pick) for pick in driver.picks] == [["a", "b"], ["b"]]
    driver.serve(host, request(driver.now))
    assert offered(driver.picks[-1]) == ["b"]


def test_with_everybody_spent_the_request_ends_unserved():
    spent = {"a": {"five_hour": 100}, "b": {"five_hour": 100}}
    outcome = Driver().serve(host_of(*accounts("a", "b", used=spent)))
    assert outcome.served is None
    assert len(outcome.attempts) == 2


def test_a_short_cool_down_is_waited_for_once():
    host = host_of(*accounts("a"), faults=Faults(throttled=1.0))
    outcome = Driver().serve(host)
    assert [one.answer.status for one in outcome.attempts] == [429, 429]


def test_a_record_says_what_the_attempt_was():
    driver = Driver()
    outcome = driver.serve(host_of(*accounts("a")))
    (record,) = driver.records
    assert (record.provider, record.auth_id, record.failed, record.status) == ("claude", "a", False, 0)
    assert record.started_at == pytest.approx(NOW)
    assert record.session_id == outcome.request.names.session
    assert record.headers()["Anthropic-Ratelimit-Unified-Status"] == ["allowed"]


def test_an_attempt_without_an_answer_carries_the_headers_of_the_one_before():
    """As real hosts do: the router must not believe them."""
    host = host_of(*accounts("a", "b", used={"a": {"five_hour": 100}}))
    driver, broken = Driver(), Answer(0, cause="broken")
    serve = host.provider.serve
    host.provider.serve = lambda account, *more: serve(account, *more) if account == "a" else broken
    driver.serve(host)
    first, second = driver.records[:2]
    assert (second.auth_id, second.failed, second.status) == ("b", True, 0)
    assert second.headers() == first.headers()


def test_records_are_lost_doubled_and_late_as_often_as_told():
    host, driver = host_of(*accounts("a"), faults=Faults(lost_records=0.2)), Driver()
    for step in range(300):
        driver.serve(host, request(NOW + step))
    assert set(host.counts) == {"lost", "doubled", "late", "delivered"}
    assert len(driver.records) == 300 - host.counts["lost"] + host.counts["doubled"]
    assert all(40 < host.counts[fate] < 80 for fate in ("lost", "doubled", "late"))


def test_the_host_alone_goes_round_within_the_highest_tier():
    low, high = accounts("a"), accounts("b", "c", priority=5)
    host = host_of(*low, *high)
    served = [Driver().serve(host).served.account for _ in range(4)]
    assert served == ["b", "c", "b", "c"]


def test_round_robin_knows_no_tiers():
    host = host_of(*accounts("a"), *accounts("b", priority=5), builtin=RoundRobin(tiers=False))
    assert Counter(Driver().serve(host).served.account for _ in range(4)) == {"a": 2, "b": 2}


def test_a_prompt_is_cheap_where_it_was_sent_lately():
    cache = PromptCache()
    cold = cache.cost("a", "t", 10_000, 500, NOW)
    cache.keep("a", "t", NOW)
    warm = cache.cost("a", "t", 10_000, 500, NOW + 1)
    assert (cold, warm) == (13_000, 1_500)
    assert cache.cost("b", "t", 10_000, 500, NOW + 1) == cold
    assert cache.cost("a", "t", 10_000, 500, NOW + LIFETIME) == cold


@pytest.mark.parametrize(
    ("status", "resets_in", "seconds"),
    [(429, None, 1), (429, 7200.0, 7200), (401, None, 1800), (503, None, 60), (0, None, 0), (400, None, 0)],
)
def test_cool_downs_last_as_the_answer_says(status, resets_in, seconds):
    known = CoolDowns()
    known.note("a", SONNET, Answer(status), resets_in, NOW)
    assert known.cooling("a", SONNET, NOW) == (seconds > 0)
    assert not known.cooling("a", SONNET, NOW + seconds)
    assert not known.cooling("a", "claude-opus-5", NOW)


def test_refusals_without_a_date_double_the_cool_down_and_success_ends_it():
    known = CoolDowns()
    for _ in range(3):
        known.note("a", SONNET, Answer(429), None, NOW)
    assert known.end("a") == NOW + 4
    known.note("a", SONNET, Answer(200), None, NOW)
    assert not known.cooling("a", SONNET, NOW)


async def test_the_callbacks_list_accounts_and_hand_out_credentials():
    host = host_of(*accounts("a", "b"))
    callbacks = Callbacks(host, lambda: NOW)

    async def call(method, body):
        return callbacks.call(method, body)

    source = HostCredentials(call)
    entries = await source.list()
    assert [entry.id for entry in entries] == ["a", "b"]
    credential = await source.fetch(entries[0])
    assert credential.access_token == token_of(host.provider.subscriptions["a"])


def test_a_callback_can_end_a_cool_down():
    host = host_of(*accounts("a"))
    host.cooldowns.note("a", SONNET, Answer(429), 7200.0, NOW)
    callbacks = Callbacks(host, lambda: NOW)
    (file,) = json.loads(callbacks.call("host.auth.list", b"{}"))["result"]["files"]
    assert file["next_retry_after"].startswith("2026-09-07T02:00:00")
    body = json.dumps({"auth_index": file["auth_index"]}).encode()
    assert json.loads(callbacks.call("host.routing.reset_cooldown", body))["result"]["models"] == [SONNET]
    assert not host.cooldowns.cooling("a", SONNET, NOW)


@pytest.mark.parametrize("method", ["host.auth.get", "host.routing.reset_cooldown", "host.unheard.of"])
def test_a_callback_that_cannot_be_answered_is_refused(method):
    answer = json.loads(Callbacks(host_of(*accounts("a")), lambda: NOW).call(method, b'{"auth_index":"x"}'))
    assert not answer["ok"]


def test_an_account_without_an_answer_is_not_the_end():
    """A broken connection is tried elsewhere, too."""
    host = host_of(*accounts("a", "b"), faults=evolve(Faults(), broken=1.0))
    assert len(Driver().serve(host).attempts) >= 2
