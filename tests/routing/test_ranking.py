"""The layers of the ranking from the outside in, and the policies."""

import pytest

from qr.routing.policies import POLICIES
from tests.routing.situations import DAY, HOUR, NOW, Situation, account, candidate, window

# Each row: the accounts (name, five-hour used, week used, week resets in), and who comes first by each
# policy.
POLICY_TABLE = [
    (
        [("a", 20, 40, DAY), ("b", 20, 40, 2 * DAY)],
        {"reset_first": "a", "quota_pressure": "a", "balanced": "a"},
    ),
    ([("a", 81, 40, DAY), ("b", 20, 40, 2 * DAY)], {"reset_first": "a", "balanced": "b"}),
    ([("a", 80, 40, DAY), ("b", 20, 40, 2 * DAY)], {"balanced": "a"}),
    ([("a", 20, 94, DAY), ("b", 20, 0, 2 * DAY)], {"reset_first": "a", "quota_pressure": "b"}),
    (
        [("a", 20, 40, None), ("b", 20, 90, 6 * DAY)],
        {"reset_first": "b", "balanced": "b", "quota_pressure": "a"},
    ),
    ([("a", 20, 40, DAY), ("b", 20, 30, DAY + 89)], {"reset_first": "b", "soonest_reset": "b"}),
    ([("a", 20, 40, DAY), ("b", 20, 30, DAY + 90)], {"reset_first": "a", "soonest_reset": "a"}),
    ([("a", 20, 40, None), ("b", 20, 30, HOUR)], {"soonest_reset": "a"}),
]


@pytest.mark.parametrize(("accounts", "first"), POLICY_TABLE)
def test_policies(accounts, first):
    for policy, expected in first.items():
        views = [
            account(n, window("five_hour", f, 2 * HOUR), window("weekly", w, r)) for n, f, w, r in accounts
        ]
        assert Situation(*views, policy=policy).ask().account == expected, policy


def test_resets_chain_from_the_earliest_of_a_group():
    """60 s apart each: the third is 120 s after the first, and no longer the same reset."""
    views = [
        account(name, window("weekly", used, DAY + late))
        for name, used, late in [("a", 50, 0), ("b", 40, 60), ("c", 10, 120)]
    ]
    assert Situation(*views).ask().account == "b"


def test_a_policy_is_registered_by_its_name():
    assert set(POLICIES) == {"reset_first", "quota_pressure", "balanced", "soonest_reset"}
    assert all(policy.name == name for name, policy in POLICIES.items())


def test_quota_pressure_of_a_month_without_reset_takes_thirty_days():
    month = account("m", window("monthly", 0, None), provider="codex")
    week = account("w", window("weekly", 0, 31 * DAY), provider="codex")
    assert Situation(month, week, policy="quota_pressure").ask(providers=("codex",)).account == "m"


def test_all_short_of_headroom_are_ranked_as_usual():
    low = [account(name, window(used=97.0, resets_in=late)) for name, late in (("a", 2 * DAY), ("b", DAY))]
    assert Situation(*low).ask().account == "b"


def test_headroom_is_less_than_the_limit():
    at_limit = account("a", window(used=95.0, resets_in=DAY))
    assert Situation(at_limit, account("b")).ask().account == "a"


WARNED = window(used=80.0, resets_in=DAY, warned_until=NOW + DAY)


@pytest.mark.parametrize(
    ("preference", "warned_tier", "first"),
    [
        ("above_priority", 10, "fresh"),
        ("within_priority", 10, "warned"),
        ("within_priority", 0, "fresh"),
        ("off", 0, "warned"),
    ],
)
def test_where_the_warning_stands(preference, warned_tier, first):
    situation = Situation(account("warned", WARNED), account("fresh"), warning_preference=preference)
    assert situation.ask(candidate("warned", warned_tier), "fresh").account == first


def test_manual_priority_comes_after_the_hosts_tier():
    situation = Situation(account("a"), account("b"), account("c"), manual_priority={"b": 1, "c": 9})
    assert situation.ask(candidate("a", 1), candidate("b", 1), "c").account == "b"


def test_ties_go_to_more_remaining_then_to_the_id():
    same = [account(name, window(used=40.0)) for name in "ba"]
    assert Situation(*same).ask().account == "a"
    assert Situation(*same, account("z", window(used=39.0))).ask().account == "z"


def test_ids_are_ordered_by_their_utf8_bytes():
    accounts = [account(name) for name in ("\U0001f600", "\uffee", "é", "Z")]
    assert Situation(*accounts).ask().account == "Z"
    assert Situation(*accounts[:2]).ask().account == "\uffee"
