"""IOR's command lines, as people and versions spell them."""

from typing import Any

import pytest

from weir.tools.ior.arguments import parse_arguments
from weir.tools.outputs import binary_size


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ior -a POSIX -t 1m -b 16m", {"api": "POSIX", "xfer_bytes": 2**20, "block_bytes": 2**24}),
        ("ior -t=47008 -b=47008 -s=200", {"xfer_bytes": 47008, "block_bytes": 47008, "segments": 200}),
        ("ior -t16k -b4g", {"xfer_bytes": 2**14, "block_bytes": 2**32}),
        (
            "ior -wr -Fez",
            {"access": ["write", "read"], "layout": "file-per-process", "sync": True, "order": "random"},
        ),
        ("ior -z -z -r", {"order": "random", "random_twice": True, "access": ["read"]}),
        ("ior -C -Q 1", {"reorder": "constant"}),
        ("ior -Z -X 5", {"reorder": "random"}),
        ("ior -D 30 -O stoneWallingWearOut=1", {"stonewall": 30.0, "wear_out": True}),
        ("ior -O stoneWallingWearOut=0,summaryFormat=JSON", {"wear_out": False}),
        ("ior -O minTimeDuration=1 -O stoneWallingStatusFile=/x", {"min_time_s": "1", "status_file": "/x"}),
        ("ior -a ncmpi", {"api": "PNETCDF"}),
        ("ior -a DUMMY", {"api": "NULL"}),
        ("ior --posix.odirect", {"direct": True}),
        ("ior -B", {"direct": True}),
        ("ior --dataPacketType=timestamp -G 42 -g", {"barriers": True}),
        ("ior -W -R -k", {"verify_write": True, "verify_read": True, "keep": True, "access": []}),
        ("ior", {"xfer_bytes": 262144, "block_bytes": 1048576, "segments": 1, "access": ["write", "read"]}),
        ("/opt/bin/ior -o '/a path/-w' -r", {"access": ["read"]}),
    ],
)
def test_spellings(command: str, expected: dict[str, Any]) -> None:
    requested = parse_arguments(command)
    assert {name: requested[name] for name in expected} == expected


def test_a_script_leaves_open_what_is_not_given() -> None:
    assert parse_arguments("ior -e -f script.txt") == {"sync": True}


def test_an_unclosed_quote_is_no_reason_to_stop() -> None:
    assert parse_arguments("ior -o 'x -t 1m")["xfer_bytes"] == 2**20


@pytest.mark.parametrize(
    ("text", "size"),
    [("8", 8), ("4K", 4096), ("4mb", 2**22), ("2t", 2**41), ("1p", 2**50), ("1.5m", None), ("x", None)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert binary_size(text) == size
