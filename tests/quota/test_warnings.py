"""Transitions of warning marks are noticed once."""

from itertools import accumulate

from qr.quota.belief import believed_windows
from qr.quota.evidence import Snapshot, merge
from qr.quota.readings import Observation, Reading
from qr.quota.warnings import marks, transitions

NOW = 1_788_280_000.0


def seen(at, status):
    return Observation(NOW + at, "headers", (Reading("weekly", 80.0, NOW + 3600, status),))


def test_set_then_kept_then_cleared():
    said = [seen(0, "allowed_warning"), seen(60, "rejected"), seen(120, "allowed")]
    nothing, warned, still, cleared = map(believed_windows, accumulate(said, merge, initial=Snapshot()))
    assert list(transitions(nothing, warned, NOW)) == [("weekly", True)]
    assert list(transitions(warned, still, NOW)) == []
    assert list(transitions(still, cleared, NOW)) == [("weekly", False)]
    assert marks(warned, NOW + 3600) == set()
