"""An IO500 run under weir prove: each phase with its evidence, the score beside the rules."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.decide.io500.results import new_summary
from tests.unit.prove.reports import MIB, S, mount, process
from tests.unit.prove.test_shared_calls import busy
from weir.decide.io500.proven import (
    ProvenPhase,
    ProvenRun,
    headline,
    proven_facts,
    proven_lines,
    proven_run,
    watched_run,
)
from weir.decide.io500.result import PHASES
from weir.prove.claims import judged_claims
from weir.prove.mounts import mounts_of

IOR = """\
IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O
Began               : Fri Nov 27 12:09:38 2026
Command line        : ./ior -e -k -o ./data/ior-easy/file -t 1m -b 32m -F -w -D 3 -O stoneWallingWearOut=1
Options:
api                 : POSIX
access              : file-per-process
nodes               : 1
tasks               : 2
clients per node    : 2
xfersize            : 1 MiB
blocksize           : 32 MiB
aggregate filesize  : 64 MiB
stonewallingTime    : 3
stoneWallingWearOut : 1

Results:

access    bw(MiB/s)  IOPS   Latency(s)  block(KiB) xfer(KiB)  open(s)  wr/rd(s)  close(s)  total(s)  iter
------    ---------  ----   ----------  ---------- ---------  -------  --------  --------  --------  ----
write     {rate:.2f}      64.00  0.010214    32768      1024.00    0.000028 1.00      0.0000    1.00      0
"""
MDTEST = """\
-- started at 11/27/2026 12:09:45 --

mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)
Command line used: ./mdtest '-n' '500' '-u' '-L' '-F' '-P' '-N' '1' '-d' './data/mdtest-easy' {action}
Nodemap: 11
2 tasks, 1000 files

SUMMARY rate (in ops/sec): (of 1 iterations)
   Operation                     Max            Min           Mean        Std Dev
   ---------                     ---            ---           ----        -------
   File creation           {created:>14.3f} {created:>14.3f} {created:>14.3f}          0.000
   File stat                       0.000          0.000          0.000          0.000
   File read                       0.000          0.000          0.000          0.000
   File removal            {removed:>14.3f} {removed:>14.3f} {removed:>14.3f}          0.000
   Tree creation                   0.000          0.000          0.000          0.000
   Tree removal                    0.000          0.000          0.000          0.000
-- finished at 11/27/2026 12:09:46 --
"""
FOUND = """\
runtime: 0.500000 rate: 2000.000000
rank, errors, unknown, found, total, checked, job steal msgs received, work items send, job steal msgs send
0, 0, 0, 3, 600, 604, 3, 0, 3, 0, 0.740s, 4
1, 0, 0, 0, 400, 401, 3, 0, 3, 0, 0.694s, 3
"""
VALUES = {"ior_easy_write": 0.0625, "mdtest_easy_write": 2.0, "mdtest_easy_delete": 4.0}


def io500(folder: Path, values: dict[str, float], ior_mib_s: float = 64.0) -> str:
    """A run of a few seconds with the logs of three phases; what it prints."""
    folder.mkdir()
    lines = new_summary(time_s=3.1).splitlines()
    for at, line in enumerate(lines):
        name = line.split("]")[-1].split()[0].replace("-", "_") if line.startswith("[RESULT") else ""
        if name in values:
            unit = PHASES[name]
            lines[at] = f"[RESULT] {name.replace('_', '-')} {values[name]:.6f} {unit} : time 3.100 seconds"
    (folder / "result_summary.txt").write_text("\n".join(lines) + "\n")
    (folder / "ior-easy-write.txt").write_text(IOR.format(rate=ior_mib_s))
    creation = MDTEST.format(action="'-C' '-Y' '-W' '3'", created=2000.0, removed=0.0)
    (folder / "mdtest-easy-write.txt").write_text(creation)
    (folder / "mdtest-easy-delete.txt").write_text(MDTEST.format(action="'-r'", created=0.0, removed=4000.0))
    return f"[SCORE ] ...\n\nThe result files are stored in the directory: {folder}\n"


def watched() -> list[dict[str, Any]]:
    """The processes: 64 MiB in a second, then 1,000 files made and removed."""
    names = {"create": 1000, "unlink": 1000}
    phase = busy(64, lasted_s=0.9)
    phase["names"] = phase["names"] | names
    phase["name"] = phase["name"] | {"calls": 2000, "busy_ns": 1000}
    return [process(mount(phase, device=(0, 64), io={"wchar": 64, "write_bytes": 64}))]


def proven(output: str, processes: list[dict[str, Any]]) -> ProvenRun:
    run = watched_run(output)
    found = judged_claims([*run.claims.values()], mounts_of(processes), processes, ["io500", "config.ini"])
    return proven_run(run, [judged for _, judged in found])


def test_each_phase_has_a_verdict_and_the_score_is_none(tmp_path: Path) -> None:
    found = proven(io500(tmp_path / "run", VALUES), watched())
    lines = [*proven_lines(found)]
    table = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert table["ior_easy_write"].endswith("VALID: 64 MiB in calls, proven to the devices")
    assert table["mdtest_easy_write"].endswith("VALID: 1,000 calls, proven to the client")
    assert table["mdtest_easy_delete"].endswith("VALID: 1,000 calls, proven to the client")
    lacks = "lacks operations: a script searched, which leaves no number of files (find.csv)"
    assert table["find"].endswith(f"UNPROVEN: {lacks}")
    assert table["ior_hard_read"].endswith("UNPROVEN: the directory has no log of it")
    assert lines[-2:] == ["valid by IO500's rules: no (stonewall 3 s < 300 s)", "proven: 3 of 12"]
    assert any("not a valid IO500 score: shortened run" in line for line in lines)
    assert headline(found) == "3 of 12 phases of IO500 proven, not a valid IO500 score: shortened run"
    facts = proven_facts(found)
    assert (facts["valid"], facts["score"], facts["proven"]) == (False, None, 3)
    assert facts["index_not_a_score"] > 0
    assert facts["phases"]["ior_easy_write"]["verdict"] == "VALID"


def test_a_value_that_is_not_that_of_its_log_is_not_proven(tmp_path: Path) -> None:
    output = io500(tmp_path / "run", VALUES | {"ior_easy_write": 0.125, "mdtest_easy_write": 2.001})
    found = {one.name: one for one in proven(output, watched()).phases}
    edited = found["ior_easy_write"]
    assert edited.verdict == "UNPROVEN"
    assert edited.evidence == "its log has 0.062 GiB/s (+100.0% in the result)"
    assert found["mdtest_easy_write"].verdict == "VALID"


def test_a_rate_that_the_calls_deny_is_invalid(tmp_path: Path) -> None:
    log = {"ior_easy_write": 0.25}
    found = {one.name: one for one in proven(io500(tmp_path / "run", VALUES | log, 256.0), watched()).phases}
    assert found["ior_easy_write"].verdict == "INVALID"


def test_phases_without_calls_are_unproven(tmp_path: Path) -> None:
    """The program ran where nobody watched."""
    assert proven(io500(tmp_path / "run", VALUES), [process(mount(busy(0)))]).proven == 0


@pytest.mark.parametrize("output", ["", "IO500 version io500-isc24\n[RESULT] ior-easy-write 1.0 GiB/s\n"])
def test_other_output_is_of_no_run(output: str) -> None:
    assert watched_run(output) is None


def test_the_number_of_files_is_that_of_the_creation(tmp_path: Path) -> None:
    run = watched_run(io500(tmp_path / "run", VALUES))
    assert run.claims["mdtest_easy_delete"].row["ops"] == run.claims["mdtest_easy_write"].row["ops"] == 1000
    assert run.claims["ior_easy_write"].row["moved_bytes"] == 64 * MIB
    assert run.claims["ior_easy_write"].complete


def test_a_stonewall_that_ended_a_phase_of_metadata_is_no_other_number_of_files(tmp_path: Path) -> None:
    """As in each real run: more files were requested than 300 s suffice for."""
    output = io500(tmp_path / "run", VALUES)
    for name in ("mdtest-easy-write.txt", "mdtest-easy-delete.txt"):
        log = tmp_path / "run" / name
        text = log.read_text().replace("'-n' '500'", "'-n' '800' '-x' 'run/mdtest-easy.stonewall'")
        text = text.replace("2 tasks, 1000 files\n", "2 tasks, 1600 files\n")
        if "write" in name:
            wall = "Continue stonewall hit min: 450 max: 500 avg: 475.0 \n\nSUMMARY rate"
            text = text.replace("SUMMARY rate", wall, 1)
        log.write_text(text)
    found = {one.name: one for one in proven(output, watched()).phases}
    for name in ("mdtest_easy_write", "mdtest_easy_delete"):
        assert found[name].evidence == "1,000 calls, proven to the client", name
        assert found[name].verdict == "VALID"


def searched(
    folder: Path, found: int = 1000, files: int = 1000, busy_s: float = 0.4, **more: Any
) -> ProvenPhase:
    """The search of a run that found so many files in half a second, and what its processes read."""
    output = io500(folder, VALUES | {"find": found / 500})
    (folder / "find.csv").write_text(FOUND.replace(", 400, ", f", {found - 600}, "))
    (one,) = watched()
    one |= {"program": "./io500"} | more
    listed = {"entries": files, "busy_ns": int(busy_s * 1e9)}
    one["mounts"] = [part | ({"listed": listed} if files else {}) for part in one["mounts"]]
    script = process(mount(listed={"entries": 9000, "busy_ns": 5 * S}), program="drop.py")
    return next(one for one in proven(output, [one, script]).phases if one.name == "find")


def test_a_search_is_proven_by_the_entries_that_its_own_processes_read(tmp_path: Path) -> None:
    found = searched(tmp_path / "run")
    assert (found.verdict, found.evidence) == ("VALID", "1,000 calls, proven to the client")


LIAR = [{"call": "readdir64", "object": "liar.so", "behind": True}]


@pytest.mark.parametrize(
    ("name", "facts", "verdict", "why"),
    [
        ("few", {"files": 900}, "INVALID", "reported 1000 operations, the calls made 900"),
        ("missed", {"found": 900}, "INVALID", "requested 1000 operations, 900 were done"),
        ("quick", {"busy_s": 0.7}, "INVALID", "the access lasted 0.5 s, its calls 0.7 s"),
        ("old", {"files": 0}, "UNPROVEN", "lacks operations"),
        ("answered", {"calls": LIAR}, "UNPROVEN", "lacks"),
    ],
)
def test_a_search_that_the_reads_of_directories_deny(
    tmp_path: Path, name: str, facts: dict[str, Any], verdict: str, why: str
) -> None:
    found = searched(tmp_path / name, **facts)
    assert found.verdict == verdict, found.evidence
    assert why in found.evidence


def test_a_search_whose_value_is_not_that_of_its_table_is_not_proven(tmp_path: Path) -> None:
    output = io500(tmp_path / "run", VALUES | {"find": 4.0})
    (tmp_path / "run" / "find.csv").write_text(FOUND)
    found = next(one for one in proven(output, watched()).phases if one.name == "find")
    assert (found.verdict, found.evidence) == ("UNPROVEN", "its log has 2.000 kIOPS (+100.0% in the result)")
