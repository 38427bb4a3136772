"""Transitions of warning marks are noticed once."""

from qr.quota.evidence import Snapshot, merge
from qr.quota.readings import Observation, Reading
from qr.quota.warnings import marks, transitions

NOW = 1_788_280_000.0


def seen(at, status):
    return Observation(NOW + at, "headers", (Reading("weekly", 80.0, NOW + 3600, status),))


def test_set_then_kept_then_cleared():
    nothing = Snapshot()
    warned = merge(nothing, seen(0, "allowed_warning"))
    still = merge(warned, seen(60, "rejected"))
    cleared = merge(still, seen(120, "allowed"))
    assert list(transitions(nothing, warned, NOW)) == [("weekly", True)]
    assert list(transitions(warned, still, NOW)) == []
    assert list(transitions(still, cleared, NOW)) == [("weekly", False)]
    assert marks(warned, NOW + 3600) == set()
