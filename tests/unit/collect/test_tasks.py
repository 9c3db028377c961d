"""The number of tasks is the one that a log tells: nodes may have different numbers of them."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.imported import rows_of
from tests.unit.tools.test_mdtest_tables import V3
from weir.audit.subject import Subject
from weir.collect.measured import created_inodes
from weir.decide.io500.cells import standings
from weir.records.model import tasks_of

LOG = ROOT / "tests/golden/ior/ior-posix-shared.txt"
MDTEST = V3.replace("4 t", "100 t").replace("on 2 node", "on 3 node").replace("2000 files", "50000 files")


def changed(nodes: int, tasks: int, ppn: int) -> str:
    text = LOG.read_text()
    for name, count in (("nodes", nodes), ("tasks", tasks), ("clients per node", ppn)):
        text, times = re.subn(rf"(?m)^({name} *: )\d+$", rf"\g<1>{count}", text)
        assert times == 1, name
    return text


@pytest.mark.parametrize(
    ("nodes", "tasks", "printed", "ppn"), [(3, 100, 48, 48), (1, 1, 2, 1), (2, 8, 4, 4), (4, 2, 4, 2)]
)
def test_tasks_of_ior(tmp_path: Path, nodes: int, tasks: int, printed: int, ppn: int) -> None:
    """100 on three nodes of 48; -N 1 of two ranks."""
    row = rows_of(tmp_path, changed(nodes, tasks, printed))[0]
    assert (row["tasks"], row["ppn"], row["nn"]) == (tasks, ppn, min(nodes, tasks))
    assert row["requested_bytes"] == tasks * row["block_bytes"] * row["segments"]
    assert tasks_of(row) == Subject(row).ranks == tasks
    own_files = row | {"layout": "file-per-process", "access": "write", "iteration": 0}
    assert created_inodes([own_files]) == tasks


def test_a_table_without_the_number_has_that_of_its_nodes(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, "api,access,nn,ppn,block_bytes,segments,bw_mib_s\nPOSIX,write,3,48,1024,1,5\n")
    assert (row["tasks"], tasks_of(row), row["requested_bytes"]) == (None, 144, 144 * 1024)
    told = "api,access,nn,ppn,tasks,block_bytes,segments,bw_mib_s\nPOSIX,write,3,48,100,1024,1,5\n"
    (row,) = rows_of(tmp_path, told)
    assert (row["tasks"], tasks_of(row), row["requested_bytes"]) == (100, 100, 100 * 1024)
    assert tasks_of({"nn": 3, "ppn": None}) is None


def test_mdtest_on_uneven_nodes(tmp_path: Path) -> None:
    """It does not print the largest number on a node."""
    (row,) = rows_of(tmp_path, MDTEST)
    assert (row["tasks"], row["nn"], row["ppn"]) == (100, 3, None)


def test_other_numbers_of_tasks_are_other_cells(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, changed(3, 100, 48) + changed(3, 101, 48).replace("2026", "2025"))
    assert len({row["cell"] for row in rows}) == 2
    assert rows[0]["label"].endswith("3x48 (100 tasks)")
    alone = changed(3, 1, 48).replace("nodes               : 3", "nodes               : ?")
    assert "(1 task)" in rows_of(tmp_path, re.sub(r"(?m)^clients per node.*\n", "", alone))[0]["label"]
    rows = rows_of(tmp_path, MDTEST + MDTEST.replace("100 t", "101 t").replace("81877.750", "81878.750"))
    assert len({row["cell"] for row in rows}) == 2


def test_a_standing_is_for_each_of_the_tasks(tmp_path: Path) -> None:
    row = rows_of(tmp_path, changed(3, 100, 48))[0] | {"emulated": False}
    (standing,) = standings([row], {"ior_easy_write": []}, ())
    assert (standing.nodes, standing.procs) == (3, 100)
