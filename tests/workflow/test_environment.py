"""Faults of the environment, each in a mount namespace of its own: a message, no verdict, then all runs.

docs/faults.md has the table.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.needs import mount_namespaces, need
from tests.workflow.conftest import ROOT, Checkout, copy_of_the_tree, tiny_configuration
from tests.workflow.soak import burst_buffer
from tests.workflow.test_faults import aim, plan, runs_of

RUN = ("python", "-m", "weir", "run", "--plan", "plan.json", "--results", "results/local")
PAGE = (ROOT / "docs" / "faults.md").read_text()


@dataclass(frozen=True)
class Fault:
    """setup: commands of a shell in a mount namespace; $1 is an empty directory. message: as on the page."""

    setup: str
    message: str
    code: int = 1
    burst_buffer: bool = False


FULL = 'mount -t tmpfs -o size=64k,mode=1777 none "{0}"; head -c 1M /dev/zero >"{0}/hog" 2>&-; true'
FAULTS = {
    "a full TMPDIR": Fault(
        FULL.format("$1") + '; export TMPDIR="$1"',
        "where MPI keeps the files of a launch (TMPDIR): No space left",
    ),
    "a TMPDIR of 4 MiB": Fault(
        'mount -t tmpfs -o size=4m,mode=1777 none "$1"; export TMPDIR="$1"',
        "where MPI keeps the files of a launch (TMPDIR): 4 MiB are free of the 12 MiB of a launch",
    ),
    "a full /var/tmp": Fault(FULL.format("/var/tmp"), "No space left on device"),
    "a read-only /dev/shm": Fault(
        "mount --bind /dev/shm /dev/shm; mount -o remount,bind,ro /dev/shm",
        "shared memory: no file can be written in /dev/shm: Read-only file system",
    ),
    "no room in /dev/shm": Fault(
        "mount -t tmpfs -o size=64k none /dev/shm", "MPI could not make its shared-memory segment"
    ),
    "a target with EIO": Fault(
        "touch broken", "no file can be written in {target}: Input/output error", burst_buffer=True
    ),
    "no /dev/fuse": Fault(
        "mount --bind /dev/fuse /dev/fuse; mount -o remount,bind,nodev /dev/fuse",
        "failed to open /dev/fuse",
        burst_buffer=True,
    ),
    "a truncated plan.json": Fault(
        "head -c 999 plan.json >half; mount --bind half plan.json", "is not a valid plan", 2
    ),
    "a plan.json of another layout": Fault(
        "echo {} >other; mount --bind other plan.json", "is not a valid plan: has the layout None", 2
    ),
}
# Mounts the burst buffer; while a file `broken` is there, every operation after the tenth fails.
MOUNT = """#!/bin/sh -e
"$1/config/sites/local/burst-buffer" mount "$@"
[ ! -e "$1/broken" ] || {
    fusermount3 -u "$3/mount"
    for operation in write fsync; do echo "fault = $operation EIO after=10"; done >>"$3/client.conf"
    IM_CLIENT_CFG_FILE="$3/client.conf" "$1/build/ime/ime-fuse" "$3/mount"
}
"""


@pytest.fixture
def here(tmp_path: Path, target_folder: Path) -> Checkout:
    """A checkout whose path has spaces and umlauts, with a target on a disk."""
    need(mount_namespaces)
    (tmp_path / "a b ü").mkdir()
    checkout = copy_of_the_tree(tmp_path / "a b ü")
    (tmp_path / "target").mkdir()
    tiny_configuration(checkout, tmp_path / "target")
    aim(checkout, kind="disk")
    return checkout


def run(checkout: Checkout, setup: str, code: int) -> subprocess.CompletedProcess[str]:
    empty = checkout.root.parent / "empty"
    empty.mkdir(exist_ok=True)
    script = f'{setup}\nshift; exec env -u HOME "$@"'
    return checkout.call("unshare", "--mount", "sh", "-c", script, "sh", str(empty), *RUN, code=code)


@pytest.mark.slow
@pytest.mark.row(*FAULTS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_environment_is_named_and_no_verdict(
    here: Checkout, name: str, tmp_path: Path, target_folder: Path
) -> None:
    fault = FAULTS[name]
    if fault.burst_buffer:
        target = burst_buffer(here, target_folder)
        here.write("mount.sh", MOUNT)
        target["prepare"] = [[str(here.root / "mount.sh"), *target["prepare"][0][2:]]]
        here.write("config/sites/local/targets/ram.yaml", target)
    plan(here)
    failed = run(here, fault.setup, fault.code)
    assert fault.message.partition("{")[0] in failed.stderr
    assert fault.message.rpartition("}")[2] in failed.stderr
    assert "Traceback" not in failed.stderr
    assert {json.loads(file.read_text())["status"] for file in runs_of(here)} <= {"done"}
    assert name in PAGE
    assert fault.message.replace("{target}", "TARGET") in PAGE
    (here.root / "broken").unlink(missing_ok=True)
    run(here, "true", 0)
    assert [json.loads(file.read_text())["status"] for file in runs_of(here)] == ["done"] * 4
    rows = here.collect("results/local/r.csv")
    assert [row for row in rows if row["verdict"] == "INVALID" or not row["bw_mib_s"]] == []
    assert len(rows) == 4 * 2 * 2  # cells, iterations, accesses


@pytest.mark.slow
@pytest.mark.row("HOME is unset; spaces and umlauts in the path of the checkout")
def test_a_space_in_the_path_of_the_checkout_is_no_fault(here: Checkout) -> None:
    """Of the whole way, with ReFrame, Snakemake, R and LaTeX."""
    here.weir("report", "--suites", "tiny", code=0)
    assert (here.root / "results/local/tiny/report.pdf").is_file()


NO_PATHS = {
    "a:b": "a colon",
    "a\tb": "a tab",
    "a\nb": "a line break",
    "a$HOME": "a dollar sign",
    "a\udcffb": "bytes that are not UTF-8",
}


@pytest.mark.parametrize("name", NO_PATHS)
@pytest.mark.row("a colon, a dollar sign, a tab, a line break or bytes that are not UTF-8 in a path")
def test_a_checkout_whose_path_a_list_of_paths_cannot_hold_is_refused(
    tmp_path: Path, target_folder: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    checkout = copy_of_the_tree(tmp_path / name)
    tiny_configuration(checkout, target_folder)
    refused = checkout.call("python", "-m", "weir", "plan", environment={"PYTHONPATH": str(ROOT)}, code=2)
    assert f"the directory of this checkout, {str(checkout.root)!r} has" in refused.stderr
    assert NO_PATHS[name] in refused.stderr


@pytest.mark.parametrize("name", [name for name in NO_PATHS if name.isascii()])
def test_a_target_whose_path_a_list_of_paths_cannot_hold_is_refused(
    tmp_path: Path, target_folder: Path, name: str
) -> None:
    other = copy_of_the_tree(tmp_path)
    tiny_configuration(other, target_folder / name)
    refused = plan(other, code=2)
    assert "config/sites/local/targets/ram.yaml" in refused.stderr
    assert NO_PATHS[name] in refused.stderr
