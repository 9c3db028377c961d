"""Counters, addresses and layouts as real Lustre clients print them (2.10 from beside the checkout)."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import beside
from tests.engine.runs import ROOT, run_unit
from tests.engine.test_engine_probe import captured_stats
from weir.measure.command import stripe
from weir.records.model import Target

CAPTURED = ROOT / "tests/golden/lustre/2.17.57"
# begin, pattern, stripes of how many bytes, OSTs that hold them
LAYOUTS = {
    "plain": ["0 raid0 2 of 1048576: 0 1"],
    "overstriped": ["0 raid0,overstriped 4 of 1048576: 1 0 1 0"],
    "progressive": ["0 raid0 1 of 1048576: 0", "1048576 raid0 2 of 1048576: 1 0"],
    "data-on-mdt": ["0 mdt 0 of 1048576:", "1048576 raid0 2 of 1048576: 0 1"],
    "small-on-mdt": ["0 mdt 0 of 1048576:", "1048576 raid0 2 of 1048576:"],
}


def test_the_counters_of_a_real_client_are_read(build: Path, tmp_path: Path) -> None:
    stats = tmp_path / "stats"
    stats.write_text(captured_stats())
    run_unit(build, "llite", stats)


@pytest.mark.parametrize("skipped_lines", [0, 2])
def test_the_stripes_of_a_real_client_are_read(tmp_path: Path, skipped_lines: int) -> None:
    """From the line of a directory and from the layout of a file."""
    printed = beside("reference/lustre/lfs_getstripe_head.txt").read_text().splitlines(keepends=True)
    (tmp_path / "layout").write_text("".join(printed[skipped_lines:]))
    target = replace(Target("files", "parallel", "/files"), get_stripes=("cat", "{folder}/layout"))
    assert stripe(tmp_path, {}, target) == 2


def test_bytes_and_requests_of_all_targets_of_a_real_client_are_summed(build: Path) -> None:
    run_unit(build, "osc", CAPTURED / "sys/kernel/debug/lustre")


def test_addresses_of_all_targets_of_a_real_client_are_found(build: Path) -> None:
    """In /proc it has a folder of the metadata target without its address."""
    roots = [CAPTURED / name for name in ("sys/fs/lustre", "sys/kernel/debug/lustre", "proc/fs/lustre")]
    run_unit(build, "lnet", WEIR_LUSTRE_ROOT=":".join(map(str, roots)))


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_of_a_real_file_system_are_read(build: Path, name: str) -> None:
    printed = run_unit(build, "file_layout", "print", CAPTURED / f"getstripe-{name}.txt")
    assert printed.splitlines() == LAYOUTS[name]
