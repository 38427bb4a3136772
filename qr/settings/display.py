"""Settings as they are shown, secrets hidden, and what a change of them amounts to."""

import io
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen
from ruamel.yaml import YAML

from qr.settings.model import KEYS, Settings
from qr.settings.texts import masked_proxy

__all__ = ["Change", "Changes", "as_dict", "changed", "dump"]

HIDDEN = "***"


@frozen
class Change:
    """One key whose value changed; both values as they are shown."""

    key: str
    old: object
    new: object
    restart: bool
    """It waits for the next start of the service."""


@frozen
class Changes:
    """What a reload brought; false when it brought nothing."""

    keys: tuple[Change, ...] = ()

    @property
    def restart(self) -> tuple[str, ...]:
        """The keys that wait for the next start of the service."""
        return tuple(change.key for change in self.keys if change.restart)

    def __bool__(self) -> bool:
        return bool(self.keys)


def changed(old: Settings, new: Settings) -> Changes:
    """What is different in *new*, and which of it waits for a restart."""
    return Changes(
        tuple(
            Change(name, _shown(name, old), _shown(name, new), key.restart)
            for name, key in KEYS.items()
            if _value(name, old) != _value(name, new)
        )
    )


def as_dict(settings: Settings) -> dict[str, object]:
    """Every key with its value in force, ready for JSON; the token and a proxy's password are hidden."""
    return {name: _shown(name, settings) for name in KEYS}


def dump(settings: Settings) -> str:
    """The same as YAML."""
    YAML(pure=True).dump(as_dict(settings), text := io.StringIO())
    return text.getvalue()


def _value(name: str, settings: Settings) -> object:
    return getattr(settings if hasattr(settings, name) else settings.rules, name)


def _shown(name: str, settings: Settings) -> object:
    value = _value(name, settings)
    if KEYS[name].secret and value is not None:
        return masked_proxy(str(value)) if name == "proxy_url" else HIDDEN
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None and name == "failover_max":
        return "off"
    return dict(value) if isinstance(value, Mapping) else str(value) if isinstance(value, Path) else value
