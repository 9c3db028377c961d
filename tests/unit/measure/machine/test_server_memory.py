import runpy
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.programs import ran, write_file
from weir.collect.study_facts import _file_system
from weir.collect.tally import facts_of_run
from weir.measure.machine.servers import server_memory_bytes


def answering(text: str) -> list[str]:
    return [sys.executable, "-c", f"print({text!r})"]


def test_the_memory_of_several_servers_is_their_sum() -> None:
    text = '[{"memory_bytes": 4096, "read_bytes": 1}, {"memory_bytes":8192}]'
    assert server_memory_bytes(answering(text)) == 12288


def test_a_probe_that_does_not_tell_or_fails_leaves_it_unknown() -> None:
    assert server_memory_bytes(answering('{"read_bytes": 1, "written_bytes": 2}')) is None
    assert server_memory_bytes([sys.executable, "-c", "raise SystemExit(3)"]) is None
    assert server_memory_bytes(["/nonexistent/probe"]) is None
    assert server_memory_bytes(()) is None


@pytest.mark.row("`server_probe` and `drop_server_caches`")
def test_the_probe_of_weir_reports_the_memory_of_its_machine(tmp_path: Path) -> None:
    """Whether or not a disk with counters is below the directory."""
    source = (ROOT / "src/server/weir-server-probe").read_text()
    program = source.replace("disks_of(path, disks)", "disks['none'] = None").replace(
        "read, written = counted(disks)", "read = written = 0"
    )
    file = tmp_path / "probe.py"
    file.write_text(program)
    found = server_memory_bytes([sys.executable, str(file), str(tmp_path)])
    total = ran(["getconf", "_PHYS_PAGES"], check=True).stdout.strip()
    size = ran(["getconf", "PAGE_SIZE"], check=True).stdout
    assert found == int(total) * int(size)


def test_the_probe_knows_nothing_of_disks_that_were_told_not_to_count(tmp_path: Path) -> None:
    probe = runpy.run_path(str(ROOT / "src/server/weir-server-probe"))
    disks = {name: str(tmp_path / name) for name in ("sda", "sdb")}
    for name, iostats in {"sda": "1", "sdb": "0"}.items():
        write_file(tmp_path / name / "queue" / "iostats", f"{iostats}\n")
        (tmp_path / name / "stat").write_text("10 0 2 5 20 1 4 7 0 0 0\n")
    assert probe["counted"](disks) == (None, None)
    assert probe["counted"]({"sda": disks["sda"]}) == (1024, 2048)


def test_the_probe_counts_all_devices_of_a_btrfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mount names one: a synchronised write that lies on both was INVALID."""
    probe = runpy.run_path(str(ROOT / "src/server/weir-server-probe"))
    blocks, system = tmp_path / "block", tmp_path / "btrfs/8f3d/devices"
    for folder in (blocks, system):
        folder.mkdir(parents=True)
    for number, name in {"8:16": "sdb", "8:32": "sdc", "8:48": "sdd"}.items():
        disk = tmp_path / "devices" / name
        write_file(disk / "dev", f"{number}\n")
        (blocks / number).symlink_to(disk)
    for name in ("sdb", "sdc"):
        (system / name).symlink_to(tmp_path / "devices" / name)
    devices = probe["with_other_devices"]
    monkeypatch.setitem(devices.__globals__, "BLOCK", str(blocks))
    monkeypatch.setitem(devices.__globals__, "BTRFS", str(tmp_path / "btrfs"))
    assert devices((8, 32)) == [(8, 16), (8, 32)]
    assert devices((8, 48)) == [(8, 48)]


def test_links_and_memory_of_servers_are_facts_of_the_target() -> None:
    host = {
        "file_system": {"type": "nfs4", "options": "rw"},
        "links_mbit_s": 25000.0,
        "server_memory_bytes": 2**36,
    }
    run = {"host": host, "status": "done", "cell": {"target": "scratch"}, "seed": 1, "began": "", "ended": ""}
    facts = _file_system(facts_of_run(run)["file_systems"]["scratch"])
    assert (facts["links_mbit_s"], facts["server_memory_bytes"]) == (25000.0, 2**36)
