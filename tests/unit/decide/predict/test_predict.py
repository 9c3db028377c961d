"""An application of ten lines, its predicted time from cells of IOR, and the error beside its own records."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.unit.conftest import RunWeir
from weir.base.errors import ConfigError
from weir.collect.table import write_records
from weir.decide.predict.application import Application, read_application
from weir.decide.predict.forecast import error, forecasts, lines_of, whole
from weir.records.columns import columns

MIB = 2**20
APPLICATION = """application: toy
nodes: 1
ppn: 2
phases:
- {phase: out, access: write, xfer: 16 MiB, bytes: 64 MiB, repeat: 2, compute: 3 s}
- {phase: back, access: read, xfer: 16 MiB, bytes: 64 MiB}
"""


def row(**given: Any) -> dict[str, Any]:
    plain: dict[str, Any] = dict.fromkeys(columns())
    return plain | {
        "api": "POSIX", "access": "write", "nn": 1, "ppn": 2, "xfer_bytes": 16 * MIB, "layout": "shared",
        "order": "sequential", "block_bytes": 64 * MIB, "iteration": 0, "run": 0, "cell": "kernel",
        "experiment": "kernel", "target": "disk", "tool": "ior", "purpose": "bandwidth", "verdict": "VALID",
        "reasons": "", "evidence": "", "notes": "", "checked": "", "missing": "", "emulated": False,
        "bw_mib_s": 128.0,
    } | given  # fmt: skip


def own(**given: Any) -> dict[str, Any]:
    """A record of the application itself."""
    return row(**({"experiment": "toy", "cell": "own", "purpose": "application", "total_s": 4.0} | given))


def study() -> list[dict[str, Any]]:
    rows = []
    for run, rate in enumerate((64.0, 128.0, 256.0)):
        for access in ("write", "read"):
            rows.append(row(access=access, run=run, bw_mib_s=rate))
            rows.append(row(access=access, run=run, bw_mib_s=9.0, cell="small", xfer_bytes=4096))
            rows.append(row(access=access, run=run, bw_mib_s=9.0, cell="random", order="random"))
            rows.append(row(access=access, run=run, bw_mib_s=9.0, cell="broken", verdict="INVALID"))
        rows.append(own(run=run, tool="madbench", bw_mib_s=None))
        rows.append(own(run=run, tool="madbench", bw_mib_s=None, total_s=0.5, access="read"))
    return rows


def test_the_nearest_cell_predicts_each_phase_with_the_range_of_a_run(application: Application) -> None:
    out, back = forecasts(application, study(), "disk")
    assert out.cell == back.cell == "kernel"
    assert out.far == ()
    assert (out.predicted.median_s, out.predicted.runs) == (pytest.approx(2), 3)
    # Runs of 1, 2 and 4 s: the next one may be faster or slower than all of them.
    assert out.predicted.low_s < 1
    assert out.predicted.high_s == pytest.approx(4 / out.predicted.low_s)
    predicted, measured = whole((out, back), "predicted"), whole((out, back), "measured")
    assert predicted.median_s == pytest.approx(2 + 1 + 2 * 3)  # transfers and the time of computing
    assert measured is not None
    value, low, high = error(out.predicted, out.measured)
    assert value == pytest.approx(-0.5)
    assert (low, high) == (out.predicted.low_s / 4 - 1, out.predicted.high_s / 4 - 1)


def test_what_the_nearest_cell_does_not_share_is_named(application: Application) -> None:
    rows = [row(ppn=1, xfer_bytes=4 * MIB, cell="far")]
    out, back = forecasts(application, rows, "disk")
    assert out.far == ("1x1 processes instead of 1x2", "transfers of 4 MiB instead of 16 MiB")
    assert back.predicted is None
    assert whole((out, back), "predicted") is None


def test_only_records_with_its_processes_are_its_measured_time(application: Application) -> None:
    others = [own(nn=2, total_s=1.0), own(ppn=4, total_s=1.0), own(nn=None, total_s=1.0)]
    assert forecasts(application, others, "disk")[0].measured is None
    measured = forecasts(application, [*others, own()], "disk")[0].measured
    assert (measured.median_s, measured.runs) == (4.0, 1)


def test_records_without_a_time_are_skipped(application: Application) -> None:
    timeless = [own(run=1, total_s=None), own(run=2, total_s=0.0, io_s=0.0)]
    assert forecasts(application, timeless, "disk")[0].measured is None
    measured = forecasts(application, [*timeless, own(run=3, total_s=None, io_s=2.0)], "disk")[0].measured
    assert (measured.low_s, measured.high_s, measured.runs) == (2.0, 2.0, 1)


def test_the_command_prints_both_and_the_error(toy: Path, records: Path, run_weir: RunWeir) -> None:
    text = run_weir("predict", toy, "--records", records).out
    assert text.splitlines()[0] == "toy: disk 9 s (6.46-25.6)"
    assert "2 s (0.306-13.1)" in text
    assert "-50% (-92% to +227%)" in text
    printed = run_weir("predict", toy, "--records", records, "--json").out
    assert json.loads(printed)["disk"][0]["cell"] == "kernel"
    write_records(records, [row(order="random")])
    assert "no record fits a phase of toy" in run_weir("predict", toy, "--records", records, code=1).err
    assert "madbench" in run_weir("predict", "madbanch", "--records", records, code=2).err


def test_emulated_storage_stands_last_and_is_told_as_that(
    toy: Path, records: Path, run_weir: RunWeir
) -> None:
    emulated = [one | {"target": "buffer", "emulated": True} for one in study()]
    write_records(records, [*emulated, *study()])
    first, *lines = run_weir("predict", toy, "--records", records).out.splitlines()
    assert first == "toy: disk 9 s (6.46-25.6), buffer (E) 9 s (6.46-25.6)"
    assert [line for line in lines if line.startswith(("disk", "buffer"))] == ["disk", "buffer (E)"]
    found = json.loads(run_weir("predict", toy, "--records", records, "--json").out)
    known = {name: [one["emulated"] for one in each] for name, each in found.items()}
    assert known == {"disk": [False] * 2, "buffer": [True] * 2}
    write_records(records, [one | {"order": "random"} for one in emulated])
    error = run_weir("predict", toy, "--records", records, code=1).err
    assert "toy; buffer (E) out: no cell with its" in error


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("xfer: 16 MiB", "xfre: 16 MiB", r"toy.yaml:5: phases\[0\].xfre: unknown key 'xfre'\n.*'xfer'"),
        ("nodes: 1\n", "", "toy.yaml:1: the key 'nodes' is missing"),
        ("access: write", "access: scribble", "'scribble' is not one of the choices"),
        ("xfer: 16 MiB", "xfer: 16", "16 has no unit"),
        ("xfer: 16 MiB", "xfer: 0 B", r"toy.yaml:5: phases\[0\].xfer: a phase moves at least one byte"),
        ("ppn: 2", 'ppn: "2"', "toy.yaml:3: ppn: '2' is not a whole number"),
        ("ppn: 2", "ppn: 0", "0 is too small"),
        ("repeat: 2", "repeat: x", "'x' is not a whole number"),
        ("compute: 3 s", "compute: 3", "3 has no unit"),
        ("repeat: 2", "collective: yes", "'yes' is not true or false"),
        (APPLICATION.splitlines()[-1], "- back", "'back' is not keys with values"),
        (APPLICATION.partition("phases:\n")[2], "", "phases: has no value"),
        (APPLICATION, "", "is empty"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(toy: Path, old: str, new: str, message: str) -> None:
    toy.write_text(toy.read_text().replace(old, new, 1))
    with pytest.raises(ConfigError, match=message):
        read_application(toy, toy.parent)


@pytest.mark.parametrize("name", ["madbench", "netcdf-climate"])
def test_the_shipped_applications_are_read(name: str) -> None:
    application = read_application(ROOT / "config/applications" / f"{name}.yaml", ROOT)
    assert application.name == name
    assert len(application.phases) >= 2


def test_cells_that_fit_and_are_degraded_are_not_called_missing(
    toy: Path, records: Path, run_weir: RunWeir
) -> None:
    degraded = {"verdict": "DEGRADED", "reasons": "read-from-cache"}
    write_records(records, [one | degraded if one["access"] == "read" else one for one in study()])
    printed = run_weir("predict", toy, "--records", records, "--as-measured").out
    assert "cells have its interface, layout and order, and no usable record: read-from-cache" in printed
    write_records(records, [one | degraded for one in study()])
    error = run_weir("predict", toy, "--records", records, "--as-measured", code=1).err
    assert "disk out: 3 cells have its interface, layout and order" in error


def test_cells_that_are_not_plain_are_not_called_missing(toy: Path, records: Path, run_weir: RunWeir) -> None:
    """As those of a study without synchronisation, which had the interface, layout and order."""
    write_records(records, [one | {"sync": False} for one in study()])
    cause = "disk out: 3 cells have its interface, layout and order, and cannot predict it: sync is false"
    assert cause in run_weir("predict", toy, "--records", records, "--as-measured", code=1).err


def test_times_of_an_hour_have_no_exponent(toy: Path) -> None:
    """A checkpoint of a large application took 1.02e+03 s (1.02e+03-1.02e+03)."""
    toy.write_text(APPLICATION.replace("64 MiB", "64 GiB"))
    application = read_application(toy, toy.parent)
    found = {"disk": forecasts(application, [row(access=access) for access in ("write", "read")], "disk")}
    text = "\n".join(lines_of(application, found))
    assert "e+0" not in text
    assert "out       2,050 s (" in text
