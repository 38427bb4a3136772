"""The library compiles for every platform, exports one symbol, and says what is wrong when it cannot."""

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from qr.abi import contract
from qr.abi.build import SOURCES, TARGETS, BuildError, build, host_target, sources

ROOT = Path(__file__).parents[2]

ENDINGS = {"linux": ".so", "darwin": ".dylib"}

# The first bytes of an ELF file and of a 64-bit Mach-O file; then where the machine is written, and how.
MAGIC = {"linux": b"\x7fELF", "darwin": b"\xcf\xfa\xed\xfe"}
MACHINE = {
    ("linux", "amd64"): (18, b"\x3e\x00"),
    ("linux", "arm64"): (18, b"\xb7\x00"),
    ("darwin", "amd64"): (4, b"\x07\x00\x00\x01"),
    ("darwin", "arm64"): (4, b"\x0c\x00\x00\x01"),
}


def test_only_the_init_function_is_visible(compiled: Path) -> None:
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", compiled], capture_output=True, text=True, check=True
    )
    symbols = {line.split()[-1] for line in listing.stdout.splitlines()}
    assert symbols - {"_init", "_fini"} == {"cliproxy_plugin_init"}


def test_the_host_s_checks_at_init_are_met(compiled: Path) -> None:
    """Another version of the interface, or no interface at all, is refused and not crashed on."""
    init = ctypes.CDLL(str(compiled)).cliproxy_plugin_init
    assert init(None, None) != 0
    other_version = ctypes.create_string_buffer(b"\x02", 32)
    assert init(other_version, ctypes.create_string_buffer(32)) != 0


def test_a_build_is_for_this_machine_unless_told_otherwise(compiled: Path) -> None:
    assert compiled.name == f"quota-router-{host_target().name}{host_target().extension}"


def test_two_builds_are_alike(tmp_path: Path, compiled: Path) -> None:
    assert build(out=tmp_path).read_bytes() == compiled.read_bytes()


def test_the_library_carries_the_version_it_was_built_with(tmp_path: Path, compiled: Path) -> None:
    assert contract.registration(6) in compiled.read_bytes()
    assert b'"Version":"9.8.7"' in build(out=tmp_path, version="9.8.7").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_every_platform_has_its_library(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = TARGETS[name]
    library = build(target, tmp_path)
    assert capsys.readouterr().err == "", "no warnings"
    content = library.read_bytes()
    place, machine = MACHINE[target.goos, target.goarch]
    assert library.name == f"quota-router-{name}{ENDINGS[target.goos]}"
    assert content.startswith(MAGIC[target.goos])
    assert content[place:].startswith(machine)
    assert list(tmp_path.iterdir()) == [library], "nothing else is left"


def test_an_error_of_the_compiler_is_told_and_replaces_nothing(tmp_path: Path) -> None:
    kept = build(out=tmp_path).read_bytes()
    with pytest.raises(BuildError, match=r"(?s)the C compiler failed with status 1:\n.*callbacks\.c"):
        build(out=tmp_path, version='"')
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [kept]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BuildError, match=r"cannot write the library for .* to .*file/built: Not a directory"):
        build(out=tmp_path / "file" / "built")


def test_the_library_stays_small_enough_to_be_read_whole() -> None:
    """It runs inside the host, where a mistake costs every request: all of it, comments and headers too."""
    lines = [line for source in sorted(SOURCES.iterdir()) for line in source.read_text().splitlines()]
    assert len(lines) < 700
    assert [line for line in lines if len(line) > 110] == []


@pytest.mark.sanitizer
def test_the_sources_compile_without_a_warning(tmp_path: Path) -> None:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed: its warnings on the plugin library go unseen")
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O2"]
    defines = ["-D_GNU_SOURCE", '-DQUOTA_ROUTER_VERSION="1"', "-fPIC", "-c"]
    for source in sources():
        command = [gcc, *strict, *defines, str(source), "-o", str(tmp_path / "object.o")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_wheel_brings_this_machine_s_library_and_no_other(tmp_path: Path, compiled: Path) -> None:
    """What an earlier build left behind would be of another version."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    shutil.copytree(ROOT / "qr", tmp_path / "qr", ignore=shutil.ignore_patterns("built", "__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    stale = tmp_path / "qr" / "abi" / "built" / "quota-router-plan9-amd64.so"
    stale.parent.mkdir()
    stale.touch()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        libraries = [name for name in content.namelist() if "/built/" in name]
        assert libraries == [f"qr/abi/built/{compiled.name}"]
        assert content.read(libraries[0]) == compiled.read_bytes()
    assert wheel.name.endswith("-py3-none-any.whl")
