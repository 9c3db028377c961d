from __future__ import annotations

from pathlib import Path

import pytest

from weir.measure.host import host_facts, mount_of


def test_facts_of_this_machine(tmp_path: Path) -> None:
    facts = host_facts(tmp_path)
    assert facts["cores"] >= 1
    assert facts["memory_bytes"] > 2**28
    assert facts["kernel"]


def test_the_mount_of_a_folder_is_the_nearest_above() -> None:
    proc = mount_of(Path("/proc/self"))
    assert proc is not None
    assert proc["type"] == "proc"
    if not any(line.split()[4] == "/" for line in Path("/proc/self/mountinfo").read_text().splitlines()):
        pytest.skip("the root folder is no mount here, as in a chroot")
    root = mount_of(Path("/"))
    assert root is not None
    assert root["mount_point"] == "/"
