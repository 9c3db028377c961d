"""Single cells among the submissions: ranked where they follow the rules of a phase, else refused."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import new_summary, write
from weir.collect.table import write_records
from weir.decide.io500.cells import RANDOM_READ, cell_lines, ordinal, phase_of, populations, standings
from weir.decide.io500.submissions import DEFAULT, read_submissions
from weir.records.columns import columns
from weir.records.model import Row

PUBLISHED = populations(read_submissions(DEFAULT))


def row(access: str, **changes: Any) -> Row:
    """A valid record of ior-hard that lasted as long as the rules request."""
    empty = {name: "" if column.role == "verdict" else None for name, column in columns().items()}
    return empty | {
        "tool": "ior", "purpose": "bandwidth", "api": "POSIX", "access": access, "layout": "shared",
        "order": "sequential", "xfer_bytes": 47008, "block_bytes": 47008, "segments": 9, "nn": 2, "ppn": 4,
        "iteration": 0, "run": 0, "cell": "a" * 12, "label": "here", "site": "lab", "target": "scratch",
        "emulated": False, "sync": True, "verdict": "VALID", "total_s": 300.5, "bw_mib_s": 2048.0,
        "suite": "mine",
    } | changes  # fmt: skip


# Rows of mdtest with files in directories of their own.
METADATA = {"purpose": "metadata", "item": "file", "directories": "own", "xfer_bytes": 0}


def ranked(**changes: Any) -> tuple[dict[str, Any], str]:
    """Places and reason of the read of a cell."""
    found = standings([row("write", **changes), row("read", **changes)], PUBLISHED, ["ram"])
    (read,) = [one for one in found if one.access == "read"]
    return dict(read.places), read.why_not


def test_a_comparable_cell_has_percentiles_of_system_node_and_process() -> None:
    places, why_not = ranked()
    assert why_not == ""
    values = sorted(one.value for one in PUBLISHED["ior_hard_read"])
    below = sum(value < 2.0 for value in values)
    assert (places["whole"].submissions, places["whole"].below) == (343, below)
    assert places["whole"].percentile == pytest.approx(100 * below / 343)
    assert (places["node"].value, places["process"].value) == (1.0, 0.25)
    assert places["node"].submissions < 343
    lines = cell_lines(standings([row("write"), row("read")], PUBLISHED))
    (line,) = [line for line in lines if "of ior_hard_read; " in line and line.startswith("  at")]
    at = f"at the {ordinal(places['whole'].percentile)} percentile"
    assert line.startswith(f"  {at} of 343 published values")
    assert line.endswith(" on IME")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"emulated": True}, "emulated storage"),
        ({"target": "ram"}, "storage that does not survive the node"),
        ({"verdict": "UNPROVEN"}, "not every run is VALID"),
        ({"total_s": 12.0}, "its write phase lasted 12.0 s, not 300 s or longer"),
        ({"order": "random"}, "random transfers other than reads of 4 KiB are in no phase"),
        ({"nn": None}, "nodes and processes are unknown"),
        ({"rate": 100}, "the rate of its transfers was set"),
        ({"rate": 100, "order": "random", "xfer_bytes": 4096}, "the rate of its transfers was set"),
        ({"tool": "netcdf-bench", "purpose": "format"}, "IO500 has no phase of netcdf-bench"),
        ({"purpose": "search"}, "a search alone is not comparable: its tree is that of all other phases"),
    ],
)
def test_a_cell_that_is_not_comparable_is_never_ranked(changes: dict[str, Any], reason: str) -> None:
    assert ranked(**changes) == ({}, reason)


def test_a_read_without_its_write_is_not_ranked() -> None:
    (read,) = standings([row("read")], PUBLISHED)
    assert (dict(read.places), read.why_not) == ({}, "its write phase lasted unknown, not 300 s or longer")


@pytest.mark.parametrize(
    ("changes", "phase"),
    [
        ({}, "ior_hard_read"),
        ({"xfer_bytes": 2**21}, "ior_easy_read"),
        ({"segments": 1}, "ior_easy_read"),
        ({"order": "random", "xfer_bytes": 4096}, RANDOM_READ),
        (METADATA | {"directories": "shared", "xfer_bytes": 3901}, "mdtest_hard_read"),
        (METADATA | {"access": "stat"}, "mdtest_easy_stat"),
        (METADATA, ""),
        (METADATA | {"item": "directory", "access": "stat"}, ""),
    ],
)
def test_the_phase_of_a_cell(changes: dict[str, Any], phase: str) -> None:
    assert phase_of(row("read") | changes)[0] == phase


def test_few_published_values_give_a_count_and_no_percentile() -> None:
    rates = {"write": 9000.0, "read": 9500.0}
    rows = [row(access, order="random", xfer_bytes=4096, bw_mib_s=rate) for access, rate in rates.items()]
    text = "\n".join(cell_lines(standings(rows, PUBLISHED)))
    assert "at the 35th percentile of 26 published values of random reads of 4 KiB without doubt" in text
    few = {**PUBLISHED, RANDOM_READ: PUBLISHED[RANDOM_READ][:5]}
    text = "\n".join(cell_lines(standings(rows, few)))
    assert "above 4 of 5 published values of random reads of 4 KiB without doubt" in text
    assert "percentile" not in text
    assert "1  random transfers other than reads of 4 KiB are in no phase" in text


def test_ordinals() -> None:
    assert [ordinal(each) for each in (0.0, 1.4, 2, 3, 11, 12, 21, 62, 99.9)] == [
        *("1st", "1st", "2nd", "3rd", "11th", "12th", "21st", "62nd", "99th")
    ]


def test_the_command_ranks_records(tmp_path: Path, run_weir: RunWeir) -> None:
    records = tmp_path / "records.csv"
    write_records(records, [row("write"), row("read"), row("write", cell="b" * 12, target="ram")])
    (tmp_path / "facts.json").write_text(json.dumps({"targets": [{"target": "ram", "kind": "memory"}]}))
    found = json.loads(run_weir("io500", "--records", records, "--json").out)
    assert [(one["cell"][0], one["phase"], bool(one["places"])) for one in found] == [
        ("a", "ior_hard_write", True),
        ("a", "ior_hard_read", True),
        ("b", "ior_hard_write", False),
    ]
    assert "no cell is comparable" in run_weir("io500", "--records", records, "--cell", "b" * 12).out
    assert "has no such cell" in run_weir("io500", "--records", records, "--cell", "c", code=2).err


def test_the_figure_of_a_result(tmp_path: Path, run_weir: RunWeir) -> None:
    """Twelve phases, three dots where nodes and processes are known, a tick for each system on IME."""
    svg = tmp_path / "standing.svg"
    write(tmp_path, result_summary=new_summary())
    printed = run_weir("io500", tmp_path, "--figure", svg).out
    assert "no percentiles" not in printed
    root = ElementTree.parse(svg).getroot()
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(dots) == 12 + 3  # nodes and processes are unknown; three in the key
    red = [one for one in root.findall("{http://www.w3.org/2000/svg}line") if one.get("stroke") == "#b2182b"]
    assert len(red) == 12 * 8 + 1


def test_a_large_rate_has_no_exponent() -> None:
    """12,346 GiB/s was 1.235e+04."""
    rows = [row(access, bw_mib_s=1024 * 12345.6) for access in ("write", "read")]
    text = "\n".join(cell_lines(standings(rows, PUBLISHED)))
    assert "12,346 GiB/s, median of 1 run" in text


def test_what_a_table_of_an_earlier_version_lacks_is_not_known(tmp_path: Path, run_weir: RunWeir) -> None:
    """A column that is newer than the table ended both commands with a traceback."""
    table = tmp_path / "records.csv"
    table.write_text("cell,access,verdict,target,purpose,bw_mib_s\nc,read,VALID,disk,bandwidth,9\n")
    assert "1  nodes and processes are unknown" in run_weir("io500", "--records", table).out
    error = run_weir("predict", "netcdf-climate", "--records", table, code=1).err
    assert "no record fits a phase of netcdf-climate" in error
