"""What a program claims beside what was counted, and what fakes either."""

import sys
from pathlib import Path

import pytest

from tests.compiled import shared_library
from tests.unit.decide.io500.test_proven import VALUES, io500
from tests.witness.conftest import MIB, Prove, counted, near, need_programs


def test_results_in_a_file_that_the_program_names_are_judged(prove: Prove) -> None:
    """The file was only named, and the claim in it not judged."""
    fio = "fio --name=a --rw=write --bs=1M --size=16M --end_fsync=1 --output-format=json --output=o.json"
    seen = prove(*fio.split())
    (claim,) = seen["claims"]
    assert (claim["program"], claim["moved_bytes"]) == ("fio", 16 * MIB)
    assert "claimed by fio in o.json: write " in seen["stderr"]
    again = prove(*fio.split(), options=("--output", "o.json"))
    assert len(again["claims"]) == 1
    assert "claimed by fio: write " in again["stderr"]


def test_a_program_without_a_known_result_is_told_how_to_have_its_number_judged(prove: Prove) -> None:
    code = "open('f', 'wb').write(bytes(20 << 20)); print('wrote at 900.5 MB/s')"
    hint = "hint: no result was read from the output; a number is judged by --expect 'write 900.5 MB/s'"
    assert hint in prove(sys.executable, "-c", code)["stderr"].splitlines()
    expected = prove(sys.executable, "-c", code, options=("--expect", "write 900.5 MB/s"))
    assert len(expected["claims"]) == 1
    assert "no result was read" not in expected["stderr"]


def test_a_form_that_is_not_read_is_named(prove: Prove) -> None:
    seen = prove(sys.executable, "-c", "print('Max Write: 100.00 MiB/sec (104.86 MB/sec)')")
    assert not seen["claims"]
    assert "not judged: its output is the greatest rates of IOR alone" in seen["stderr"]


def test_the_lines_of_fio_minimal_are_judged(prove: Prove) -> None:
    seen = prove("fio", "--minimal", "--name=a", "--rw=write", "--bs=1M", "--size=8M", "--end_fsync=1")
    assert [(one["access"], one["moved_bytes"]) for one in seen["claims"]] == [("write", 8 * MIB)]


def test_claims_are_judged_beside_the_counts(prove: Prove) -> None:
    """dd prints its own rate; --expect names one that nobody reached."""
    options = ("--expect", "write 900 GiB/s")
    seen = prove("dd", "if=/dev/zero", "of=f", "bs=1M", "count=20", "conv=fsync", options=options)
    expected, own = seen["claims"]
    assert (expected["verdict"], "shorter-than-its-calls" in expected["reasons"]) == ("INVALID", True)
    assert (own["access"], own["moved_bytes"], own["program"]) == ("write", 20 * MIB, "dd")
    assert "bytes-not-in-calls" in own["checked"].split(";")
    assert "claimed by dd: write " in seen["stderr"]


def test_fio_is_believed_only_where_the_storage_answered(prove: Prove) -> None:
    job = ("fio", "--name=j", "--size=16m", "--bs=64k", "--filename=f", "--output-format=json")
    (write,) = prove(*job, "--rw=write", "--end_fsync=1")["claims"]
    assert (write["tool"], write["moved_bytes"], write["sync"]) == ("fio", 16 * MIB, True)
    assert "sync-not-applied" in write["checked"].split(";")
    seen = prove("sh", "-c", "cat f > /dev/null; " + " ".join([*job, "--rw=read", "--invalidate=0"]))
    (read,) = seen["claims"]
    if next(one for one in seen["mounts"] if one["phases"])["counted"]:
        assert read["verdict"] != "VALID"


@pytest.mark.parametrize("sync", [(), ("-e",)], ids=["no sync", "sync"])
def test_each_iteration_of_the_original_ior_has_its_own_calls(prove: Prove, sync: tuple[str, ...]) -> None:
    """Two iterations of two ranks: each rank moves as much in all as each result has."""
    need_programs("mpirun", "ior")
    start, options = ("mpirun", "--oversubscribe", "-np", "2"), ("-i", "2", "-t", "1m", "-b", "16m")
    seen = prove(*start, "ior", "-w", *sync, *options, "-o", "f")
    claims = [line for line in seen["stderr"].splitlines() if line.startswith("claimed by IOR: write ")]
    assert len(claims) == 2
    for line in claims:
        assert "counted 32 MiB at" in line
        assert "calls of 2 results" not in line
    (verdict,) = {one["verdict"] for one in seen["claims"]}
    assert verdict != "INVALID"
    assert all(f": {verdict}" in line for line in claims)


def test_one_file_after_the_other_is_one_phase_with_parts(prove: Prove) -> None:
    """One process closes each file before the next one; small files are of no result."""
    writes = """
import os
for name, size in (("a", 4 << 20), ("b", 2 << 20), *((f"s{n}", 4096) for n in range(9)), ("c", 3 << 20)):
    fd = os.open(name, os.O_CREAT | os.O_WRONLY)
    os.write(fd, bytes(size)), os.close(fd)
"""
    seen = prove(sys.executable, "-c", writes)
    (phase,) = (phase for one in seen["mounts"] for phase in one["phases"])
    assert phase["written_bytes"] == (9 << 20) + 9 * 4096
    assert [one["written_bytes"] for one in phase["spans"]] == [4 << 20, 2 << 20, (3 << 20) + 9 * 4096]


def test_the_original_ior_and_mdtest_are_counted_and_judged(prove: Prove) -> None:
    need_programs("mpirun", "ior", "mdtest")
    start = ("mpirun", "--oversubscribe", "-np", "2")
    seen = prove(*start, "ior", "-w", "-e", "-k", "-t", "1m", "-b", "8m", "-o", "f")
    assert near(counted(seen, "written_bytes"), 16 * MIB)
    (write,) = seen["claims"]
    assert (write["tool"], write["program"], write["moved_bytes"]) == ("ior", "IOR", 16 * MIB)
    assert write["sync"] is True
    assert "bytes-not-in-calls" in write["checked"].split(";")
    names = ("mdtest", "-F", "-C", "-E", "-n", "256", "-w", "4096", "-e", "4096", "-d", "names")
    seen = prove(*start, *names)
    assert near(counted(seen, "written_bytes"), 2 * MIB)
    assert near(counted(seen, "read_bytes"), 2 * MIB)
    assert {claim["program"] for claim in seen["claims"]} == {"mdtest"}


def test_a_run_of_io500_has_a_table_of_its_phases(prove: Prove, tmp_path: Path) -> None:
    """A script stands for IO500: it writes as much as one phase, and prints where its results are."""
    printed = tmp_path / "printed"
    printed.write_text(io500(tmp_path / "run", VALUES))
    writes = "dd if=/dev/zero of=f bs=1M count=64 conv=fsync 2>/dev/null"
    seen = prove("sh", "-c", f"{writes}; cat {printed}")
    phases = seen["io500"]["phases"]
    assert phases["ior_easy_write"]["evidence"].startswith("64 MiB in calls")
    assert phases["mdtest_easy_write"]["verdict"] == "INVALID"  # no file was made
    assert (seen["io500"]["score"], seen["io500"]["valid"]) == (None, False)
    lines = seen["stderr"].splitlines()
    assert "phases of IO500 proven, not a valid IO500 score: shortened run" in lines[0]
    assert "valid by IO500's rules: no (stonewall 3 s < 300 s)" in lines
    assert not any(line.startswith("claimed by") for line in lines)


LIAR = "int fsync(int fd) { return fd < 0; } int fdatasync(int fd) { return fd < 0; } void sync(void) {}"


def test_a_removed_synchronisation_proves_nothing(prove: Prove, tmp_path: Path) -> None:
    """As eatmydata does it, before the library of weir or behind it."""
    need_programs("fio")
    liar = shared_library(tmp_path / "liar.so", LIAR)
    job = "fio --name=j --size=16m --bs=64k --filename=f --output-format=json --rw=write --end_fsync=1"
    for preload in (f"{liar}:$LD_PRELOAD", f"$LD_PRELOAD:{liar}"):
        (claim,) = prove("sh", "-c", f"LD_PRELOAD={preload} {job}")["claims"]
        assert claim["sync"] is True
        assert claim["verdict"] != "VALID", preload


def test_eatmydata_is_never_valid(prove: Prove) -> None:
    """Debian's own, before a program that requests what it takes away."""
    need_programs("eatmydata", "fio")
    fio = "fio --name=j --size=16m --bs=64k --filename=f --output-format=json --rw=write"
    for command in (
        "dd if=/dev/zero of=f bs=1M count=16 oflag=dsync",
        f"{fio} --end_fsync=1",
        f"{fio} --sync=1",
    ):
        (claim,) = prove("eatmydata", *command.split())["claims"]
        assert claim["verdict"] != "VALID", command


FORGER = """
import glob, json, os
pid = os.fork()
if pid == 0:
    file = os.open("f", os.O_CREAT | os.O_WRONLY)
    os.write(file, bytes(2 << 20)), os.fsync(file), os._exit(0)
os.waitpid(pid, 0)
for name in glob.glob(os.environ["WEIR_WITNESS"] + f".*{pid}*.json"):
    report = json.load(open(name))
    for mount in report["mounts"]:
        mount["written_bytes"] *= 500
        mount["end"]["io"]["write_bytes"] += 1000 << 20
        if mount["end"]["device"]:
            mount["end"]["device"][1] += 1000 << 20
        for phase in mount["phases"]:
            phase["written_bytes"] *= 500
            phase["synced_bytes"] *= 500
    report["io"]["wchar"] += 1000 << 20
    json.dump(report, open(name, "w"))
"""


def test_a_program_that_changes_the_reports_proves_nothing(prove: Prove) -> None:
    seen = prove(sys.executable, "-c", FORGER, options=("--expect", "write 100 MiB/s"))
    assert counted(seen, "written_bytes") == 1000 * MIB
    assert all(one["verdict"] != "VALID" for one in (*seen["records"], *seen["claims"]))
    assert any("nothing is believed" in text for text in seen["not_seen"])
