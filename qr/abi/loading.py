"""Loads a plugin library as the host does: the C ABI in `ctypes`, for `qr plugin check` and for tests."""

import _ctypes
import ctypes
import os
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["ABI_VERSION", "HostCall", "LoadError", "Plugin"]

ABI_VERSION = 1

HostCall = Callable[[str, bytes], bytes | None]
"""
The host's side, on any thread: a callback's method and body, to the envelope that the plugin gets. None is a
host that fails: return code 1 and no memory.
"""

_libc = ctypes.CDLL(None)
_libc.malloc.restype = _libc.calloc.restype = c_void_p
_libc.malloc.argtypes = [c_size_t]
_libc.calloc.argtypes = [c_size_t, c_size_t]
_libc.free.argtypes = [c_void_p]


class _Buffer(ctypes.Structure):
    _fields_ = (("ptr", c_void_p), ("len", c_size_t))


_HOST_CALL = CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p, c_size_t, POINTER(_Buffer))
_PLUGIN_CALL = CFUNCTYPE(c_int, c_char_p, c_void_p, c_size_t, POINTER(_Buffer))
_FREE = CFUNCTYPE(None, c_void_p, c_size_t)
_SHUTDOWN = CFUNCTYPE(None)


class _HostApi(ctypes.Structure):
    _fields_ = (
        ("abi_version", c_uint32),
        ("host_ctx", c_void_p),
        ("call", _HOST_CALL),
        ("free_buffer", _FREE),
    )


class _PluginApi(ctypes.Structure):
    _fields_ = (
        ("abi_version", c_uint32),
        ("call", _PLUGIN_CALL),
        ("free_buffer", _FREE),
        ("shutdown", _SHUTDOWN),
    )


_Struct = TypeVar("_Struct", bound=ctypes.Structure)


class LoadError(Exception):
    """The library cannot be loaded or refuses to start; the message says which."""


class Plugin:
    """
    A loaded and initialised library.

    The structs that it sees lie on the C heap, as the host's do, and are freed by `close`.
    """

    def __init__(self, path: Path, host_call: HostCall) -> None:
        """
        Load and initialise the library.

        Raises:
            LoadError: it cannot be loaded, has no init function, or its init fails.
        """
        self._host_call = host_call
        self.outstanding: set[int] = set()
        """Answers of ours that the plugin has not freed yet."""
        self.faults: list[str] = []
        """What the plugin did that a host would not survive."""
        self.closed = False
        try:
            self._library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
            init: Any = self._library.cliproxy_plugin_init
        except (OSError, AttributeError) as problem:
            raise LoadError(f"cannot load {path}: {problem}") from problem
        # Kept by name: the callbacks must live as long as the library may call them.
        self._callbacks = (_HOST_CALL(self._answer), _FREE(self._free))
        self._host = _heap(_HostApi)
        self._plugin = _heap(_PluginApi)
        self._host[0] = _HostApi(ABI_VERSION, _libc.malloc(1), *self._callbacks)
        init.argtypes = [POINTER(_HostApi), POINTER(_PluginApi)]
        if init(self._host, self._plugin) != 0 or self._plugin.contents.abi_version != ABI_VERSION:
            self.close()
            raise LoadError(f"{path} refuses to start: another version of the plugin interface")

    def call(self, method: str | None, body: bytes | None) -> tuple[int, bytes | None]:
        """Call the plugin; its return code and answer, None when it gave no memory at all."""
        address = None if body is None else ctypes.cast(c_char_p(body), c_void_p).value
        return self.call_at(method, address, len(body or b""))

    def call_at(self, method: str | None, address: int | None, length: int) -> tuple[int, bytes | None]:
        """The same, with a request that lies at *address*."""
        api, answer = self._plugin.contents, _Buffer()
        name = None if method is None else method.encode()
        code = api.call(name, address, length, ctypes.byref(answer))
        if answer.ptr is None:
            return code, None
        text = ctypes.string_at(answer.ptr, answer.len)
        api.free_buffer(answer.ptr, answer.len)
        return code, text

    def close(self) -> None:
        """Shut down and unload; no call may be under way."""
        if self.closed:
            return
        if self._plugin.contents.shutdown:
            self._plugin.contents.shutdown()
        self.closed = True
        _libc.free(self._host.contents.host_ctx)
        _libc.free(ctypes.cast(self._host, c_void_p))
        _libc.free(ctypes.cast(self._plugin, c_void_p))
        _ctypes.dlclose(self._library._handle)  # noqa: SLF001 - ctypes has no public way to unload

    def _answer(
        self, _context: int, method: bytes, address: int, length: int, answer: "ctypes._Pointer[_Buffer]"
    ) -> int:
        if self.closed:
            self.faults.append("called the host after shutdown")
            return 1
        text = self._host_call(method.decode(), ctypes.string_at(address, length) if length else b"")
        if text is None:
            return 1
        memory = _libc.malloc(len(text) or 1)
        ctypes.memmove(memory, text, len(text))
        self.outstanding.add(memory)
        answer.contents.ptr, answer.contents.len = memory, len(text)
        return 0

    def _free(self, address: int, _length: int) -> None:
        if address not in self.outstanding:
            self.faults.append("freed what was not to be freed")
            return
        self.outstanding.discard(address)
        _libc.free(address)


def _heap(kind: type[_Struct]) -> "ctypes._Pointer[_Struct]":
    return ctypes.cast(_libc.calloc(1, ctypes.sizeof(kind)), POINTER(kind))
