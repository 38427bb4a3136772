"""A process that saves a growing number again and again and says each one that is safe; made to be killed."""

import sys
from itertools import count
from pathlib import Path

import msgspec

from qr.store import open_store

# Larger than one write to the disk, so that a kill can strike in its middle.
BALLAST = ["x" * 100] * 20_000


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    store = open_store(Path(sys.argv[1]))
    found = store.load()
    say(f"opened {store.persistent}")
    for number in count(msgspec.json.decode(found.text or b'{"number": 0}')["number"] + 1):
        store.save({"schema": 2, "number": number, "ballast": BALLAST})
        say(number)


main()
