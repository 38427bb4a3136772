"""What Prometheus scrapes. Labels are bounded: accounts by fingerprint, windows and reasons by vocabulary."""

import platform
from collections.abc import Iterator, Sequence

import trio
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from qr import __version__
from qr.routing.account import AccountView
from qr.routing.sessions import fingerprint
from qr.web.desk import Desk
from qr.web.turns import give_way

__all__ = ["metrics_text"]

NAME = "quota_router"


async def metrics_text(desk: Desk) -> tuple[bytes, str]:
    """The text, and its content type. Read part by part, and written in a thread: picks go on meanwhile."""
    families: list[Metric] = []
    for part in (_picks, _accounts, _windows, _actors, _service):
        families += part(desk)
        await give_way()
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Read(families))
    return await trio.to_thread.run_sync(generate_latest, registry), CONTENT_TYPE_LATEST


class _Read(Collector):
    """What was read of the house: nothing is counted twice, and nothing on the way of a pick."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _counter(name: str, help_text: str, value: float) -> Metric:
    return CounterMetricFamily(f"{NAME}_{name}", help_text, value=value)


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{NAME}_{name}", help_text, value=value)


def _picks(desk: Desk) -> Iterator[Metric]:
    picks = CounterMetricFamily(f"{NAME}_picks", "Decisions by reason.", labels=["reason"])
    for reason, count in desk.house.supervisor.reasons.items():
        picks.add_metric([reason], count)
    yield picks
    yield _counter("picks_unanswered", "Picks that nobody decided.", desk.house.door.unanswered)


def _accounts(desk: Desk) -> Iterator[Metric]:
    labels = ["account", "provider"]
    usable = GaugeMetricFamily(f"{NAME}_account_usable", "Takes requests.", labels=labels)
    paused = GaugeMetricFamily(f"{NAME}_account_paused", "Paused by an operator.", labels=labels)
    circuit = GaugeMetricFamily(f"{NAME}_account_circuit_open", "Its circuit is open.", labels=labels)
    bound = GaugeMetricFamily(f"{NAME}_sessions_bound", "Sessions bound to it.", labels=labels)
    sessions = desk.bindings.sessions
    for view in desk.fleet:
        standing = desk.fleet.standing(view.id, view.provider, "", desk.now)
        usable.add_metric(_names(view), standing.usable)
        paused.add_metric(_names(view), view.paused)
        circuit.add_metric(_names(view), standing.circuit_open)
        bound.add_metric(_names(view), sessions[view.id])
    yield from (usable, paused, circuit, bound)


def _names(view: AccountView) -> list[str]:
    return [fingerprint(view.id), view.provider]


def _windows(desk: Desk) -> Iterator[Metric]:
    labels = ["account", "provider", "window"]
    used = GaugeMetricFamily(f"{NAME}_window_used_percent", "Used, 0 to 100.", labels=labels)
    resets = GaugeMetricFamily(
        f"{NAME}_window_resets_timestamp_seconds", "When the window resets.", labels=labels
    )
    seen = GaugeMetricFamily(
        f"{NAME}_window_observed_timestamp_seconds", "When it was last heard of.", labels=labels
    )
    for view in desk.fleet:
        for name, window in view.windows.items():
            where = [*_names(view), name]
            if window.used_percent is not None:
                used.add_metric(where, window.used_percent)
            if window.resets_at is not None:
                resets.add_metric(where, window.resets_at)
            seen.add_metric(where, window.observed_at)
    yield from (used, resets, seen)


def _actors(desk: Desk) -> Iterator[Metric]:
    restarts = CounterMetricFamily(f"{NAME}_actor_restarts", "Deaths of actors.", labels=["actor"])
    for name, life in desk.house.lives.items():
        restarts.add_metric([name], life.restarts)
    restarts.add_metric(["account"], sum(room.life.restarts for room in desk.rooms))
    yield restarts
    waiting = GaugeMetricFamily(f"{NAME}_mailbox_waiting", "Messages that wait.", labels=["mailbox"])
    refused = CounterMetricFamily(f"{NAME}_mailbox_refused", "Messages without room.", labels=["mailbox"])
    for box in desk.mailboxes:
        waiting.add_metric([box.name], box.waiting)
        refused.add_metric([box.name], box.refused)
    yield from (waiting, refused)


def _service(desk: Desk) -> Iterator[Metric]:
    house = desk.house
    yield _counter("usage_records", "Results that the host reported.", house.calls.feedback)
    yield _gauge("host_attached", "A host is attached.", house.link.up)
    yield _gauge("persistent", "The state is kept across restarts.", house.store.persistent)
    yield _counter("state_writes", "Writes of the state file.", house.recorder.writes)
    yield _gauge("settings_generation", "Counts changes of the settings.", house.current.generation)
    yield _gauge("loop_lag_seconds", "How late the event loop woke a task last.", desk.canary.lag)
    yield _gauge("feed_listeners", "Open pages of the live feed.", desk.listeners)
    yield _gauge("start_timestamp_seconds", "When the service started.", desk.started_at)
    about = GaugeMetricFamily(f"{NAME}_build_info", "What runs.", labels=["version", "python"])
    about.add_metric([__version__, platform.python_version()], 1)
    yield about
