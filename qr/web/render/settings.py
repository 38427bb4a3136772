"""The settings as a form shows them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from qr.settings import KEYS, Changes, Key, Settings, as_dict
from qr.settings.kinds import Choice
from qr.web.shapes.service import Change, Setting

__all__ = ["change_shapes", "setting_shapes"]


def setting_shapes(settings: Settings) -> list[Setting]:
    """Every key with its value in force; secrets are hidden."""
    shown = as_dict(settings)
    return [_setting(key, shown[name]) for name, key in KEYS.items()]


def _setting(key: Key, value: object) -> Setting:
    kind = key.kind
    return Setting(
        key=key.name,
        type=kind.type,
        range=kind.range,
        choices=list(kind.words) if isinstance(kind, Choice) else [],
        unit=key.unit,
        default=_plain(key.default),
        value=value,
        changed=value != _defaults()[key.name],
        text=key.text,
        restart=key.restart,
        secret=key.secret,
        environment=key.environment,
    )


@cache
def _defaults() -> Mapping[str, object]:
    return as_dict(Settings())


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return str(value) if isinstance(value, Path) else value


def change_shapes(changes: Changes) -> list[Change]:
    """What is different, as it is shown."""
    return [Change(one.key, one.old, one.new, one.restart) for one in changes.keys]
