"""The host of a story: accounts, agents, providers that answer, in words instead of JSON."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from attrs import define, evolve, field, frozen

from tests.abi.host import Host as Loaded
from tests.stories import signals

__all__ = ["FABLE", "GPT", "SONNET", "Account", "Agent", "Host"]

SONNET, FABLE, GPT = "claude-sonnet-4-5", "claude-fable-1", "gpt-5.1-codex"

# The RPC schema of recent hosts, and of those that know neither sessions in usage records nor priorities.
NEW, OLD = 6, 3

# How long a request takes at the provider, in seconds, and in the host's nanoseconds.
TAKES = 0.5
NANOSECONDS = 1e9


@frozen
class Account:
    """One account of the host."""

    name: str
    provider: str = "claude"
    priority: int = 0
    kind: str = "oauth"
    changed_at: float | None = None
    """When its file was written, in epoch seconds; None: the host does not say."""

    def candidate(self) -> Mapping[str, Any]:
        """As it is offered (contract, section 3.4)."""
        return {
            "ID": self.name,
            "Provider": self.provider,
            "Priority": self.priority,
            "Status": "active",
            "Attributes": {"auth_kind": self.kind, "path": f"/data/auths/{self.name}"},
            "Metadata": None,
        }

    def file(self) -> Mapping[str, Any]:
        """As `host.auth.list` lists it (contract, section 6.1)."""
        index = f"{self.provider}-{self.name}"
        written = {} if self.changed_at is None else {"modtime": _time(self.changed_at)}
        return written | {
            "id": self.name,
            "auth_index": index,
            "type": self.provider,
            "label": f"{self.name}@example.com",
        }


@define(eq=False)
class Host:
    """A host with the library loaded, as long as its context is open."""

    library: Path
    now: Callable[[], float]
    """Epoch seconds."""
    schema: int = NEW
    reports: bool = True
    """It delivers usage records; some hosts do not."""
    delivering: Callable[[], AbstractContextManager[None]] = nullcontext
    """Around the delivery of a usage record: it may wait until the service has taken it in."""
    watch_descriptors: bool = False
    """Off while the service lives in this process, and opens what it likes."""
    accounts: dict[str, Account] = field(factory=dict)
    loaded: Loaded = field(init=False)
    requests: int = 0

    def __enter__(self) -> Self:
        callbacks = {"host.auth.list": self._list}
        loaded = Loaded(self.library, callbacks, watch_descriptors=self.watch_descriptors)
        self.loaded = loaded.__enter__()
        self.configures()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.loaded.__exit__(kind, error, trace)

    def configures(self, config: str = "") -> Mapping[str, Any]:
        """The operator's settings are applied, as YAML; the plugin's registration."""
        return self.loaded.reconfigure(self.schema, config)

    def has(self, *names: str, provider: str = "claude", priority: int = 0, kind: str = "oauth") -> None:
        """These accounts, from now on."""
        for name in names:
            self.accounts[name] = Account(name, provider, priority, kind)

    def deletes(self, name: str) -> None:
        """The account is neither offered nor listed any more."""
        del self.accounts[name]

    def logs_in(self, name: str) -> None:
        """Somebody logs in to the account again: its file is written anew."""
        self.accounts[name] = evolve(self.accounts[name], changed_at=self.now())

    def session(self, name: str | None = None, parent: str | None = None) -> "Agent":
        """An agent thread of this name; None: a client that names none."""
        return Agent(self, name, parent)

    def serves(
        self, name: str, *, model: str = SONNET, session: str = "", ago: float = 0.0, **told: float | str
    ) -> None:
        """A request was served by *name*, *ago* seconds ago; the answer told what is left (see `signals`)."""
        self._report(name, model, session, {}, told, ago)

    def refuses(
        self,
        name: str,
        status: int,
        body: Mapping[str, Any] | None = None,
        *,
        model: str = SONNET,
        **told: float | str,
    ) -> None:
        """A request was refused by *name*."""
        failure = {"StatusCode": status, "Body": json.dumps(body or {})}
        self._report(name, model, "", {"Failed": True, "Failure": failure}, told)

    def _report(
        self,
        name: str,
        model: str,
        session: str,
        failure: Mapping[str, Any],
        told: Mapping[str, float | str],
        ago: float = 0.0,
    ) -> None:
        account = self.accounts[name]
        # A host uses nobody whom it has not offered; a request without a session binds nothing.
        self.session(None).asks(model, offered=name)
        ended = self.now() - ago
        tell = signals.claude if account.provider == "claude" else signals.codex
        record = {
            "Provider": account.provider,
            "Model": model,
            "AuthID": name,
            "AuthType": account.kind,
            "RequestedAt": _time(ended - TAKES),
            "Latency": int(TAKES * NANOSECONDS),
            "ResponseHeaders": tell(ended, **told) or None,
            **failure,
        }
        if self.schema > OLD:
            record["SessionID"] = f"claude:{session}" if session else ""
        if self.reports:
            with self.delivering():
                assert self.loaded.call("usage.handle", record)["ok"]

    def _list(self, _body: bytes) -> bytes:
        files = [account.file() for account in self.accounts.values() if account.kind == "oauth"]
        return json.dumps({"ok": True, "result": {"files": files}}).encode()


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


@frozen
class Agent:
    """A client's thread."""

    host: Host
    name: str | None
    parent: str | None = None

    def asks(self, model: str = SONNET, *, offered: str | None = None, pinned: str = "") -> str | None:
        """
        Which account serves it by the plugin's choice; None: the host chooses.

        *offered*: `ann bob`; all unless told. *pinned*: the host wants this one, as a WebSocket does in time.
        """
        candidates = self._offers("codex" if model == GPT else "claude", offered)
        answer = self.host.loaded.pick(self._request(model, candidates, pinned))
        if not answer["Handled"]:
            return None
        assert answer["AuthID"] in {candidate["ID"] for candidate in candidates}
        account: str = answer["AuthID"]
        return account

    def _offers(self, provider: str, offered: str | None) -> list[Mapping[str, Any]]:
        names = sorted(self.host.accounts) if offered is None else offered.split()
        known = [self.host.accounts[name] for name in names]
        known = [account for account in known if account.provider == provider]
        if self.host.schema <= OLD:
            top = max((account.priority for account in known), default=0)
            known = [account for account in known if account.priority == top]
        return [account.candidate() for account in known]

    def _request(self, model: str, candidates: list[Mapping[str, Any]], pinned: str) -> Mapping[str, Any]:
        self.host.requests += 1
        headers = {"User-Agent": ["story/1.0"], "X-Client-Request-Id": [f"r{self.host.requests}"]}
        if self.name is not None:
            headers["X-Claude-Code-Session-Id"] = [self.parent or self.name]
        if self.parent is not None:
            headers["X-Claude-Code-Agent-Id"] = [str(self.name)]
        return {
            "Plugin": {"Name": "Quota Router", "ConfigFields": None},
            "Provider": "",
            "Providers": ["codex" if model == GPT else "claude"],
            "Model": model,
            "Stream": True,
            "Options": {
                "Headers": headers,
                "Metadata": {"requested_model": model} | ({"pinned_auth_id": pinned} if pinned else {}),
            },
            "Candidates": candidates,
        }
