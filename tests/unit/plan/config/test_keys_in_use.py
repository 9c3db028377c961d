"""A key that no shipped file sets and no guide shows is a key that nobody has tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[4]


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from keys(inner)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), Mapping):
            yield from keys(schema[part])
    for inner in (*schema.get("oneOf", ()), *schema.get("$defs", {}).values()):
        yield from keys(inner)


@cache
def shown() -> frozenset[str]:
    """Keys in shipped files and in guides."""
    files = [
        *(ROOT / "config").rglob("*.yaml"),
        *(ROOT / "docs/how-to").rglob("*.md"),
        ROOT / "docs/tutorial.md",
    ]
    texts = [file.read_text() for file in files if not {"schemas", "reference"} & set(file.parts)]
    return frozenset(re.findall(r"\b([a-z_]+):", "\n".join(texts)))


@pytest.mark.parametrize("kind", ["suite", "site", "target", "application", "contract", "metric"])
def test_a_shipped_file_or_a_guide_uses_each_key(kind: str) -> None:
    schema = yaml.safe_load((ROOT / f"config/schemas/{kind}.schema.yaml").read_text())
    unused = sorted(set(keys(schema)) - shown())
    assert not unused, f"neither a file of config nor a guide sets {', '.join(unused)}"
