"""What Prometheus scrapes: well-formed, bounded, without names of people."""

import re

from prometheus_client.parser import text_string_to_metric_families

from qr.actors.account_state import Entry
from qr.quota.readings import Reading
from tests.web.site import ANN, DAY


async def scraped(site):
    answer = await site.client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def values(family, label):
    return {sample.labels[label]: sample.value for sample in family.samples}


async def test_every_metric_has_our_name_a_help_and_a_unit_that_prometheus_knows(fleet):
    await fleet.pick("1")
    for family in (await scraped(fleet)).values():
        assert family.name.startswith("quota_router_")
        assert family.documentation
        assert re.fullmatch(r"[a-z_]+", family.name)
        assert not re.search(r"_(ms|minutes|hours|percentage)(_|$)", family.name)


async def test_picks_are_counted_by_reason(fleet):
    await fleet.pick("1")
    await fleet.pick("1")
    families = await scraped(fleet)
    picks = [sample for sample in families["quota_router_picks"].samples if sample.name.endswith("_total")]
    assert {sample.labels["reason"]: sample.value for sample in picks} == {
        "policy:reset_first": 1,
        "affinity": 1,
    }


async def test_windows_are_told_by_fingerprint(fleet):
    now = fleet.house.clock.now()
    await fleet.see(ANN, Reading("weekly:fable", 12.5, now + DAY))
    families = await scraped(fleet)
    used = families["quota_router_window_used_percent"].samples
    fable = [sample for sample in used if sample.labels["window"] == "weekly:fable"]
    assert [sample.value for sample in fable] == [12.5]
    assert re.fullmatch(r"[0-9a-f]{8}", fable[0].labels["account"])


async def test_nobodys_name_is_in_them(fleet):
    await fleet.pick("1", model="my-secret-model")
    text = (await fleet.client.get("/metrics")).text
    for secret in ("ann", "bob", "example.com", "secret", "1111"):
        assert secret not in text


async def test_the_number_of_series_follows_accounts_and_vocabulary_alone(fleet):
    before = sum(len(family.samples) for family in (await scraped(fleet)).values())
    for number in range(40):
        await fleet.pick(f"{number:064x}"[-1], model=f"model-{number}")
    after = sum(len(family.samples) for family in (await scraped(fleet)).values())
    assert after - before <= 4


async def test_states_of_accounts_are_gauges(fleet):
    await fleet.post("/accounts/pause", {"account": ANN})
    families = await scraped(fleet)
    assert sorted(values(families["quota_router_account_paused"], "account").values()) == [0, 0, 1]
    assert sorted(values(families["quota_router_account_usable"], "account").values()) == [0, 1, 1]


async def test_an_account_that_is_gone_is_gone_here_too(fleet):
    await fleet.list(Entry(ANN, "claude", "ann"))
    families = await scraped(fleet)
    assert len(families["quota_router_account_usable"].samples) == 1


async def test_deaths_and_mailboxes(fleet):
    fleet.house.lives["clock"].kill()
    await fleet.settled()
    families = await scraped(fleet)
    restarts = [
        sample for sample in families["quota_router_actor_restarts"].samples if sample.name.endswith("_total")
    ]
    assert {sample.labels["actor"]: sample.value for sample in restarts}["clock"] == 1
    assert set(values(families["quota_router_mailbox_waiting"], "mailbox")) == {"supervisor", "accounts"}
