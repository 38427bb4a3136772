"""Situations with the right answers, as files: each is decided by the same path as `qr decide`."""

from copy import deepcopy

import pytest

from qr.cases import decide_case
from tests.evidence_files import cases


@pytest.mark.parametrize("case", cases("decisions"))
def test_situation(case):
    answer = decide_case(case)
    expected = dict(case["expect"])
    verdicts = expected.pop("candidates", {})
    assert {key: answer[key] for key in expected} == expected
    assert {account: answer["candidates"].get(account) for account in verdicts} == verdicts
    offered = {candidate["ID"] for candidate in case["request"]["Candidates"]}
    assert offered <= set(answer["candidates"]) or answer["reason"] in (
        "off",
        "mixed_providers",
        "unsupported_provider",
    )


@pytest.mark.parametrize("case", [one for one in cases("decisions") if one.id == "d-provider-unsupported"])
def test_a_binding_to_an_account_that_is_not_known_is_of_the_provider_that_asks(case):
    bound = {"session": "header:g1", "caller_scope": "ab12", "account": "gemini-a.json", "stand_in": None}
    answer = decide_case(case | {"bindings": [bound]})
    assert (answer["reason"], answer["binding"]) == ("unsupported_provider", "gemini-a.json")


@pytest.mark.parametrize("scope", [{}, {"caller_scope": ""}, {"caller_scope": None}])
@pytest.mark.parametrize("case", [one for one in cases("decisions") if one.id == "d-affinity-stale"])
def test_a_binding_of_a_caller_without_a_scope_may_leave_it_out(case, scope):
    given = deepcopy(case)
    del given["request"]["Options"]["Metadata"]["caller_scope"]
    (binding,) = given["bindings"]
    given["bindings"] = [{name: binding[name] for name in ("session", "account", "stand_in")} | scope]
    assert decide_case(given)["reason"] == "affinity"
