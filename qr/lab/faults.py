"""What goes wrong at the simulated providers, and how often."""

from collections.abc import Mapping
from typing import Literal

from attrs import frozen

__all__ = ["FAULTS", "FaultLevel", "Faults"]

FaultLevel = Literal["none", "some", "wild"]


@frozen
class Faults:
    """Shares are of the answers in question, rates are events per account and week."""

    throttled: float = 0.0
    """Share of requests that get a 429 without any sign of quota."""
    overloaded: float = 0.0
    """Share of requests that find the provider busy."""
    broken: float = 0.0
    """Share of requests that end in the network or at the edge."""
    expired: float = 0.0
    """Share of requests that find an expired token; the host has refreshed it a minute later."""
    unattributed: float = 0.0
    """Share of quota refusals that do not name their window."""
    mixtures: float = 0.0
    """Share of resets after which the old use is shown for a while."""
    wobble: float = 0.0
    """Share of Codex answers whose reset is minutes off."""
    early_resets: float = 0.0
    """Rate at which the provider empties an account's windows before their time."""
    drifts: float = 0.0
    """Rate at which the calendar of an account moves by hours."""
    revoked: float = 0.0
    """Rate at which a login dies; somebody logs in again hours later."""
    outside: float = 0.0
    """Share of the long window that its owner uses outside the proxy."""
    unpollable: float = 0.0
    """Share of usage polls that are refused or answered with something unreadable."""
    lost_records: float = 0.0
    """Share of usage records that the host never delivers; as many are doubled, and as many late."""
    clock_settings: float = 0.0
    """How often a week the machine's clock is set wrong, by minutes or hours; hours later it is set right."""


FAULTS: Mapping[FaultLevel, Faults] = {
    "none": Faults(),
    "some": Faults(
        throttled=0.004,
        overloaded=0.003,
        broken=0.002,
        expired=0.0005,
        unattributed=0.2,
        mixtures=0.3,
        wobble=0.1,
        early_resets=0.3,
        drifts=0.2,
        revoked=0.05,
        outside=0.05,
        unpollable=0.02,
        lost_records=0.01,
    ),
    "wild": Faults(
        throttled=0.03,
        overloaded=0.03,
        broken=0.02,
        expired=0.005,
        unattributed=0.6,
        mixtures=0.8,
        wobble=0.3,
        early_resets=3.0,
        drifts=2.0,
        revoked=1.0,
        outside=0.2,
        unpollable=0.25,
        lost_records=0.1,
        clock_settings=5.0,
    ),
}
