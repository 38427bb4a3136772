"""The coding agents that are simulated, and how each names its sessions (evidence, section 6)."""

from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import sha256

from attrs import define, field

from qr.routing.sessions import session_keys

__all__ = ["CLIENTS", "Client", "Names"]

Headers = Mapping[str, list[str]]

# The keys of the host that its people have; each makes a caller scope of its own.
PEOPLE = 6


@define(eq=False)
class Names:
    """One agent thread, as the host's clients name it."""

    headers: Headers
    """In the spelling in which the host passes them on."""
    caller_scope: str
    thread: str
    """Tells threads apart, also those that have no name."""

    @cached_property
    def session(self) -> str:
        """The session in the host's words; empty when the thread has no name."""
        return session_keys(self.headers, {})[0] or ""

    @cached_property
    def parent(self) -> str:
        return session_keys(self.headers, {})[1] or ""


@define(eq=False)
class Client:
    """One kind of agent."""

    name: str
    share: float
    """Of all sessions."""
    models: Mapping[str, float]
    """With their shares."""
    user_agent: str
    main_headers: Callable[[str], Headers] = field(repr=False)
    agent_headers: Callable[[str, str], Headers] = field(repr=False)

    def provider(self, model: str) -> str:
        return "claude" if model.startswith("claude") else "codex"

    def main(self, number: int) -> Names:
        """The main thread of the session with this number."""
        session = _identity(self.name, number)
        return self._names(number, session, self.main_headers(session))

    def agent(self, number: int, agent: int) -> Names:
        """One of its subagents."""
        session, thread = _identity(self.name, number), _identity(self.name, number, agent)
        return self._names(number, thread, self.agent_headers(session, thread))

    def _names(self, number: int, thread: str, own: Headers) -> Names:
        person = number % PEOPLE
        common = {
            "Authorization": [f"Bearer sk-lab-{person}"],
            "Content-Type": ["application/json"],
            "User-Agent": [self.user_agent],
        }
        return Names({**common, **own}, sha256(f"person {person}".encode()).hexdigest(), thread)


def _identity(*of: object) -> str:
    digest = sha256(" ".join(map(str, of)).encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))


def _nameless(*_: str) -> Headers:
    return {}


CLIENTS = (
    Client(
        "claude-code",
        0.55,
        {"claude-sonnet-5": 0.55, "claude-opus-5": 0.3, "claude-fable-5": 0.15},
        "claude-cli/2.1.0 (external, cli)",
        lambda session: {"X-Claude-Code-Session-Id": [session]},
        lambda session, agent: {"X-Claude-Code-Session-Id": [session], "X-Claude-Code-Agent-Id": [agent]},
    ),
    Client(
        "codex",
        0.33,
        {"gpt-5.3-codex": 0.85, "gpt-5.3-codex-spark": 0.15},
        "codex_cli_rs/0.151.0",
        lambda session: {"Session-Id": [session], "Thread-Id": [session]},
        lambda session, agent: {
            "Session-Id": [session],
            "Thread-Id": [agent],
            "X-Openai-Subagent": ["1"],
            "X-Codex-Parent-Thread-Id": [session],
        },
    ),
    Client(
        "opencode",
        0.1,
        {"claude-sonnet-5": 0.6, "gpt-5.3-codex": 0.4},
        "opencode/1.4.0",
        lambda session: {"X-Session-Affinity": [session]},
        lambda session, agent: {"X-Session-Affinity": [agent], "X-Parent-Session-Affinity": [session]},
    ),
    Client("script", 0.02, {"claude-sonnet-5": 1.0}, "python-requests/2.32", _nameless, _nameless),
)
