"""The state file and its lock: what the service remembers across restarts, and who may write it."""

from qr.store.errors import StillWritingError, StoreError
from qr.store.migrations import Image
from qr.store.state_file import SCHEMA, encode_state
from qr.store.store import Loaded, Store, open_store

__all__ = [
    "SCHEMA",
    "Image",
    "Loaded",
    "StillWritingError",
    "Store",
    "StoreError",
    "encode_state",
    "open_store",
]
