"""Real file systems: weir measures each as root and as an ordinary user; its claims match other counters."""

import re
from pathlib import Path

import pytest
import yaml

from tests.lab.conftest import Lab
from tests.lab.filesystem import SITE
from tests.lab.machine import ROOT
from tests.lab.trial import tried
from tests.lab.weir_runs import LIMIT, ior, measured, python_for, records_of, suite

PAGE = ROOT / "docs/how-to/storage.md"
AGAIN = "again"  # reads what the node has just written, with its caches


SUITE = {
    "suite": "lab-matrix",
    "question": "Does each interface move its bytes to the servers?",
    "experiments": {
        "ior": ior("32 MiB", ["POSIX", "MPIIO"], drop_caches=True, barriers=True),
        AGAIN: ior("16 MiB", drop_caches=False),
        "netcdf": {
            "tool": "netcdf-bench",
            "nodes": [1],
            "ppn": [2],
            "timeout": LIMIT,
            "space": {"collective": [False]},
            "fixed": {"access": ["write", "read"], "geometry": "16:16:64:256", "drop_caches": True},
        },
        "metadata": {
            "tool": "mdtest",
            "nodes": [1],
            "ppn": [2],
            "timeout": LIMIT,
            "space": {"directories": ["own"]},
            "fixed": {
                "access": ["create", "stat", "read", "remove"],
                "item": "file",
                "items_per_rank": 50,
                "xfer": "0 B",
            },
        },
    },
}
PROBED_SUITE = suite(
    "lab-probed", "Do the disks of the servers have the bytes?", ior=ior("16 MiB", drop_caches=True)
)
CELLS, RECORDS = 5, 12  # of a target
# Of the templates of a centre: the target of the lab that a reader has instead of it.
TEMPLATES = {"glusterfs": "glusterfs", "cephfs": "cephfs", "nfs": "nfs4"}
# A small run on a machine that others use, whose guest stands still then; and clients that answer stat of a
# new file from their cache.
TRUE_FINDINGS = {"phase-too-short", "machine-busy", "neighbours", "metadata-from-cache", "paused"}
# Notes of records whose counts could not decide: such a run is repeated, as its user would do.
CANNOT_DECIDE = ("not-at-servers:", "not-from-servers:")
AT_THE_SERVERS = {"not-at-servers", "not-from-servers"}


@pytest.fixture(scope="module")
def config(lab: Lab) -> Path:
    """In the machine, for all its users."""
    folder = lab.machine.home / "config"
    lab.machine.write(folder / "suites" / "lab-matrix.yaml", yaml.safe_dump(SUITE))
    return folder


# An ordinary user that every machine has may see less.
@pytest.mark.parametrize("user", [pytest.param("root", marks=pytest.mark.weekly), "nobody"])
def test_every_cell_of_the_matrix_has_results_and_no_false_finding(lab: Lab, config: Path, user: str) -> None:
    if python_for(lab.machine, user) is None:
        pytest.skip(f"user {user} may not run an interpreter that has weir's packages")
    # An async export differs from a sync one at the server alone, which the probe below tells apart.
    targets = [name for name in lab.file_system.targets if user == "root" or not name.endswith("-async")]
    cells, rows = measured(lab.machine, user, config, "lab-matrix", targets)
    if any(note in row["notes"] for row in rows for note in CANNOT_DECIDE):
        cells, rows = measured(lab.machine, user, config, "lab-matrix", targets, again=True)
    assert cells == CELLS * len(targets)
    assert len({row["cell"] for row in rows}) == cells
    assert len(rows) == RECORDS * len(targets)
    cached = [row for row in rows if (row["experiment"], row["access"]) == (AGAIN, "read")]
    for row in cached:
        told = f"{row['target']} read again: {row['verdict']} {row['evidence']}"
        assert row["verdict"] != "VALID" or "not-from-servers" in row["checked"].split(";"), told
    rows = [row for row in rows if row not in cached]
    moved = [row for row in rows if row["access"] in ("write", "read") and row["purpose"] != "metadata"]
    proven = [row for row in moved if not row["missing"] and AT_THE_SERVERS & {*row["checked"].split(";")}]
    assert all(row["proof"] == "servers" for row in proven if row["verdict"] == "VALID")
    unproven = [
        f"{row['target']} {row['api']} {row['access']}: {row['missing']} {row['notes']}"
        for row in moved
        if row not in proven
    ]
    assert len(proven) >= 0.95 * len(moved), unproven
    findings = [
        f"{row['target']} {row['api']} {row['access']}: {row['verdict']} {row['evidence']}"
        for row in rows
        if set(filter(None, row["reasons"].split(";"))) - TRUE_FINDINGS
    ]
    assert findings == [], "\n".join(findings)


def test_the_bytes_that_weir_io_claims_are_those_of_the_counters(lab: Lab) -> None:
    """From 0.98 to 1.05 of what was to go over the wire, by every counter that is not weir's."""
    for target in lab.file_system.targets:
        for access in ("write", "read"):
            trial = tried(lab.file_system, lab.machine, target, access)
            print(f"{target} {access}: {trial}")
            assert trial.claimed_bytes == 2**27
            assert trial.ratios
            assert all(0.98 <= ratio <= 1.05 for ratio in trial.ratios.values()), (
                f"{target} {access}: {trial}"
            )


def test_a_probe_tells_a_server_that_stores_from_one_that_only_answers(lab: Lab) -> None:
    """As an export with async: a client sees no difference. Reads come from the disks."""
    served = lab.file_system.served
    if not served:
        pytest.skip(f"{lab.file_system.name}: no server to probe")
    config = lab.machine.home / "probed"
    lab.machine.write(config / "suites" / "lab-probed.yaml", yaml.safe_dump(PROBED_SUITE))
    for target, server in served.items():
        file = Path("sites", SITE, "targets", f"{target}.yaml")
        probe = [str(ROOT / "src/server/weir-server-probe")]
        declared = yaml.safe_load((ROOT / "config" / file).read_text()) | {
            "server_probe": [*probe, server.folder],
            "drop_server_caches": [*probe, "--drop-caches", server.folder],
        }
        lab.machine.write(config / file, yaml.safe_dump(declared))
    _, rows = measured(lab.machine, "root", config, "lab-probed", list(served))
    assert len(rows) == 2 * len(served)
    for row in rows:
        rule = "not-on-server-devices" if row["access"] == "write" else "not-from-server-devices"
        found = (
            row["reasons"]
            if row["access"] == "write" and not served[row["target"]].stores
            else row["checked"]
        )
        assert rule in found.split(";"), (
            f"{row['target']} {row['access']}: {row['verdict']} {row['evidence']}"
        )
        assert (row["verdict"] == "INVALID") == (rule in row["reasons"].split(";"))


def test_the_page_leads_from_a_template_to_a_proven_result(lab: Lab) -> None:
    """Its lines as they are; the suite is a small one of the same name."""
    name = lab.file_system.name
    if name not in TEMPLATES:
        pytest.skip(f"{name}: no template of its own")
    block = re.search(r"```sh\n(weir init .*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    config, study = lab.machine.home / "small", lab.machine.home / "first"
    lab.machine.write(config / "suites/quick.yaml", yaml.safe_dump(PROBED_SUITE | {"suite": "quick"}))
    mounted = f"s,/{name.removesuffix('fs') if name != 'nfs' else name}/project,/mnt/{TEMPLATES[name]},"
    lines = f"set -e\ncd {lab.machine.home}\n{block[1].replace('glusterfs', name)}"
    editor = {"EDITOR": f"sed -i {mounted}", "WEIR_CONFIG": str(config)}
    done = lab.machine.run("bash", "-c", lines, limit_s=300, **editor)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = records_of(lab.machine, study / "records.csv")
    assert [row["access"] for row in rows] == ["write", "read"]
    for row in rows:
        undecided = any(note in row["notes"] for note in CANNOT_DECIDE)
        assert undecided or AT_THE_SERVERS & {*row["checked"].split(";")}, done.stdout
        assert not set(filter(None, row["reasons"].split(";"))) - TRUE_FINDINGS, done.stdout
        assert row["proof"] == ("servers" if row["verdict"] == "VALID" else "")
    assert "VALID" in done.stdout, done.stdout
