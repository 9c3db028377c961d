"""Real MPI across virtual nodes, by the arguments of weir.site.launchers; every geometry is asserted."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.needs import need, process_namespaces
from tests.slurm.private_slurm import HERE, Cluster
from weir.site.launchers import launcher

GEOMETRIES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)]
pytestmark = pytest.mark.slow


def compiled(compiler: str, folder: Path) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"not installed: {compiler}")
    program = folder / f"ranks-{compiler}"
    subprocess.run([compiler, str(HERE / "ranks.c"), "-o", str(program)], check=True)
    return program


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("mpicc.openmpi", tmp_path_factory.mktemp("ranks"))


def slurm_release(cluster: Cluster) -> int:
    return int(re.findall(r"\d+", cluster.out("sbatch", "--version"))[0])


def assert_geometry(output: str, nodes: int, ppn: int) -> None:
    """Exactly the ranks requested, ppn of them on each of `nodes` nodes, block by block."""
    lines = sorted(
        (line.split() for line in output.splitlines() if line.split()[:1] and line.split()[0].isdigit()),
        key=lambda fields: int(fields[0]),
    )
    assert [int(fields[0]) for fields in lines] == list(range(nodes * ppn))
    assert {int(fields[1]) for fields in lines} == {nodes * ppn}
    assert {int(fields[2]) for fields in lines} == {ppn}
    names = [fields[3] for fields in lines]
    assert Counter(names) == dict.fromkeys(names, ppn)
    assert len(set(names)) == nodes
    for node in range(nodes):
        assert len(set(names[node * ppn : (node + 1) * ppn])) == 1


@pytest.mark.parametrize(("nodes", "ppn"), GEOMETRIES)
def test_open_mpi_has_the_ranks_requested_for(cluster: Cluster, ranks: Path, nodes: int, ppn: int) -> None:
    fields = launcher("srun").command(nodes, ppn, [], {})
    assert_geometry(cluster.out(*fields, ranks), nodes, ppn)


@pytest.mark.parametrize(("nodes", "ppn"), [(1, 2), (2, 2)])
def test_mpich_has_the_ranks_requested_for(cluster: Cluster, tmp_path: Path, nodes: int, ppn: int) -> None:
    program = compiled("mpicc.mpich", tmp_path)
    fields = launcher("srun").command(nodes, ppn, ["--mpi=pmi2"], {})
    assert_geometry(cluster.out(*fields, program), nodes, ppn)


# What weir does inside an allocation: take away the outer step's variables, start a whole new geometry.
INSIDE = """
import os, subprocess, sys
from weir.site.launchers import applied, launcher
name, nodes, ppn, program = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
start = launcher(name)
command = [*start.command(nodes, ppn, [], {}), program]
environment = applied(os.environ, start.environment(os.environ))
sys.exit(subprocess.run(command, env=environment, timeout=99).returncode)
"""


def inside(name: str, nodes: int, ppn: int, program: Path) -> list[str]:
    path = f"PYTHONPATH={ROOT}"
    return ["env", path, sys.executable, "-c", INSIDE, name, str(nodes), str(ppn), str(program)]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("nodes", "ppn"), GEOMETRIES)
def test_srun_in_an_allocation_does_not_hang(cluster: Cluster, ranks: Path, nodes: int, ppn: int) -> None:
    output = cluster.out("salloc", "-Q", "-N4", "--exclusive", *inside("srun", nodes, ppn, ranks))
    assert_geometry(output, nodes, ppn)


@pytest.mark.parametrize(
    "outer", [["-n1"], ["-n1", "--cpu-bind=cores", "--mpi=pmix"], ["-N1", "-n1", "--exact"]]
)
def test_srun_within_srun_does_not_hang(cluster: Cluster, ranks: Path, outer: list[str]) -> None:
    output = cluster.out("salloc", "-Q", "-N2", "--exclusive", "srun", *outer, *inside("srun", 2, 2, ranks))
    assert_geometry(output, 2, 2)


def test_mpirun_in_an_allocation_of_one_node(cluster: Cluster, ranks: Path) -> None:
    output = cluster.out("salloc", "-Q", "-N1", "--exclusive", "srun", "-n1", *inside("mpirun", 1, 2, ranks))
    assert_geometry(output, 1, 2)


def test_batch_job_without_exported_environment(cluster: Cluster, ranks: Path, tmp_path: Path) -> None:
    """sbatch --export=NONE would hand the same to every srun inside."""
    # Root's slurmd of Slurm 24 reads the user's variables in such a namespace, and ends where it has none.
    if os.geteuid() == 0 and slurm_release(cluster) >= 24:
        need(process_namespaces)
    log = tmp_path / "job.out"
    script = tmp_path / "job.sh"
    fields = " ".join(f"'{word}'" for word in inside("srun", 2, 1, ranks)).replace(INSIDE, "$INSIDE")
    fields = fields.replace("'$INSIDE'", '"$INSIDE"')
    # A slurmd of an ordinary user cannot log in for the user's own variables; Open MPI 5 needs HOME.
    variables = f"export HOME='{Path.home()}'\nPATH='{cluster.folder}/bin:{os.environ['PATH']}'"
    script.write_text(f"#!/bin/bash\n{variables}\nINSIDE='{INSIDE}'\n{fields}\n")
    cluster.out("sbatch", "--wait", "--export=NONE", "-N2", "-o", log, script)
    assert_geometry(log.read_text(), 2, 1)


def test_what_messages_leave_in_doubt_of_the_clocks_is_told(cluster: Cluster) -> None:
    """Of several nodes alone: ranks of one node have one clock."""
    for nodes, ppn in ((1, 2), (2, 1)):
        document = cluster.folder / f"clocks-{nodes}.json"
        options = ["-t", "64k", "-b", "64k", "-w", "-o", cluster.folder / "clocks", f"--json={document}"]
        fields = launcher("srun").command(nodes, ppn, [], {})
        cluster.out(*fields, ROOT / "build/weir-io", "ior", *options)
        (result,) = json.loads(document.read_text())["results"]
        doubt_s = result["observed"].get("clock_doubt_s")
        assert (doubt_s is None) if nodes == 1 else 0 < doubt_s < 1
