"""Puts the plugin library where the host looks, and beside it the files that tell it of the service.

The host takes `<plugins>/<GOOS>/<GOARCH>/<id>.so` and `<plugins>/<id>.so`, each perhaps with `-v<version>`
before the ending. A versioned file wins over ours, and the host deletes the others once it has loaded one.
So two files of one plugin are never left side by side: installing refuses, or replaces them when asked to.
"""

import os
import re
import tempfile
from pathlib import Path

from attrs import frozen

from qr.abi.build import BUILT, Target, host_target

__all__ = [
    "PLUGIN_ID",
    "InstallError",
    "Installed",
    "host_config",
    "id_of",
    "install",
    "library_path",
    "rivals",
]

PLUGIN_ID = "quota-router"
"""The plugin's usual id: its file name, and its key in the host's configuration."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_VERSION = re.compile(r"-v[0-9][0-9A-Za-z.+-]*")

# The shortest `sun_path` among our platforms holds 104 bytes with the NUL; the library takes no longer one.
_LONGEST_SOCKET = 103


class InstallError(Exception):
    """The library was not installed; the message says what is wrong, where, and what to do."""


@frozen
class Installed:
    """What an installation wrote."""

    library: Path
    sidecar: Path
    config: str
    """What the host's `config.yaml` needs."""


def install(
    directory: Path,
    socket_path: Path,
    plugin_id: str = PLUGIN_ID,
    *,
    target: Target | None = None,
    library: Path | None = None,
    pick_deadline_ms: int | None = None,
    pages: bytes | None = None,
    replace: bool = False,
) -> Installed:
    """
    Install the library below *directory*, the host's `plugins.dir`.

    A host that is running keeps the library it has loaded until it is restarted.

    Args:
        socket_path: where the service listens; absolute, since the host runs somewhere else.
        plugin_id: the file's name and the key under `plugins.configs`.
        target: the host's platform; default: this machine's.
        library: the compiled library; default: the package's own for *target*.
        pick_deadline_ms: how long a pick may take, in milliseconds, until the service has told it.
        pages: the answer to `management.register` while there is no service: the host asks for it when it
            starts and when its configuration changes, and not again when the service comes.
        replace: remove other files of the same plugin instead of refusing.

    Raises:
        InstallError: nothing was installed.
        BuildError: there is no library for this machine.
    """
    target = target or host_target()
    _check_id(plugin_id)
    _check_socket(socket_path)
    content = _read(library or BUILT / target.file_name, target)
    destination = library_path(directory, plugin_id, target)
    place = destination.parent
    sidecar = place / f"{plugin_id}.conf"
    _make_room(rivals(directory, plugin_id, target), replace=replace)
    try:
        place.mkdir(parents=True, exist_ok=True)
        _write(sidecar, _sidecar(socket_path, pick_deadline_ms))
        if pages is not None:
            _write(place / f"{plugin_id}.pages", pages)
        _write(destination, content)
    except OSError as problem:
        raise InstallError(
            f"cannot write to {place}: {problem.strerror}; run this as a user who may"
        ) from problem
    return Installed(destination, sidecar, host_config(directory, plugin_id))


def library_path(directory: Path, plugin_id: str, target: Target) -> Path:
    """Where `install` puts the library of *plugin_id*, and a host on *target* looks for it."""
    return directory / target.goos / target.goarch / f"{plugin_id}{target.extension}"


def rivals(directory: Path, plugin_id: str, target: Target) -> list[Path]:
    """Files that the host would take for *plugin_id* too, beside the one that `install` writes."""
    ours = library_path(directory, plugin_id, target)
    found = [*ours.parent.glob(f"*{target.extension}"), *directory.glob(f"*{target.extension}")]
    return [path for path in found if path != ours and id_of(path) == plugin_id]


def host_config(directory: Path, plugin_id: str) -> str:
    """The part of the host's `config.yaml` that loads the plugin."""
    return (
        "plugins:\n"
        "  enabled: true\n"
        f'  dir: "{directory.absolute()}"\n'
        "  configs:\n"
        f"    {plugin_id}:\n"
        "      enabled: true\n"
        "      priority: 100\n"
    )


def id_of(path: Path) -> str:
    """The plugin's id as the host tells it: the version begins at the last `-v` with one behind it."""
    cuts = [mark.start() for mark in re.finditer("-v", path.stem)]
    versions = [cut for cut in cuts if _VERSION.fullmatch(path.stem, cut)]
    return path.stem[: versions[-1]] if versions else path.stem


def _check_id(plugin_id: str) -> None:
    if not _ID.fullmatch(plugin_id):
        raise InstallError(
            f"{plugin_id!r} cannot be a plugin's id: letters, digits, '.', '_' and '-', at most 128 of them, "
            "the first one a letter or digit"
        )
    if id_of(Path(f"{plugin_id}.so")) != plugin_id:
        raise InstallError(
            f"{plugin_id!r} cannot be a plugin's id: the host would take its end for a version"
        )


def _check_socket(path: Path) -> None:
    if not path.is_absolute() or "\n" in str(path):
        raise InstallError(
            f"the socket's path must be absolute, on one line: {str(path)!r}; the host runs somewhere else"
        )
    if len(os.fsencode(path)) > _LONGEST_SOCKET:
        raise InstallError(
            f"the socket's path has more than {_LONGEST_SOCKET} bytes, which no socket can have: {path}; "
            "have the service listen at a shorter one"
        )


def _read(library: Path, target: Target) -> bytes:
    try:
        return library.read_bytes()
    except OSError as problem:
        raise InstallError(
            f"no library for {target.name} at {library}: {problem.strerror}; "
            f"`qr plugin build --target {target.name}` makes one"
        ) from problem


def _make_room(others: list[Path], *, replace: bool) -> None:
    if others and not replace:
        raise InstallError(
            "the host would find two libraries of this plugin, and delete one of them: "
            + ", ".join(map(str, others))
            + "; remove what is there, or install with --replace"
        )
    for other in others:
        try:
            other.unlink()
        except OSError as problem:
            raise InstallError(f"cannot remove {other}: {problem.strerror}; remove it yourself") from problem


def _sidecar(socket_path: Path, pick_deadline_ms: int | None) -> bytes:
    lines = [f"socket={socket_path}"]
    if pick_deadline_ms is not None:
        lines.append(f"pick_deadline_ms={pick_deadline_ms}")
    return os.fsencode("\n".join(lines) + "\n")


def _write(path: Path, content: bytes) -> None:
    # The host may run as another user, and there is nothing secret in either file. The temporary name has no
    # ending of a plugin, so a host that scans just now does not take it for one.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o644)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
