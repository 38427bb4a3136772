"""Standings are kept ready, and worked out anew when something changed or a moment has passed."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from qr.routing.fleet import MAX_MODELS, Fleet
from qr.routing.request import Offer
from qr.routing.rules import Rules
from qr.routing.standing import standing
from tests.routing.situations import DAY, HOUR, NOW, account, candidate, spent, window

MODEL = "claude-sonnet-4-5"


def fleet(*accounts):
    known = Fleet(Rules())
    for one in accounts:
        known.put(one)
    return known


def stands(known, name="a", now=NOW, model=MODEL):
    return known.standing(name, "claude", model, now)


def test_the_same_standing_until_something_changes():
    known = fleet(account("a"))
    first = stands(known)
    assert stands(known, now=NOW + 1) is first
    known.put(account("a", spent()))
    assert stands(known).exhausted == "weekly"


def test_what_was_observed_this_very_moment_is_kept():
    known = fleet(account("a", window(age=0), window("five_hour", 20.0, 0, age=0), circuit_until=NOW))
    assert stands(known) is stands(known)


MOMENTS = st.sampled_from([NOW + offset for offset in (-905, -900, -5, 0, 1, 5, 6, 10, 900, 905, 1800)])
WINDOWS = st.builds(
    lambda name, observed_at, resets_at, exhausted_until, warned_until: replace(
        window(name),
        observed_at=observed_at,
        resets_at=resets_at,
        exhausted_until=exhausted_until,
        warned_until=warned_until,
    ),
    st.sampled_from(["five_hour", "weekly", "weekly:sonnet"]),
    MOMENTS,
    *[st.none() | MOMENTS] * 3,
)


@given(st.lists(WINDOWS, max_size=3), st.lists(MOMENTS | st.floats(NOW, NOW + 2000), max_size=8))
def test_what_is_kept_is_what_would_be_worked_out(windows, times):
    """At each moment, that in which something ends or turns stale included; the clock may be set back."""
    known = fleet(account("a", *windows))
    for now in times:
        fresh = standing(known.get("a"), MODEL, known.rules, 0.0, now)
        kept, worked_out = asdict(stands(known, now=now)), asdict(fresh)
        assert {**kept, "valid_until": None} == {**worked_out, "valid_until": None}


def test_time_alone_changes_a_standing():
    known = fleet(account("a", spent(resets_in=HOUR), window("five_hour", 20.0, 2 * HOUR, age=0)))
    assert stands(known).exhausted == "weekly"
    assert stands(known, now=NOW + HOUR).exhausted is None
    assert stands(known, now=NOW + HOUR).distrust == "reset_pending"


def test_data_grows_stale_at_max_age():
    known = fleet(account("a", window(age=0), window("five_hour", 20.0, 5 * HOUR, age=0)))
    assert stands(known).trusted
    assert stands(known, now=NOW + 900).trusted
    assert stands(known, now=NOW + 900.5).distrust == "stale"


def test_an_open_circuit_becomes_usable_at_its_time_and_gives_one_trial():
    known = fleet(account("a", circuit="open", circuit_until=NOW + 30))
    assert not stands(known).usable
    assert stands(known, now=NOW + 30).usable
    known.put(replace(known.get("a"), trial_until=NOW + 90))
    assert not stands(known, now=NOW + 31).usable
    assert stands(known, now=NOW + 90).usable


def test_rules_and_reservations_take_effect_at_once():
    known = fleet(account("a", window(age=1000)))
    assert stands(known).distrust == "stale"
    known.rules = Rules(max_age=2000)
    assert known.rules.max_age == 2000
    assert stands(known).trusted
    known.reserve("a", 50.0)
    assert stands(known).long_remaining == 10.0
    assert known.reserved("a") == 50.0


def test_an_account_that_is_not_known_stands_as_unknown():
    known = fleet()
    assert stands(known, "new").distrust == "unknown"
    assert stands(known, "new").usable
    assert not stands(known, "new").reported


def test_a_removed_account_is_forgotten_whole():
    known = fleet(account("a"), account("b"))
    known.reserve("a", 5.0)
    stands(known)
    known.remove("a")
    assert "a" not in known
    assert [view.id for view in known] == ["b"]
    assert len(known) == 1
    assert known.reserved("a") == 0.0
    assert stands(known).distrust == "unknown"


def test_models_without_end_do_not_grow_the_memory():
    known = fleet(account("a"))
    first = stands(known)
    for number in range(MAX_MODELS):
        stands(known, model=f"invented-{number}")
    assert len(known._tables) == MAX_MODELS
    assert stands(known) is not first


def test_percents_of_a_passed_window_count_for_nothing():
    known = fleet(account("a", window(used=98.0, resets_in=-60)))
    standing = stands(known)
    assert standing.headroom == 80.0
    assert standing.long_remaining is None
    assert standing.long_resets_at == NOW - 60


def test_windows_without_a_percent_limit_nothing():
    standing = stands(fleet(account("a", window(used=None), window("five_hour", None))))
    assert standing.headroom == float("inf")
    assert standing.distrust == "unknown"
    assert standing.five_hour_used == 0.0


def test_an_account_without_a_long_window_is_unknown():
    standing = stands(fleet(account("a", window("five_hour"))))
    assert (standing.distrust, standing.long_window, standing.long_remaining) == ("unknown", "", None)


def test_how_long_an_account_is_away():
    assert stands(fleet(account("a"))).away_until is None
    assert stands(fleet(account("a", spent(resets_in=DAY)))).away_until == NOW + DAY
    assert stands(fleet(account("a", spent("five_hour", HOUR), spent(resets_in=None)))).away_until is None


def test_a_pool_is_kept_and_only_who_changed_is_put_in_anew():
    """Decisions keep the pool that they saw."""
    known, offer = fleet(account("a"), account("b")), Offer((candidate("a"), candidate("b")))
    first = known.pool(offer, "claude", MODEL, NOW)
    assert known.pool(offer, "claude", MODEL, NOW) is first
    for change in (
        lambda: known.reserve("b", 50.0),
        lambda: known.put(account("b", spent())),
        lambda: known.remove("b"),
    ):
        before = known.pool(offer, "claude", MODEL, NOW)
        change()
        after = known.pool(offer, "claude", MODEL, NOW)
        assert after[0] is before[0]
        assert after[1].standing is not before[1].standing
        assert after[1].standing is stands(known, "b")


def test_who_is_not_offered_changes_no_pool():
    known, offer = fleet(account("a"), account("b")), Offer((candidate("a"),))
    first = known.pool(offer, "claude", MODEL, NOW)
    known.reserve("b", 50.0)
    known.put(account("b", spent()))
    assert known.pool(offer, "claude", MODEL, NOW) is first


def test_another_offer_is_another_pool():
    known = fleet(account("a"), account("b"))
    offers = [Offer((candidate(name),)) for name in "ab"]
    pools = [known.pool(offer, "claude", MODEL, NOW) for offer in offers]
    assert [[one.id for one in pool] for pool in pools] == [["a"], ["b"]]
