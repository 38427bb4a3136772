"""The routes that look: each says what the house knows, and nothing else."""

import pytest

from qr.actors.account_state import Entry
from qr.quota.readings import Reading
from qr.routing.question import Question
from qr.routing.request import Candidate, Offer
from qr.web import reading
from tests.web.site import ANN, BOB, DAY, HOUR, NOW, XI


async def test_accounts_come_sorted_with_their_windows(fleet):
    answer = await fleet.get("/accounts")
    assert [account["id"] for account in answer["accounts"]] == [ANN, BOB, XI]
    ann = answer["accounts"][0]
    assert ann["label"] == "ann"
    assert ann["state"] == "ok"
    assert [window["name"] for window in ann["windows"]] == ["five_hour", "weekly"]
    weekly = ann["windows"][1]
    assert (weekly["used_percent"], weekly["remaining_percent"]) == (40.0, 60.0)
    assert weekly["source"] == "usage"
    assert 0 <= weekly["age_seconds"] < 60
    assert weekly["stale_at"] == pytest.approx(weekly["observed_at"] + 900)


async def test_one_account_can_be_asked_for(fleet):
    answer = await fleet.get(f"/accounts?id={ANN}")
    assert [account["id"] for account in answer["accounts"]] == [ANN]
    problem = await fleet.get("/accounts?id=nobody", status=404)
    assert problem["type"] == "urn:quota-router:problem:unknown_account"


async def test_an_account_never_seen_is_unknown_not_zero(site):
    await site.list(Entry("new.json", "claude"))
    (account,) = (await site.get("/accounts"))["accounts"]
    assert account["state"] == "unknown"
    assert account["windows"] == []
    assert account["observed_at"] is None
    assert account["label"] == "new.json"


async def test_evidence_tells_where_a_number_comes_from(fleet):
    await fleet.see(ANN, Reading("weekly", 45.0, NOW + DAY, "allowed_warning"), source="headers")
    answer = await fleet.get(f"/evidence?account={ANN}")
    weekly = next(window for window in answer["windows"] if window["name"] == "weekly")
    newest, older = weekly["readings"]
    assert (newest["used_percent"], newest["source"], newest["believed"]) == (45.0, "headers", True)
    assert (older["used_percent"], older["source"], older["believed"]) == (40.0, "usage", False)
    assert {said["what"] for said in weekly["said"]} >= {"status", "mark"}
    assert answer["listed"]["names"] == ["five_hour", "weekly"]


async def test_sessions_tell_their_account_and_their_last_decision(fleet):
    await fleet.pick("1")
    await fleet.pick("2")
    await fleet.pick("2")
    answer = await fleet.get("/sessions")
    assert answer["total"] == answer["matching"] == 2
    assert {session["key"][0]: session["last_decision"] for session in answer["sessions"]} == {"1": 1, "2": 3}
    first = answer["sessions"][0]
    assert first["fingerprint"] == first["key"][:8]
    assert first["account"] in answer["accounts"]


@pytest.mark.parametrize("at_once", [1, 5, 500])
async def test_sessions_come_page_by_page_without_gaps(fleet, monkeypatch, at_once):
    monkeypatch.setattr(reading, "NAMES_AT_ONCE", at_once)
    for session in "0123456789abcdef":
        await fleet.pick(session)
    seen, cursor = [], None
    for _ in range(6):
        page = await fleet.get("/sessions", params={"limit": 3, **({"before": cursor} if cursor else {})})
        assert page["matching"] == 16
        seen += [session["key"] for session in page["sessions"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert [key[0] for key in seen] == list("fedcba9876543210")


async def test_shadow_shows_its_own_bindings(fleet):
    await fleet.pick("1")
    await fleet.rule(mode="shadow")
    await fleet.pick("2")
    answer = await fleet.get("/sessions")
    assert answer["shadow"]
    assert [session["key"][0] for session in answer["sessions"]] == ["2"]


async def test_decisions_come_newest_first_with_reasons_in_words(fleet):
    await fleet.pick("1")
    await fleet.pick("1")
    answer = await fleet.get("/decisions")
    assert (answer["newest"], answer["oldest"]) == (2, 1)
    newest, first = answer["decisions"]
    assert (newest["reason"], first["reason"]) == ("affinity", "policy:reset_first")
    assert newest["reason_text"] == "the session stays on its account"
    assert first["account_label"] == "ann"


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("after=1", [3, 2]),
        ("before=3", [2, 1]),
        ("limit=1", [3]),
        ("reason=policy", [3, 1]),
        ("reason=affinity", [2]),
        ("session=1111", [2, 1]),
        (f"account={BOB}", []),
    ],
)
async def test_decisions_can_be_narrowed(fleet, query, numbers):
    await fleet.pick("1", names=(ANN,))
    await fleet.pick("1", names=(ANN,))
    await fleet.pick("2", names=(ANN,))
    answer = await fleet.get(f"/decisions?{query}")
    assert [decision["number"] for decision in answer["decisions"]] == numbers


async def test_a_decision_explains_every_candidate(fleet):
    await fleet.healthy(BOB, used=98.0)
    await fleet.pick("1")
    answer = await fleet.get("/decision?number=1")
    chosen, other = answer["explained"]
    assert (chosen["account"], chosen["verdict"], chosen["chosen"]) == (ANN, "chosen", True)
    assert (other["account"], other["verdict"]) == (BOB, "low_headroom")
    assert other["verdict_text"] == "too little is left for a new session"
    assert other["parts"]["headroom_percent"] == pytest.approx(2.0)
    assert answer["binding"]["account"] == ANN
    assert answer == await fleet.get("/decisions/1") | {"now": answer["now"]}


async def test_a_bound_account_that_was_not_offered_is_explained_too(fleet):
    await fleet.pick("1")
    await fleet.pick("1", names=(BOB,))
    answer = await fleet.get("/decision?number=2")
    assert answer["decision"]["reason"] == "failover:not_offered"
    absent = answer["explained"][-1]
    assert (absent["account"], absent["offered"], absent["home"]) == (ANN, False, True)
    assert absent["verdict"] == "not_offered"


async def test_a_decision_that_is_not_kept_is_a_problem(fleet):
    problem = await fleet.get("/decision?number=7", status=404)
    assert problem["type"].endswith(":unknown_decision")


async def test_next_tells_who_would_serve_and_changes_nothing(fleet):
    now = fleet.house.clock.now()
    await fleet.see(
        BOB,
        Reading("weekly", 10.0, now + 5 * DAY),
        Reading("five_hour", 10.0, now + HOUR),
        Reading("weekly:fable", 10.0, now + 5 * DAY),
    )
    answer = await fleet.get("/next")
    asked = [(one["provider"], one["family"], one["account"]) for one in answer["answers"]]
    assert asked == [("claude", None, ANN), ("claude", "fable", ANN), ("codex", None, XI)]
    assert answer["answers"][0]["reason"] == "policy:reset_first"
    assert [one["verdict"] for one in answer["answers"][0]["explained"]] == ["chosen", "outranked"]
    assert fleet.house.decisions.count == 0
    assert len(fleet.house.supervisor.sessions.bound) == 0
    assert fleet.house.supervisor.fleet.reserved(ANN) == 0


async def test_next_for_one_model_tells_its_family(fleet):
    now = fleet.house.clock.now()
    await fleet.see(
        ANN, Reading("weekly", 1.0, now + DAY), Reading("weekly:fable", 100.0, now + DAY, refused=True)
    )
    (answer,) = (await fleet.get("/next?provider=claude&model=claude-fable-5"))["answers"]
    assert (answer["family"], answer["account"]) == ("fable", BOB)
    assert answer["explained"][-1]["verdict"] == "exhausted:weekly:fable"


async def test_next_takes_the_tiers_from_the_hosts_last_offer(fleet):
    offered = (Candidate(ANN, "claude", 1), Candidate(BOB, "claude", 5))
    await fleet.house.door.pick(Question(("claude",), "claude-sonnet-4-5", offer=Offer(offered)))
    answer = (await fleet.get("/next?provider=claude"))["answers"][0]
    assert answer["account"] == BOB
    assert answer["explained"][0]["parts"]["host_priority"] == 5


async def test_next_in_shadow_shows_the_kept_choice_and_in_off_nobody(fleet):
    await fleet.rule(mode="shadow")
    answer = (await fleet.get("/next"))["answers"][0]
    assert (answer["account"], answer["shadow"]) == (ANN, True)
    await fleet.rule(mode="off")
    answer = (await fleet.get("/next"))["answers"][0]
    assert (answer["account"], answer["reason"]) == (None, "off")


async def test_history_lists_its_series_and_gives_one_in_columns(fleet):
    await fleet.see(ANN, Reading("weekly", 41.0, fleet.house.clock.now() + DAY))
    every = await fleet.get("/history")
    assert {(series["account"], series["window"]) for series in every["series"]} == {
        (account, window) for account in (ANN, BOB, XI) for window in ("five_hour", "weekly")
    }
    assert all(series["at"] == [] for series in every["series"])
    (one,) = (await fleet.get(f"/history?account={ANN}&window=weekly"))["series"]
    assert len(one["at"]) == len(one["used_percent"]) == 1
    assert one["used_percent"] == [41.0]
    assert (one["title"], one["account_label"]) == ("week", "ann")


async def test_history_of_nobody_is_a_problem_and_of_a_new_account_is_empty(fleet):
    assert (await fleet.get("/history?account=nobody", status=404))["type"].endswith(":unknown_account")
    await fleet.list(Entry("new.json", "claude"))
    assert (await fleet.get("/history?account=new.json"))["series"] == []


async def test_health_tells_the_house(fleet):
    await fleet.pick("1")
    answer = await fleet.get("/health")
    assert {actor["name"] for actor in answer["actors"]} >= {"supervisor", "recorder", "web", "canary"}
    assert all(actor["alive"] for actor in answer["actors"])
    assert answer["account_actors"]["count"] == 3
    assert answer["picks"] == {"decided": 1, "unanswered": 0, "reasons": {"policy:reset_first": 1}}
    assert answer["persistence"]["persistent"]
    assert answer["host"]["attached"] is False
    assert answer["versions"]["trio"]
    assert {limit["name"] for limit in answer["limits"]} == {
        "home_dispatch", "websocket", "mixed_providers", "body_sessions",
    }  # fmt: skip


async def test_health_tells_of_a_death(fleet):
    fleet.house.lives["clock"].kill()
    await fleet.settled()
    answer = await fleet.get("/health")
    clock = next(actor for actor in answer["actors"] if actor["name"] == "clock")
    assert (clock["restarts"], clock["last_death"], clock["alive"]) == (1, "killed", True)
    assert "actor_dying" in {note["name"] for note in answer["status"]["notes"]}


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("/accounts?nonsense=1", ""),
        ("/sessions?limit=0", "limit"),
        ("/sessions?limit=501", "limit"),
        ("/sessions?limit=five", "limit"),
        ("/sessions?limit=1&limit=2", "limit"),
        ("/decision", ""),
        ("/decision?number=1.5", "number"),
        ("/decisions?after=-1", "after"),
        ("/evidence", ""),
    ],
)
async def test_a_malformed_query_is_refused_by_name(fleet, query, key):
    problem = await fleet.get(query, status=400)
    assert problem["type"].endswith(":invalid_request")
    assert problem["errors"][0]["key"] == key


@pytest.mark.parametrize("cursor", ["x", "1.5", "/", "nan/claude:k", "1e999/a:b"])
async def test_a_foreign_cursor_is_refused_or_finds_nothing(fleet, cursor):
    answer = await fleet.client.get("/api/v1/sessions", params={"before": cursor})
    assert answer.status_code in (200, 400)
