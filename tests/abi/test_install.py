"""The library lands where the host looks for it, whole, alone, and beside its sidecar."""

import stat
from pathlib import Path

import pytest

from qr.abi.build import TARGETS, host_target
from qr.abi.install import InstallError, install, rivals

HERE = host_target()
SOCKET = Path("/run/quota-router/qr.sock")


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    return tmp_path / "plugins"


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """Any bytes will do: installing does not look into the library."""
    path = tmp_path / "some-library"
    path.write_bytes(b"library")
    return path


def test_the_files_are_where_the_host_looks(plugins: Path, compiled: Path) -> None:
    installed = install(plugins, SOCKET, library=compiled)
    assert installed.library == plugins / HERE.goos / HERE.goarch / f"quota-router{HERE.extension}"
    assert installed.library.read_bytes() == b"library"
    assert installed.sidecar == installed.library.with_name("quota-router.conf")
    assert installed.sidecar.read_text() == f"socket={SOCKET}\n"
    assert sorted(installed.library.parent.iterdir()) == sorted([installed.library, installed.sidecar])


def test_a_host_of_another_user_can_read_them(plugins: Path, compiled: Path) -> None:
    installed = install(plugins, SOCKET, library=compiled, pages=b"{}")
    for path in installed.library.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_the_pages_are_told_beside_the_library(plugins: Path, compiled: Path) -> None:
    """The host asks for them when it starts; the service may start later."""
    installed = install(plugins, SOCKET, "my-router", library=compiled, pages=b"{}")
    assert installed.library.with_name("my-router.pages").read_bytes() == b"{}"


@pytest.mark.parametrize("name", TARGETS)
def test_a_library_can_be_installed_for_another_platform(plugins: Path, compiled: Path, name: str) -> None:
    target = TARGETS[name]
    installed = install(plugins, SOCKET, target=target, library=compiled)
    assert installed.library.parent == plugins / target.goos / target.goarch
    assert installed.library.suffix == target.extension


def test_the_host_s_configuration_is_told(plugins: Path, compiled: Path) -> None:
    assert install(plugins, SOCKET, "my-router", library=compiled).config == (
        "plugins:\n"
        "  enabled: true\n"
        f'  dir: "{plugins}"\n'
        "  configs:\n"
        "    my-router:\n"
        "      enabled: true\n"
        "      priority: 100\n"
    )


def test_a_deadline_goes_into_the_sidecar(plugins: Path, compiled: Path) -> None:
    installed = install(plugins, SOCKET, library=compiled, pick_deadline_ms=400)
    assert installed.sidecar.read_text() == f"socket={SOCKET}\npick_deadline_ms=400\n"


def test_installing_again_replaces_the_file_and_not_its_content(plugins: Path, compiled: Path) -> None:
    """A host that has mapped the old file goes on with it."""
    first = install(plugins, SOCKET, library=compiled).library
    with first.open("rb") as mapped:
        compiled.write_bytes(b"newer")
        assert install(plugins, SOCKET, library=compiled).library.read_bytes() == b"newer"
        assert mapped.read() == b"library"


def test_a_symbolic_link_gives_way_to_a_file(plugins: Path, compiled: Path) -> None:
    """The host ignores links."""
    place = plugins / HERE.goos / HERE.goarch
    place.mkdir(parents=True)
    link = place / f"quota-router{HERE.extension}"
    link.symlink_to(compiled)
    compiled.write_bytes(b"elsewhere")
    assert not install(plugins, SOCKET, library=compiled).library.is_symlink()
    assert compiled.read_bytes() == b"elsewhere"


@pytest.mark.parametrize(
    "name",
    ["quota-router", "quota-router-v1.0.0", "quota-router-v2"],
)
@pytest.mark.parametrize("inside", [True, False])
def test_two_files_of_one_plugin_are_refused_or_replaced(
    plugins: Path, compiled: Path, name: str, inside: bool
) -> None:
    """A versioned file would win over ours, and the host would delete one of them."""
    place = plugins / HERE.goos / HERE.goarch if inside else plugins
    if inside and name == "quota-router":
        name = "quota-router-v0"
    place.mkdir(parents=True)
    other = place / f"{name}{HERE.extension}"
    other.write_bytes(b"other")
    with pytest.raises(InstallError, match=f"{name}.*install with --replace"):
        install(plugins, SOCKET, library=compiled)
    assert other.read_bytes() == b"other"
    assert rivals(plugins, "quota-router", HERE) == [other]
    installed = install(plugins, SOCKET, library=compiled, replace=True)
    assert not other.exists()
    assert installed.library.read_bytes() == b"library"


def test_other_plugins_are_left_alone(plugins: Path, compiled: Path) -> None:
    plugins.mkdir()
    names = ("router", "quota-router-very", "quota-router2", "quota-router-v1_0", "Quota-Router")
    others = [plugins / f"{name}{HERE.extension}" for name in names]
    others += [plugins / "quota-router.dll", plugins / "quota-router.conf"]
    for other in others:
        other.touch()
    install(plugins, SOCKET, library=compiled, replace=True)
    assert all(other.exists() for other in others)


@pytest.mark.parametrize("name", ["q", "9", "a.b_c-d", "a" * 128, "router-vx", "router-v1_0"])
def test_ids_that_the_host_takes_are_taken(plugins: Path, compiled: Path, name: str) -> None:
    assert install(plugins, SOCKET, name, library=compiled).library.stem == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "cannot be a plugin's id"),
        ("-a", "letter or digit"),
        (".a", "letter or digit"),
        ("a/b", "letters, digits"),
        ("../a", "cannot be"),
        ("a b", "cannot be"),
        ("ä", "cannot be"),
        ("a\n", "cannot be"),
        ("a" * 129, "at most 128"),
        ("router-v1", "for a version"),
        ("router-v1.0", "for a version"),
        ("router-v2-v3", "for a version"),
    ],
)
def test_ids_that_the_host_does_not_take_are_refused(
    plugins: Path, compiled: Path, name: str, said: str
) -> None:
    with pytest.raises(InstallError, match=said):
        install(plugins, SOCKET, name, library=compiled)
    assert not plugins.exists()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("qr.sock", "must be absolute"),
        ("/a\n/b", "must be absolute, on one line"),
        ("/" + "x" * 103, "more than 103 bytes"),
        ("/" + "é" * 52, "more than 103 bytes"),
    ],
)
def test_a_socket_that_cannot_be_is_refused(plugins: Path, compiled: Path, path: str, said: str) -> None:
    with pytest.raises(InstallError, match=said):
        install(plugins, Path(path), library=compiled)


def test_the_longest_socket_is_taken(plugins: Path, compiled: Path) -> None:
    install(plugins, Path("/" + "x" * 102), library=compiled)


def test_a_library_that_was_never_built_is_named_with_the_command_that_builds_it(plugins: Path) -> None:
    with pytest.raises(InstallError, match=r"no library for .*: No such file.*; `qr plugin build --target"):
        install(plugins, SOCKET, library=plugins / "missing.so")


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path, compiled: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InstallError, match=r"cannot write to .*/file/.*: Not a directory"):
        install(tmp_path / "file", SOCKET, library=compiled)
