"""The content of the state file: JSON with a schema number, older ones migrated, others refused.

What stands in it is the recorder's; here it is a plain object whose `schema` is checked.
"""

from collections.abc import Mapping
from typing import TypeVar

import msgspec
from attrs import frozen

from qr.store.errors import NewerSchemaError, UnreadableError
from qr.store.migrations import MIGRATIONS, Image, Migration

__all__ = ["CURRENT", "SCHEMA", "Format", "encode_state", "read_state"]

T = TypeVar("T")

# The schema that this version writes.
SCHEMA = 2

# A number beyond this was not written by a later version: it is no schema.
HIGHEST_SCHEMA = 9999

FOREIGN = "is no state file of quota-router"


@frozen
class Format:
    """What is written, and how older files become it."""

    schema: int = SCHEMA
    migrations: Mapping[int, Migration] = MIGRATIONS


CURRENT = Format()


def encode_state(image: Mapping[str, object]) -> bytes:
    """
    The bytes of *image*; 20,000 bindings take about 10 ms, so a caller on an event loop does it elsewhere.

    Raises:
        ValueError, TypeError: a value that JSON cannot hold, such as a lone surrogate.
    """
    return msgspec.json.encode(image)


def read_state(content: bytes, form: Format = CURRENT) -> bytes:
    """
    The text of the image in the schema of *form*: *content* itself, unless it is an older one.

    Raises:
        UnreadableError: it is no state file, or cut off.
        NewerSchemaError: it is one of a later schema.
    """
    schema = _schema(content)
    if schema > form.schema:
        raise NewerSchemaError(schema, form.schema)
    return content if schema == form.schema else encode_state(_migrated(content, schema, form))


class _Head(msgspec.Struct):
    schema: object = None


def _schema(content: bytes) -> int:
    if not content:
        raise UnreadableError("is empty")
    schema = _decoded(content, _Head).schema
    if type(schema) is not int or not 0 <= schema <= HIGHEST_SCHEMA:
        raise UnreadableError(FOREIGN)
    return schema


def _decoded(content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError:
        raise UnreadableError(FOREIGN) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError("is cut off, or is no JSON") from error


def _migrated(content: bytes, schema: int, form: Format) -> Image:
    image: Image = dict(_decoded(content, dict[str, msgspec.Raw]))
    for step in range(schema, form.schema):
        try:
            image = {**form.migrations[step](image), "schema": step + 1}
        except Exception as error:
            # A migration meets whatever was left behind: what it cannot take is unreadable, not a crash.
            raise UnreadableError(f"has schema {schema}, which cannot be brought to {form.schema}") from error
    return image
