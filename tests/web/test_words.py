"""Whatever the rules can say has its words."""

import re
import typing

import pytest

from qr.quota import failures
from qr.routing.policies import POLICIES
from qr.routing.standing import Standing
from qr.web.assets import load_assets
from qr.web.render.words import ERRORS, policy_text, reason_text, verdict_text
from qr.web.shapes.accounts import AccountState
from tests.evidence_files import cases

REASONS = [
    "off", "shadow", "unsupported_provider", "mixed_providers", "pinned", "pinned_not_offered", "affinity",
    "inherit", "paid_usage", "no_trusted_quota", "error",
    *(f"rebind:{cause}" for cause in ("removed", "disabled", "auth_failed", "away_too_long")),
    *(f"failover:{cause}" for cause in ("exhausted", "circuit_open", "paused", "not_offered")),
    *(f"policy:{name}" for name in POLICIES),
]  # fmt: skip


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_words(reason):
    assert reason_text(reason) != reason


@pytest.mark.parametrize("case", cases("decisions"))
def test_whatever_a_situation_ends_in_has_words(case):
    said = case["expect"]
    assert reason_text(said["reason"]) != said["reason"]
    for verdict in said.get("candidates", {}).values():
        assert verdict == "chosen" or verdict_text(verdict) != verdict


@pytest.mark.parametrize(
    "standing",
    [
        Standing("a", gone="disabled"),
        Standing("a", gone="login_dead"),
        Standing("a", exhausted="weekly:fable"),
        Standing("a", paid=True),
        Standing("a", circuit_open=True),
        Standing("a", paused=True),
        Standing("a", distrust="unknown"),
        Standing("a", distrust="reset_pending"),
        Standing("a", distrust="stale"),
    ],
)
def test_every_standing_has_words(standing):
    assert verdict_text(standing.verdict) != standing.verdict


@pytest.mark.parametrize("verdict", ["chosen", "low_headroom", "warned", "outranked", "not_offered"])
def test_every_verdict_of_the_ranking_has_words(verdict):
    assert verdict == "chosen" or verdict_text(verdict) != verdict


def test_every_class_of_failure_but_the_requests_own_has_words():
    classes = set(typing.get_args(failures.FailureClass)) - {"request_fault"}
    assert classes == set(ERRORS)


def test_an_unknown_word_is_shown_as_it_is():
    assert reason_text("future:reason") == "future:reason"
    assert verdict_text("future") == "future"


@pytest.mark.parametrize(
    ("policy", "group", "value", "text"),
    [
        ("quota_pressure", 0, -1.5, "1.50 % to lose per hour"),
        ("reset_first", 0, 1.0, "by its reset"),
        ("reset_first", 0, float("inf"), "no reset is known: last"),
        ("soonest_reset", 0, float("-inf"), "no reset is known: first, one request learns it"),
        ("balanced", 1, 1.0, "above the five-hour soft limit"),
    ],
)
def test_what_a_policy_saw_is_said(policy, group, value, text):
    assert policy_text(policy, group, value) == text


def test_the_page_knows_every_state_of_an_account_and_one_word_of_its_own():
    source = load_assets()["js/say/standing.js"].content.decode()
    order = re.search(r"const ORDER = \[(.*?)\];", source, re.DOTALL)
    words = re.findall(r'^  "(\w+)",', order[1], re.MULTILINE)
    assert [word for word in words if word != "dry_soon"] == list(typing.get_args(AccountState))
