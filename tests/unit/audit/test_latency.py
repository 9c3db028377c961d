"""Latencies of an operation beside the rate, of records and of the programs that print both."""

import json
from pathlib import Path

import pytest

from tests.unit.audit.findings_of_latencies import FITS
from tests.unit.imported import rows_of
from weir.audit import Subject, judge
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files

RULE = "latency-not-depth-over-rate"
GOLDEN = Path(__file__).resolve().parents[2] / "golden"


@pytest.mark.parametrize("number", range(len(FITS)))
def test_latencies_that_fit_have_no_note(number: int) -> None:
    assert RULE not in [one.rule for one in judge(FITS[number]).notes]


def test_the_mean_of_whole_operations_fits_and_that_of_a_part_does_not() -> None:
    """Numbers of buffered libaio in a published thesis: mean 4,028 us of whole operations, 10 us at most of
    the completions."""
    whole = FITS[0]
    assert whole.row["lat_max_us"] > 4028
    part = Subject(whole.row | {"lat_p50_us": 2.576, "lat_p99_us": 9.0, "lat_max_us": 10.3}, whole.observed)
    assert RULE in judge(whole).passed
    (found,) = [one for one in judge(part).notes if one.rule == RULE]
    assert found.evidence.startswith("32 in flight at 8000 operations/s take 4000 us each")


@pytest.mark.parametrize("name", ["fio/seq-write.json", "elbencho/shared.json", "elbencho/random.json"])
def test_programs_that_print_both(name: str) -> None:
    rows = import_files([GOLDEN / name], Facts()).rows
    assert all(RULE not in row["notes"] for row in rows)
    assert any(RULE in row["checked"] for row in rows if row["item"] is None)


def test_depth_of_engines_that_wait_is_one(tmp_path: Path) -> None:
    """psync does one operation after the other, whatever the depth; libaio does not."""
    document = json.loads((GOLDEN / "fio/seq-write.json").read_text())
    (job,) = document["jobs"]
    job["job options"] |= {"iodepth": "256", "end_fsync": "0"}
    for engine, has_note in (("psync", False), ("libaio", True)):
        job["job options"]["ioengine"] = engine
        (row,) = rows_of(tmp_path, json.dumps(document))
        assert (RULE in row["notes"]) is has_note, engine
