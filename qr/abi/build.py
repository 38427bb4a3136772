"""Compiles the plugin library, for this machine or any other, with the compiler that `ziglang` brings along.

It runs while the package itself is being built, so it uses nothing but the standard library.
"""

import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

__all__ = ["BUILT", "FLAGS", "SOURCES", "TARGETS", "BuildError", "Target", "build", "host_target", "sources"]

SOURCES = Path(__file__).parent / "library"
BUILT = Path(__file__).parent / "built"
"""Where the package keeps the libraries that it was built with."""

# Only the init function may be seen from outside: two copies of the library can be mapped at once.
FLAGS = ("-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wpedantic")


class BuildError(Exception):
    """The library could not be compiled; the message says why and what to do."""


class Target(NamedTuple):
    """A platform of the host, in the words of the host (GOOS, GOARCH) and of the compiler."""

    goos: str
    goarch: str
    triple: str
    flavour: str = ""

    @property
    def extension(self) -> str:
        """What the host takes for a plugin on this platform."""
        return ".dylib" if self.goos == "darwin" else ".so"

    @property
    def name(self) -> str:
        """As in `TARGETS`: `linux-amd64`, `linux-arm64-musl`, `darwin-arm64`."""
        return "-".join(filter(None, (self.goos, self.goarch, self.flavour)))

    @property
    def file_name(self) -> str:
        """What the library for this target is called among the built ones."""
        return f"quota-router-{self.name}{self.extension}"


# glibc 2.17 is the oldest that Go itself still runs on; musl is what Alpine images of the host have.
TARGETS = {
    target.name: target
    for target in (
        Target("linux", "amd64", "x86_64-linux-gnu.2.17"),
        Target("linux", "arm64", "aarch64-linux-gnu.2.17"),
        Target("linux", "amd64", "x86_64-linux-musl", "musl"),
        Target("linux", "arm64", "aarch64-linux-musl", "musl"),
        Target("darwin", "amd64", "x86_64-macos"),
        Target("darwin", "arm64", "aarch64-macos"),
    )
}

_GOOS = {"Linux": "linux", "Darwin": "darwin"}
_GOARCH = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}

# A cold compilation takes five seconds, with everything of the C library rebuilt about a minute.
_COMPILER_SECONDS = 600


def host_target() -> Target:
    """
    The target for this machine.

    Raises:
        BuildError: there is no library for it.
    """
    parts = [_GOOS.get(platform.system(), ""), _GOARCH.get(platform.machine(), "")]
    if "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")):
        parts.append("musl")
    target = TARGETS.get("-".join(parts))
    if target is None:
        raise BuildError(
            f"no plugin library for {platform.system()} on {platform.machine()}; there is one for: "
            + ", ".join(TARGETS)
        )
    return target


def sources() -> list[Path]:
    """The C files of the library, in a fixed order so that two builds are alike."""
    return sorted(SOURCES.glob("*.c"))


def build(target: Target | None = None, out: Path = BUILT, *, version: str | None = None) -> Path:
    """
    Compile the library for *target* (default: this machine) into the directory *out*.

    Args:
        target: one of the values of `TARGETS`.
        out: made if need be; a file of the same name is replaced, and only by a finished one.
        version: what the library reports to the host; default: the package's.

    Raises:
        BuildError: no compiler, an error of the compiler, or no place to write to.
    """
    target = target or host_target()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=".compile-") as workplace:
            fresh = Path(workplace) / target.file_name
            _compile(_command(target, fresh, version or _package_version()))
            return fresh.replace(out / target.file_name)
    except OSError as problem:
        raise BuildError(
            f"cannot write the library for {target.name} to {out}: {problem.strerror}"
        ) from problem


def _command(target: Target, library: Path, version: str) -> list[str]:
    defines = ["-D_GNU_SOURCE", f'-DQUOTA_ROUTER_VERSION="{version}"']
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", target.triple, "-O2", "-s"]
    files = [str(path) for path in sources()]
    return [*compiler, *FLAGS, *defines, *files, "-o", str(library), "-lpthread", "-ldl"]


def _compile(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILER_SECONDS, check=False)  # noqa: S603 - our own compiler on our own files
    except subprocess.TimeoutExpired:
        raise BuildError(f"the C compiler did not finish within {_COMPILER_SECONDS} s") from None
    if "No module named ziglang" in done.stderr:
        raise BuildError("no C compiler: `pip install ziglang` brings one along")
    if done.returncode != 0:
        raise BuildError(f"the C compiler failed with status {done.returncode}:\n{done.stderr.strip()}")
    if done.stderr.strip():
        print(done.stderr.strip(), file=sys.stderr)  # noqa: T201 - warnings of a compiler belong on the terminal


def _package_version() -> str:
    text = (Path(__file__).parent.parent / "__init__.py").read_text()
    found = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise BuildError("the package does not tell its version; reinstall quota-router")
    return found.group(1)
