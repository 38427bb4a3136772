"""What happens to the service in a storm over the whole chain: each kind of fault is one method."""

import resource
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from math import inf

from attrs import define, field

from qr.clock import CHECK_INTERVAL
from tests.chaos.disk import Disk
from tests.chaos.faults import ACTORS, HOURS, POLICIES, Fault
from tests.chaos.ledger import Ledger
from tests.chaos.plug import Plug
from tests.chaos.service import Service
from tests.stories.host import Host
from tests.stories.signals import HOUR

__all__ = ["Strikes"]

# Seconds in which a binding is on the disk: the interval of writes, and the write itself on a busy disk.
WRITTEN_WITHIN = 1.0 + 0.5

# How often one actor may be killed in one life of the service: then its pauses stay below half a second.
DEATHS = 5

# Picks for which a disk stays full, the state blocked, or a login dead.
RELIEF = 150

# Seconds for which the service hangs: longer than the deadline of a pick.
HANGS = (0.3, 0.8)

# Seconds in which a step of the clock is noticed and taken in, also by an actor that has just died.
NOTICED_WITHIN = CHECK_INTERVAL + 2.0

# Seconds in which an account in trouble is not served again.
TROUBLE = 0.8


@define(eq=False)
class Strikes:
    """Strikes the service, and knows what that excuses."""

    host: Host
    service: Service
    ledger: Ledger
    plug: Plug
    shaky: tuple[str, ...]
    """The accounts that get into trouble."""
    mortal: tuple[str, ...]
    """The accounts whose logins die."""
    counts: Counter[str] = field(factory=Counter)
    disk: Disk = field(factory=lambda: Disk(WRITTEN_WITHIN))
    _asked: int = 0
    _set_at: float = -inf
    _revoked: set[str] = field(factory=set)
    _troubled: dict[str, float] = field(factory=dict)
    _deaths: Counter[str] = field(factory=Counter)
    _reliefs: list[tuple[int, Callable[[], None]]] = field(factory=list)

    def strike(self, fault: Fault) -> None:
        """Have *fault* happen now."""
        self._asked = fault.at
        self.counts[fault.kind] += 1
        getattr(self, "_" + fault.kind.replace(" ", "_"))(fault.chance)

    def relieve(self, asked: int | None = None) -> None:
        """End the troubles that have lasted until *asked* picks; None: all of them."""
        for relief in [one for one in self._reliefs if asked is None or one[0] <= asked]:
            self._reliefs.remove(relief)
            relief[1]()

    def clock_is_known(self) -> bool:
        """All have noticed that it was set: what was told before that has another age since."""
        return time.monotonic() - self._set_at > NOTICED_WITHIN

    def is_well(self, account: str) -> bool:
        return account not in self._revoked and self._troubled.get(account, 0.0) < time.monotonic()

    def _account_dies(self, chance: float) -> None:
        self.service.order("kill_account", chance)

    def _actor_dies(self, chance: float) -> None:
        self._kill(ACTORS[int(chance * len(ACTORS))])

    def _all_die(self, _chance: float) -> None:
        if all(self._deaths[name] < DEATHS for name in ACTORS):
            self._deaths.update(ACTORS)
            self.service.order("kill", "all")

    def _kill(self, name: str) -> None:
        if self._deaths[name] < DEATHS:
            self._deaths[name] += 1
            self.service.order("kill", name)

    def _clock_is_set(self, chance: float) -> None:
        """For host and service alike: they live on one machine."""
        self.service.ahead = (2 * chance - 1) * HOURS * HOUR
        self.service.order("set_clock", self.service.ahead)
        self._set_at = time.monotonic()

    def _account_is_spent(self, chance: float) -> None:
        told = {"five": 100, "five_status": "rejected", "five_resets": HOUR, "week": 30}
        self.host.refuses(self._in_trouble(chance), 429, {"error": {"type": "rate_limit_error"}}, **told)

    def _account_fails(self, chance: float) -> None:
        name = self._in_trouble(chance)
        for _ in range(5):
            self.host.refuses(name, 529, {"error": {"type": "overloaded_error"}})

    def _in_trouble(self, chance: float) -> str:
        name = self.shaky[int(chance * len(self.shaky))]
        self.ledger.wavering.add(name)
        self._troubled[name] = time.monotonic() + TROUBLE
        return name

    def _login_dies(self, chance: float) -> None:
        """Somebody logs in again later."""
        name = self.mortal[int(chance * len(self.mortal))]
        self.ledger.mortal.add(name)
        self._revoked.add(name)
        revoked = {"error": {"type": "authentication_error", "message": "OAuth token has been revoked."}}
        self.host.refuses(name, 401, revoked)

        def relieve() -> None:
            self.host.logs_in(name)
            self._revoked.discard(name)
            self._kill("census")

        self._reliefs.append((self._asked + RELIEF, relieve))

    def _library_is_reloaded(self, chance: float) -> None:
        self.plug.exchange(beside=chance < 0.5)

    def _settings_change(self, chance: float) -> None:
        self.host.configures(f"policy: {POLICIES[int(chance * len(POLICIES))]}\n")

    def _settings_are_wrong(self, _chance: float) -> None:
        registered = self.host.configures("policy: quickest\nmax_age: yesterday\n")
        assert registered["capabilities"]["scheduler"] is True

    def _service_hangs(self, chance: float) -> None:
        self.service.hang(HANGS[0] + chance * (HANGS[1] - HANGS[0]))

    def _disk_is_full(self, _chance: float) -> None:
        """Every write to a file fails; pipes and sockets go on. A new service has a new disk."""
        pid = self.service.process.pid
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        self.disk.breaks("full")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))

        def relieve() -> None:
            if self.service.process.pid == pid:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
                self.disk.heals("full")

        self._reliefs.append((self._asked + RELIEF, relieve))

    def _state_is_blocked(self, _chance: float) -> None:
        """A directory stands where the next state is to be written: that stops a superuser too."""
        obstacle = self.service.place / "state" / "state.json.tmp"
        if "blocked" in self.disk.troubles:
            return
        self.disk.breaks("blocked")
        while not obstacle.is_dir():
            with suppress(FileExistsError):
                obstacle.mkdir()

        def relieve() -> None:
            obstacle.rmdir()
            self.disk.heals("blocked")

        self._reliefs.append((self._asked + RELIEF, relieve))

    def _service_is_killed(self, _chance: float) -> None:
        self._ends(signal.SIGKILL)

    def _service_is_stopped(self, _chance: float) -> None:
        self.stop_and_start()

    def stop_and_start(self) -> None:
        """As for an update: nothing is forgotten, unless the disk refuses."""
        code = self._ends(signal.SIGTERM)
        if code != 0:
            self.ledger.violations.append(f"the service ended with {code}")

    def _ends(self, how: signal.Signals) -> int:
        horizon = self.disk.horizon(orderly=how == signal.SIGTERM)
        code = self.service.end(how)
        self.ledger.ended(horizon)
        self._deaths.clear()
        self.service.start()
        self.disk.heals("full")
        return code
