"""How a file is striped is read back from the file: by liblustreapi, else by lfs; and weir judges by it."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.compiled import shared_library
from tests.conftest import beside
from tests.engine.runs import ROOT, Engine, run_unit
from tests.programs import write_program
from weir.tools.engine import parse_document

SHAPE = ["-w", "-k", "-t", "4k", "-b", "8k", "-o", "data"]
LFS = """#!/bin/sh
# lfs getstripe FILE: two stripes for the file of rank 0, one for that of rank 1
echo "$2" >> "$WEIR_LUSTRE_ROOT/requests"
first=5 count=2
case $2 in *.00000001) first=6 count=1 ;; esac
printf '%s\\nlmm_stripe_count:  %s\\nlmm_stripe_size:   1048576\\nlmm_pattern:       1\\n' "$2" "$count"
printf 'lmm_stripe_offset: %s\\n\\tobdidx\\t\\t objid\\t\\t objid\\t\\t group\\n' "$first"
for index in $(seq "$first" 6); do printf '\\t%6d\\t%14d\\t%#12x\\t%14d\\n' "$index" 1234 1234 0; done
"""


@pytest.fixture
def lustre(engine: Engine) -> dict[str, str]:
    """Every file counts as one on Lustre, and `lfs` prints what a client prints."""
    write_program(engine.folder / "bin" / "lfs", LFS)
    path = f"{engine.folder / 'bin'}:{os.environ['PATH']}"
    return {"WEIR_LUSTRE_ROOT": str(engine.folder), "PATH": path}


def layout(done: Any) -> dict[str, Any]:
    found: dict[str, Any] = done.result("write")["observed"]["file_layout"]
    return found


def test_each_file_is_read_by_lfs(engine: Engine, lustre: dict[str, str]) -> None:
    done = engine.good("-F", *SHAPE, ranks=2, environment=lustre)
    found = layout(done)
    assert found["source"] == "lfs getstripe"
    assert (found["files"], found["file_stripes"]) == (2, {"1": 1, "2": 1})
    assert found["target_stripes"] == {"5": 1, "6": 2}
    (component,) = found["components"]
    assert component == {
        "begin_bytes": 0,
        "end_bytes": None,
        "pattern": "raid0",
        "pool": None,
        "stripe_count": 2,
        "stripe_bytes": 1048576,
        "targets": [5, 6],
    }
    (row,) = parse_document(done.document, {"POSIX": "POSIX"}).rows
    assert row["stripe_count"] == 2
    assert row["observed"]["file_stripes"] == {"1": 1, "2": 1}


def test_only_one_rank_asks_for_the_layout_of_a_shared_file(engine: Engine, lustre: dict[str, str]) -> None:
    engine.good(*SHAPE, ranks=2, environment=lustre)
    assert len((engine.folder / "requests").read_text().splitlines()) == 1


def test_components_are_read_by_the_library(engine: Engine, lustre: dict[str, str]) -> None:
    source = ROOT / "tests/engine/preload/lustreapi.c"
    shared_library(engine.folder / "liblustreapi.so.1", source, "-std=c11", "-Wall", "-Werror")
    done = engine.good(*SHAPE, environment=lustre | {"LD_LIBRARY_PATH": str(engine.folder)})
    found = layout(done)
    assert (found["source"], found["file_stripes"]) == ("llapi", {"2": 1})
    columns = ("pattern", "pool", "stripe_count", "end_bytes", "targets")
    assert [tuple(part[key] for key in columns) for part in found["components"]] == [
        ("mdt", None, 0, 65536, []),
        ("raid0", "flash", 2, 2**30, [3, 12]),
        ("raid0,overstriped", None, -1, None, []),
    ]


def test_nothing_is_recorded_elsewhere(engine: Engine, lustre: dict[str, str]) -> None:
    done = engine.good(*SHAPE, environment={"PATH": lustre["PATH"]})
    assert "file_layout" not in done.result("write")["observed"]


def test_the_first_file_of_a_real_client_is_read(build: Path) -> None:
    run_unit(build, "file_layout", beside("reference/lustre/lfs_getstripe_head.txt"))
