"""What the fuzzers share: their options, changes of any text, and the files of inputs that failed."""

import argparse
import random
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def options(about: str | None, inputs: int | None) -> argparse.Namespace:
    """The options of the command line, and the seed for who reads of a failure."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = "unlimited" if inputs is None else f"{inputs:,}"
    parser.add_argument("--inputs", type=int, default=inputs, help=f"number of inputs (default: {default})")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(2**31), help="seed of the first input (default: random)"
    )
    parser.add_argument("--keep", type=Path, help="write inputs that fail here")
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    return chosen


def keep_input(keep: Path | None, name: str, text: bytes) -> None:
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / name).write_bytes(text)


def groups_of(data: Any) -> Iterator[Any]:
    """Every list and every mapping of a document."""
    if isinstance(data, (dict, list)):
        yield data
        for item in data.values() if isinstance(data, dict) else data:
            yield from groups_of(item)


def truncated(text: bytes, chance: random.Random) -> bytes:
    return text[: chance.randint(0, len(text))]


def flipped(text: bytes, chance: random.Random) -> bytes:
    changed = bytearray(text)
    for _ in range(chance.randint(1, 8) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)
