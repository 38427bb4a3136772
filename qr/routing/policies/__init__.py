"""The policies by name. A new one is one file beside these, and one line here."""

from collections.abc import Mapping

from qr.routing.policies.balanced import Balanced
from qr.routing.policies.policy import Policy
from qr.routing.policies.quota_pressure import QuotaPressure
from qr.routing.policies.reset_first import ResetFirst
from qr.routing.policies.soonest_reset import SoonestReset

__all__ = ["POLICIES", "Policy"]

POLICIES: Mapping[str, Policy] = {
    policy.name: policy for policy in (ResetFirst(), QuotaPressure(), Balanced(), SoonestReset())
}
