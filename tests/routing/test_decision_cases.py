"""Situations with the right answers, as files: each is decided by the same path as `qr decide`."""

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
