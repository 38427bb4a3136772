"""The settings in force: a frozen value, each field described where it stands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import Attribute, Factory, evolve, field, fields, frozen
from platformdirs import user_state_path

from qr.routing.rules import Rules
from qr.settings import texts
from qr.settings.keys import DAY, HOUR, RULE_KEYS, Key
from qr.settings.kinds import Choice, Kind, Number, Switch, Text

__all__ = ["KEYS", "Settings", "default_socket"]


def default_socket(state_dir: Path) -> Path:
    """Where the plugin library finds the service when nobody says otherwise."""
    return state_dir / "quota-router.sock"


def about(kind: Kind, text: str, unit: str = "", **more: Any) -> dict[str, Key]:  # noqa: ANN401 - as in Key
    """A field's metadata."""
    return {"key": Key(kind, text, unit, **more)}


@frozen(kw_only=True)
class Settings:
    """All settings, valid together; durations are seconds."""

    rules: Rules = Factory(Rules)
    """What a decision depends on."""

    poll_interval: float = field(
        default=300.0,
        metadata=about(
            Number(30, DAY), "How often an account's usage is polled. Keep it below max_age.", "seconds"
        ),
    )
    reset_probe: float = field(
        default=30.0,
        metadata=about(
            Number(1, 600), "How long before and after each known reset an extra poll is made.", "seconds"
        ),
    )
    max_passive_skips: int = field(
        default=6,
        metadata=about(
            Number(0, 100, whole=True),
            "How many regular polls in a row may be left out because traffic told enough.",
            "polls",
        ),
    )
    proxy_url: str | None = field(
        default=None,
        repr=False,
        metadata=about(
            Text("the URL of a proxy, or direct", texts.proxy, optional=True),
            "Proxy of the polls of accounts without one of their own. The host's global one is not known.",
            secret=True,
        ),
    )
    poll_user_agent: str | None = field(
        default=None,
        metadata=about(
            Text("a User-Agent", texts.user_agent, optional=True),
            "User-Agent of the polls.",
            default="(quota-router/<version>)",
        ),
    )
    claude_base_url: str = field(
        default="https://api.anthropic.com",
        metadata=about(Text("a URL", texts.endpoint), "Base of Claude's usage endpoint."),
    )
    codex_base_url: str = field(
        default="https://chatgpt.com/backend-api",
        metadata=about(Text("a URL", texts.endpoint), "Base of Codex's usage endpoint."),
    )

    breaker_failures: int = field(
        default=5,
        metadata=about(
            Number(1, 100, whole=True), "How many failures open the circuit of an account.", "failures"
        ),
    )
    breaker_window: float = field(
        default=60.0,
        metadata=about(Number(1, HOUR), "Within which time these failures must happen.", "seconds"),
    )
    breaker_open: float = field(
        default=30.0,
        metadata=about(
            Number(1, 600),
            "How long an open circuit waits for its first trial; doubled each time, up to 10 minutes.",
            "seconds",
        ),
    )

    binding_ttl: float = field(
        default=7.0 * DAY,
        metadata=about(
            Number(60, 30 * DAY), "How long an idle session stays bound to its account.", "seconds"
        ),
    )
    max_bindings: int = field(
        default=20_000,
        metadata=about(
            Number(1, 200_000, whole=True),
            "How many sessions are bound at most; the least recently used go first.",
            "sessions",
        ),
    )
    pick_deadline: float = field(
        default=0.25,
        metadata=about(
            Number(0.01, 5), "How long a pick may take before the host decides by itself.", "seconds"
        ),
    )
    release_host_cooldown: bool = field(
        default=True,
        metadata=about(
            Switch(), "Release the host's cooldown of an account once its quota is proven to be back."
        ),
    )

    state_dir: Path = field(
        factory=lambda: user_state_path("quota-router"),
        metadata=about(
            Text("a path", texts.path),
            "Directory of the state file and its lock.",
            restart=True,
            environment="QUOTA_ROUTER_STATE_DIR",
            default="(the user's directory for state, such as ~/.local/state/quota-router)",
        ),
    )
    socket: Path = field(
        default=Factory(lambda settings: default_socket(settings.state_dir), takes_self=True),
        metadata=about(
            Text("a path", texts.path),
            "Unix socket on which the plugin library reaches the service.",
            restart=True,
            environment="QUOTA_ROUTER_SOCKET",
            default="(quota-router.sock in state_dir)",
        ),
    )
    listen: str = field(
        default="127.0.0.1:8318",
        metadata=about(
            Text("host:port", texts.listen_address),
            "Address of the dashboard and the API. Beyond loopback a token must be set.",
            restart=True,
            environment="QUOTA_ROUTER_LISTEN",
        ),
    )
    token: str | None = field(
        default=None,
        repr=False,
        metadata=about(
            Text("a token", texts.token, optional=True),
            "Token that logs in to the dashboard and the API.",
            restart=True,
            secret=True,
            environment="QUOTA_ROUTER_TOKEN",
            default="(made at the first start)",
        ),
    )
    auth_dir: Path | None = field(
        default=None,
        metadata=about(
            Text("a path", texts.path, optional=True),
            "Directory of the accounts' credentials, where no host offers them.",
            restart=True,
        ),
    )
    log_level: str = field(
        default="info",
        metadata=about(
            Choice(("debug", "info", "warning", "error")), "The least severe messages that are logged."
        ),
    )

    @property
    def host(self) -> str:
        """The host of `listen`, without brackets."""
        return texts.split_listen(self.listen)[0]

    @property
    def port(self) -> int:
        """The port of `listen`; 0 takes a free one."""
        return texts.split_listen(self.listen)[1]


def _named(attribute: "Attribute[Any]", key: Key) -> Key:
    return evolve(key, name=attribute.name, default=attribute.default if key.default is None else key.default)


# Every key that may stand in the settings, in the order in which the reference lists them.
KEYS: Mapping[str, Key] = {
    **{rule.name: _named(rule, RULE_KEYS[rule.name]) for rule in fields(Rules)},
    **{own.name: _named(own, own.metadata["key"]) for own in fields(Settings) if own.name != "rules"},
}
