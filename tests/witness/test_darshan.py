"""The library of weir and Darshan count the same of one command; logs of Darshan have its counts."""

from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.pydarshan import skip_without_darshan
from tests.witness.conftest import Prove
from weir.prove.darshan import Log, read_log

skip_without_darshan()

LOGS = ROOT / "tests/unit/prove/logs"
SAME = 0.01


def by_darshan(log: Log, access: str) -> tuple[int, int]:
    uses = [one for one in log.uses if (one.api, one.access) == ("POSIX", access)]
    return sum(one.bytes for one in uses), sum(one.calls for one in uses)


@pytest.mark.parametrize("name", ["dd", "random"])
def test_both_count_the_same(prove: Prove, tmp_path: Path, name: str) -> None:
    log = read_log(LOGS / f"{name}.darshan")
    command = log.command.split()
    (tmp_path / "data/d").mkdir()
    if name == "random":
        ranks = ("mpirun", "--oversubscribe", "-np", str(log.processes))
        command = [*ranks, str(ROOT / "build/weir-io"), *command[1:]]
    phases = [one for mount in prove(*command)["mounts"] for one in mount["phases"]]
    for access, counter in (("read", "read_bytes"), ("write", "written_bytes")):
        moved, calls = by_darshan(log, access)
        assert sum(one[counter] for one in phases) == pytest.approx(moved, rel=SAME)
        assert sum(one["calls"][access] for one in phases) == pytest.approx(calls, rel=SAME)
    syncs = sum(one.counts["syncs"] for one in log.names if one.api == "POSIX")
    assert sum(one["calls"]["sync"] for one in phases) == syncs
