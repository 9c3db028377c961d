"""Logs of Darshan 3.5 (logs/), of programs that were told what to move: counts, verdicts, an application."""

import json
from pathlib import Path

import pytest

from tests.pydarshan import skip_without_darshan
from tests.unit.conftest import RunWeir
from tests.unit.decide.predict.test_predict import study
from weir.base.errors import WeirError
from weir.collect.table import read_records, write_records
from weir.decide.predict.application import application_in
from weir.prove.darshan import read_log
from weir.prove.logged import moved_in

skip_without_darshan()
pytestmark = pytest.mark.slow  # PyDarshan takes two seconds to import

MIB = 2**20
LOGS = Path(__file__).parent / "logs"
WARM_UP = {"collective": MIB, "random": 64 * 1024}  # of each of two processes of weir-io, before it is timed


@pytest.mark.parametrize(("name", "told"), [("collective", 16 * MIB), ("random", 8 * MIB)])
def test_both_accesses_of_a_log_are_what_the_program_was_told(name: str, told: int) -> None:
    found = {one.access: one for one in moved_in(read_log(LOGS / f"{name}.darshan"))}
    assert {access: one.bytes for access, one in found.items()} == dict.fromkeys(
        ("write", "read"), told + 2 * WARM_UP[name]
    )
    assert {one.judged.judgement.verdict for one in found.values()} == {"UNPROVEN"}


def test_the_command_tells_judges_and_keeps_what_dd_did(tmp_path: Path, run_weir: RunWeir) -> None:
    seen, records = tmp_path / "seen.json", tmp_path / "records.csv"
    files = ("--json", str(seen), "--records", str(records))
    log = str(LOGS / "dd.darshan")
    text = run_weir("prove", "--darshan", log, *files, "--expect", "write 900 GiB/s").err
    assert "requested  POSIX: write 20 MiB in 20 calls" in text
    assert "names      2 opens, 0 stats, 1 syncs, 0 mappings" in text
    assert "UNPROVEN, lacks sync, stored: a log has the calls alone" in text
    assert "the log has 20 MiB: INVALID, shorter-than-its-calls" in text
    facts = json.loads(seen.read_text())
    assert (facts["processes"], facts["records"][0]["moved_bytes"]) == (1, 20 * MIB)
    assert [row["verdict"] for row in read_records(records)] == ["UNPROVEN", "INVALID"]
    run_weir("prove", "--darshan", log, "--fail-on", "unproven", code=3)
    run_weir("prove", "--darshan", log, "--fail-on", "degraded")


def test_a_printed_result_is_judged_beside_the_log(tmp_path: Path, run_weir: RunWeir) -> None:
    """Ten times the bytes that the log has."""
    printed = tmp_path / "out"
    printed.write_text("209715200 bytes (210 MB, 200 MiB) copied, 1.0 s, 210 MB/s\n")
    log = str(LOGS / "dd.darshan")
    assert "claimed by dd: write 200 MiB/s; the log has 20 MiB: INVALID, bytes-not-in-calls" in (
        run_weir("prove", "--darshan", log, "--output", printed, "--fail-on", "invalid", code=3).err
    )


def test_other_mounts_and_files_that_are_no_logs(tmp_path: Path) -> None:
    log = read_log(LOGS / "dd.darshan")
    assert moved_in(log, Path("/dev/shm")) == []
    with pytest.raises(WeirError, match="has no transfers by POSIX or MPI-IO below the mount of /dev/shm"):
        application_in(log, 1, Path("/dev/shm"))
    (tmp_path / "other").write_text("text")
    with pytest.raises(WeirError, match="is not a log of Darshan"):
        read_log(tmp_path / "other")
    with pytest.raises(WeirError, match="does not fit the log"):
        application_in(log, 2)


def test_a_log_is_an_application() -> None:
    application = application_in(read_log(LOGS / "collective.darshan"), 1)
    assert (application.name, application.nodes, application.ppn) == ("weir-io", 1, 2)
    assert [
        (one.access, one.api, one.layout, one.order, one.collective, one.xfer_bytes, one.size_bytes)
        for one in application.phases
    ] == [(access, "MPIIO", "shared", "sequential", True, MIB, 9 * MIB) for access in ("write", "read")]
    random = application_in(read_log(LOGS / "random.darshan"), 2).phases
    assert [(one.api, one.layout, one.order, one.xfer_bytes, one.size_bytes) for one in random] == [
        ("POSIX", "file-per-process", "random", 64 * 1024, 4 * MIB)
    ] * 2


def test_predict_takes_a_log(tmp_path: Path, run_weir: RunWeir) -> None:
    """dd wrote 20 MiB by 1 MiB; cells of 1 x 2 processes reach 9 MiB/s with 4 KiB and 128 with 16 MiB."""
    records = tmp_path / "records.csv"
    write_records(records, study())
    log = ("--darshan", str(LOGS / "dd.darshan"))
    printed = run_weir("predict", *log, "--records", records, "--json", "--as-measured").out
    (phase,) = json.loads(printed)["disk"]
    assert phase["predicted"]["median_s"] == pytest.approx(20 / (128 * (9 / 128) ** (4 / 12)))
    assert phase["far"] == ["1x2 processes instead of 1x1", "transfers of 16 MiB instead of 1 MiB"]
    run_weir("predict", "madbench", *log, "--records", records, code=2)
    run_weir("predict", "--records", records, code=2)
    run_weir("predict", "madbench", "--nodes", "2", "--records", records, code=2)
