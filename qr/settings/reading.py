"""Text, form and environment to settings: everything that is wrong is named at once, or they are valid."""

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from attrs import evolve, fields

from qr.routing.rules import Rules
from qr.settings.document import MAX_BYTES, Document, Node, as_node, read_document
from qr.settings.kinds import Kind, Table, UnfitError
from qr.settings.model import KEYS, Settings, default_socket
from qr.settings.problems import Problem, SettingsError
from qr.settings.texts import beyond_loopback

__all__ = ["load_settings", "parse_settings", "settings_from"]

# In the host's mapping these belong to the host (contract, sections 1.5 and 1.6).
HOST_KEYS = frozenset({"enabled", "priority", "store"})

# `sun_path` holds 108 bytes on Linux, a null byte at the end among them.
MAX_SOCKET_BYTES = 107

# To look for the key that was meant costs 1 ms: fine for typing errors, not for a file of something else.
MAX_SUGGESTIONS = 20


def load_settings(path: Path | None, *, environ: Mapping[str, str] = os.environ) -> Settings:
    """
    Read the settings file at *path*, or take the defaults; environment variables override both.

    Raises:
        SettingsError: the file cannot be read, or something in it or in the environment is wrong.
    """
    return parse_settings(_content(path) if path else "", source=str(path or "environment"), environ=environ)


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(str(path), [Problem(f"cannot be read: {error.strerror}")]) from error


def parse_settings(
    text: str | bytes,
    *,
    source: str,
    base: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """
    Read YAML *text*; keys that it does not name keep their value of *base* (the defaults).

    *source* names the text in messages. *base* is for a service whose own file says where it lives while the
    host's configuration says the rest: a key that disappears from the text falls back to it.

    Raises:
        SettingsError: with every problem, its line and key.
    """
    return _settle(read_document(text), source, base or Settings(), environ)


def settings_from(
    values: Mapping[str, object],
    *,
    source: str,
    base: Settings | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """
    Like `parse_settings`, for values that are no text, such as a form's JSON: problems tell no line.

    Raises:
        SettingsError: with every problem and its key.
    """
    return _settle(Document(as_node(values), []), source, base or Settings(), environ)


def _settle(document: Document, source: str, base: Settings, environ: Mapping[str, str]) -> Settings:
    problems = [*document.problems]
    entries = _entries(document.root, problems)
    values = _values(entries, problems) | _overrides(environ, problems)
    settings = _with(base, values) if not problems else base
    problems += [problem for rule in TOGETHER for problem in rule(settings, entries)] if not problems else []
    if problems:
        raise SettingsError(source, problems)
    return settings


def _entries(root: Node, problems: list[Problem]) -> Mapping[str, Node]:
    if isinstance(root.value, dict):
        return root.value
    if root.value is not None and not root.broken:
        problems.append(Problem("expected keys and values, such as `mode: shadow`", line=root.line))
    return {}


def _values(entries: Mapping[str, Node], problems: list[Problem]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, node in entries.items():
        if name in KEYS:
            values[name] = _value(KEYS[name].kind, node, name, problems)
        elif name not in HOST_KEYS:
            problems.append(Problem(_unknown(name, len(problems)), name, node.line))
    return values


def _unknown(name: str, before: int) -> str:
    near = get_close_matches(name.replace("-", "_").lower(), KEYS, n=1) if before < MAX_SUGGESTIONS else []
    return f"unknown key, did you mean {near[0]}?" if near else "unknown key"


def _value(kind: Kind, node: Node, path: str, problems: list[Problem]) -> object:
    if node.broken:
        return None
    try:
        value = kind.fit(node.value)
    except UnfitError as misfit:
        problems.append(Problem(str(misfit), path, node.line))
        return None
    return _table(kind.of, node, path, problems) if isinstance(kind, Table) else value


def _table(kind: Kind, table: Node, path: str, problems: list[Problem]) -> dict[str, object]:
    entries = table.value if isinstance(table.value, dict) else {}
    return {name: _value(kind, node, f"{path}.{name}", problems) for name, node in entries.items()}


def _overrides(environ: Mapping[str, str], problems: list[Problem]) -> dict[str, object]:
    """What the environment says; an empty variable says nothing, as containers set them."""
    return {
        name: _value(key.kind, Node(environ[key.environment]), f"{name} ({key.environment})", problems)
        for name, key in KEYS.items()
        if environ.get(key.environment)
    }


def _with(base: Settings, values: Mapping[str, object]) -> Settings:
    of_rules = {field.name for field in fields(Rules)}
    rules: dict[str, Any] = {name: value for name, value in values.items() if name in of_rules}
    own: dict[str, Any] = {name: value for name, value in values.items() if name not in of_rules}
    if "state_dir" in own and base.socket == default_socket(base.state_dir):
        own = {"socket": default_socket(own["state_dir"])} | own
    return evolve(base, rules=evolve(base.rules, **rules), **own)


def _home(settings: Settings, _: Mapping[str, Node]) -> list[Problem]:
    if settings.state_dir.is_absolute():
        return []
    return [Problem("no home directory to put it in: set it, or QUOTA_ROUTER_STATE_DIR", "state_dir")]


def _socket_fits(settings: Settings, entries: Mapping[str, Node]) -> list[Problem]:
    length = len(os.fsencode(settings.socket))
    if length <= MAX_SOCKET_BYTES:
        return []
    blamed = next((entries[name].line for name in ("socket", "state_dir") if name in entries), None)
    said = f"its path has {length} bytes, a Unix socket's has at most {MAX_SOCKET_BYTES}: set a shorter one"
    return [Problem(said, "socket", blamed)]


def _token_beyond_loopback(settings: Settings, entries: Mapping[str, Node]) -> list[Problem]:
    if settings.token or not beyond_loopback(settings.host):
        return []
    line = entries["listen"].line if "listen" in entries else None
    said = f"other machines can reach {settings.host}: set a token of your own (token or QUOTA_ROUTER_TOKEN)"
    return [Problem(said, "listen", line)]


# What no key can tell alone; asked only when each key is right by itself.
TOGETHER: tuple[Callable[[Settings, Mapping[str, Node]], list[Problem]], ...] = (
    _home,
    _socket_fits,
    _token_beyond_loopback,
)
