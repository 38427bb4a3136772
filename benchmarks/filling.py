"""A place in which a service finds what it would know after a while: its settings and its state."""

from pathlib import Path

from attrs import frozen

from benchmarks import bodies
from benchmarks.scenarios import Scenario
from qr.actors.account_state import AccountState, Entry
from qr.actors.image import Parts, pieces
from qr.actors.schedule import Schedule
from qr.quota.evidence import Snapshot, merge
from qr.quota.history import Reset, Sample, Series
from qr.quota.readings import Observation, Reading
from qr.routing.bindings import Binding
from qr.routing.sessions import binding_key
from qr.store import SCHEMA
from qr.upstream.credentials import AuthEntry

__all__ = ["Place", "fill"]

HOUR, DAY = 3600, 86400

WINDOWS = ("five_hour", "weekly")

# Nothing resets, grows too old or is polled while it is measured. The deadline is the longest: a late answer
# is to be counted with its lateness, not cut off.
SETTINGS = """\
state_dir: {state_dir}
listen: 127.0.0.1:0
max_bindings: {max_bindings}
max_age: {day}
poll_interval: {day}
pick_deadline: 5
log_level: warning
"""

# The bound of the settings as they are, and as much as they take.
USUAL_BINDINGS, MOST_BINDINGS = 20_000, 200_000

# Seconds over which the bindings' last uses are spread: after so long a use is written down anew, so that the
# state is written as evenly as when it has run for long.
USES = 60


@frozen
class Place:
    """Files for one scenario."""

    directory: Path

    @property
    def settings(self) -> Path:
        return self.directory / "settings.yaml"

    @property
    def state_dir(self) -> Path:
        return self.directory / "state"

    @property
    def socket(self) -> Path:
        return self.state_dir / "quota-router.sock"

    @property
    def owner_socket(self) -> Path:
        return self.state_dir / "web.sock"

    @property
    def log(self) -> Path:
        """What the service says."""
        return self.directory / "service.log"

    @property
    def pick(self) -> Path:
        return self.directory / "pick.json"

    @property
    def listing(self) -> Path:
        return self.directory / "listing.json"

    @property
    def records(self) -> Path:
        return self.directory / "records.json"


def fill(place: Place, scenario: Scenario, now: float) -> None:
    """Write everything that *scenario* needs, as of *now* (epoch seconds)."""
    known = bodies.accounts(scenario.accounts)
    offered = known[: scenario.candidates]
    most = USUAL_BINDINGS if scenario.bindings <= USUAL_BINDINGS else MOST_BINDINGS
    place.state_dir.mkdir(mode=0o700)
    place.settings.write_text(SETTINGS.format(state_dir=place.state_dir, max_bindings=most, day=DAY))
    parts = Parts(
        (_binding(offered, number, now) for number in range(scenario.bindings)),
        [_state(account, number, now) for number, account in enumerate(known)],
        (((account.id, window), _series(now)) for account in known for window in WINDOWS),
    )
    (place.state_dir / "state.json").write_bytes(b"".join(pieces(SCHEMA, parts)))
    place.pick.write_bytes(bodies.pick(offered))
    place.listing.write_bytes(bodies.listing(known))
    place.records.write_bytes(bodies.records(offered, now + 4 * HOUR, now + 3 * DAY))


def _state(account: AuthEntry, number: int, now: float) -> AccountState:
    """Polled just now: both windows are known, and some accounts have more left than others."""
    entry = Entry(
        account.id, account.provider, account.label, account.auth_index, changed_at=account.changed_at
    )
    readings = (
        Reading("five_hour", 5.0 + number % 60, now + 4 * HOUR, "allowed"),
        Reading("weekly", 10.0 + number % 70, now + 2 * DAY + number % 72 * HOUR, "allowed"),
    )
    snapshot = merge(Snapshot(), Observation(now, "usage", readings, full=True, plan="max"))
    return AccountState(entry, snapshot, schedule=Schedule(since=now, polled_at=now))


def _series(now: float) -> Series:
    """All that is ever kept of one window: two weeks."""
    ages = (*range(14 * DAY, DAY, -HOUR), *range(DAY, 0, -HOUR // 6))
    samples = tuple(Sample(int(now) - age, round(age / HOUR % 100, 1)) for age in ages)
    resets = tuple(Reset(sample.at, 90.0) for sample in samples[:: len(samples) // 60])
    return Series(samples, resets)


def _binding(offered: list[AuthEntry], number: int, now: float) -> tuple[tuple[str, str], Binding]:
    key = binding_key(bodies.SCOPE, f"claude:{bodies.session_name(number)}")
    account = offered[number % len(offered)].id
    return ("claude", key), Binding(account, bound_at=now - HOUR, used_at=now - number % USES)
