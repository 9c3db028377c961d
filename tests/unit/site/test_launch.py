"""Launcher command lines; each test is named after the fact about Slurm or Open MPI that it keeps."""

import os.path
from pathlib import Path

import pytest

from tests.programs import ran, write_file
from weir.base.errors import WeirError
from weir.site.launchers import applied, launcher, launchers

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
GEOMETRIES = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 2)]


def test_launchers_are_found_by_their_files() -> None:
    assert {"hydra", "mpirun", "srun"} <= set(launchers())
    assert "base" not in launchers()


def test_unknown_launcher_names_the_near_one() -> None:
    with pytest.raises(WeirError, match="did you mean 'srun'"):
        launcher("srum")


@pytest.mark.parametrize("name", ["hydra", "mpirun", "srun"])
@pytest.mark.parametrize(("nodes", "ppn"), [(0, 1), (1, 0)])
def test_no_ranks_is_refused(name: str, nodes: int, ppn: int) -> None:
    with pytest.raises(ValueError, match="at least one node"):
        launcher(name).command(nodes, ppn, [], {})


@pytest.mark.parametrize(("nodes", "ppn"), GEOMETRIES)
def test_srun_is_always_given_its_full_geometry(nodes: int, ppn: int) -> None:
    arguments = launcher("srun").command(nodes, ppn, [], {})
    assert arguments[0] == "srun"
    assert {f"--nodes={nodes}", f"--ntasks={nodes * ppn}", f"--ntasks-per-node={ppn}"} <= set(arguments)


OPTIONS = {
    "inner srun hangs without": "--overlap",
    "srun does not eat the caller's standard input": "--input=none",
    "without MPI plugin Open MPI starts as singletons": "--mpi=pmix",
    "ranks are placed in blocks, as mpirun places them": "--distribution=block",
}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_srun_is_always_given(option: str) -> None:
    assert option in launcher("srun").command(2, 2, [], {})


def test_mpich_needs_pmi2_and_the_stack_says_so() -> None:
    arguments = launcher("srun").command(2, 2, ["--mpi=pmi2"], {})
    assert [word for word in arguments if word.startswith("--mpi")] == ["--mpi=pmi2"]


LAYOUT_OPTIONS = [["--distribution=cyclic"], ["--distribution", "cyclic"], ["-m", "cyclic"], ["-mcyclic"]]


@pytest.mark.parametrize("option", LAYOUT_OPTIONS)
def test_task_layout_of_the_site_wins(option: list[str]) -> None:
    arguments = launcher("srun").command(2, 2, option, {})
    assert "--distribution=block" not in arguments
    assert arguments[-len(option) :] == option


@pytest.mark.parametrize(
    "stderr",
    [
        "srun: Cancelled pending job step with signal 15\nsrun: error: Unable to create step for job 5\n",
        "srun: error: Unable to create step for job 5: Unable to contact slurm controller (connect failure)",
        "srun: error: Node failure on node2",
        "srun: launch/slurm: launch_p_step_launch: StepId=6.1 aborted before step completely launched.",
        "slurmstepd-node1: error: *** STEP 3.1 ON node1 CANCELLED AT 2026-11-21T18:30 DUE TO TIME LIMIT ***\n"
        "srun: error: node2: task 1: Terminated\n",
    ],
)
def test_a_step_that_slurm_did_not_start_or_ended_is_no_execution(stderr: str) -> None:
    assert launcher("srun").lost(stderr) == stderr.splitlines()[0]


def test_a_node_that_was_lost_is_no_execution() -> None:
    """As a node of a private Grid Engine ended under Open MPI 4; Open MPI 5 writes PRTE in place of ORTE."""
    stderr = (GOLDEN / "launch" / "mpirun-node-lost.txt").read_text()
    assert launcher("mpirun").lost(stderr) == "ORTE has lost communication with a remote daemon."
    newer = stderr.replace("ORTE", "PRTE")
    assert launcher("mpirun").lost(newer) == "PRTE has lost communication with a remote daemon."


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("mpirun", "Open RTE was unable to open the hostfile:"),
        ("mpirun", "PRTE was unable to open the hostfile:"),
        ("hydra", "[mpiexec@n] HYDU_parse_hostfile (utils/args/args.c:319): unable to open host file: /n"),
    ],
)
def test_a_job_whose_file_of_nodes_was_removed_is_over(name: str, line: str) -> None:
    """OAR removes it when the script of the job is killed; what the script had started goes on."""
    assert launcher(name).lost(f"{'-' * 74}\n{line}\n    /var/n\n") == line


@pytest.mark.parametrize(
    "stderr",
    [
        "",
        "srun: error: node1: task 0: Exited with exit code 134",
        "Node failure on x",
        "slurmstepd: error: *** STEP 3.1 ON node1 CANCELLED AT 2026-11-21T18:30:42 ***",
    ],
)
def test_a_program_that_failed_is_an_execution(stderr: str) -> None:
    assert launcher("srun").lost(stderr) is None
    assert launcher("mpirun").lost(stderr) is None


def test_cpu_binding_of_the_outer_job_is_unset() -> None:
    binding = {"SLURM_CPU_BIND": "quiet,mask_cpu:0x1", "SLURM_CPU_BIND_LIST": "0x1"}
    outer = {"SLURM_JOB_ID": "7", "HOME": "/h"} | binding
    for name in ("srun", "mpirun"):
        inner = applied(outer, launcher(name).environment(outer))
        assert not [key for key in inner if key.startswith("SLURM_CPU_BIND")]
        assert inner["SLURM_JOB_ID"] == "7"
        assert inner["HOME"] == "/h"


def test_geometry_and_step_of_the_outer_job_do_not_reach_the_inner_srun() -> None:
    outer = {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "node[1-4]",
        "SLURM_JOB_NUM_NODES": "4",
        "SLURM_CONF": "/etc/slurm.conf",
        "SLURM_NTASKS": "4",
        "SLURM_NNODES": "4",
        "SLURM_NTASKS_PER_NODE": "1",
        "SLURM_DISTRIBUTION": "cyclic",
        "SLURM_STEP_ID": "0",
        "SLURM_EXPORT_ENV": "NONE",
        "PMIX_RANK": "0",
        "PMI_FD": "3",
    }
    inner = applied(outer, launcher("srun").environment(outer))
    assert set(inner) == {"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES", "SLURM_CONF"}


@pytest.mark.parametrize(("nodes", "ppn"), GEOMETRIES)
def test_mpirun_maps_ranks_per_node_and_does_not_hope(nodes: int, ppn: int) -> None:
    arguments = launcher("mpirun").command(nodes, ppn, [], {})
    assert arguments == ["mpirun", "-np", str(nodes * ppn), "--map-by", f"ppr:{ppn}:node"]


def test_oversubscribe_only_if_the_site_says_so() -> None:
    assert "--oversubscribe" not in launcher("mpirun").command(1, 4, [], {})
    assert "--oversubscribe" in launcher("mpirun").command(1, 4, ["--oversubscribe"], {})


def test_mpirun_names_variables_for_ranks_on_other_nodes_and_leaves_its_own() -> None:
    arguments = launcher("mpirun").command(2, 1, [], {"OMPI_MCA_pml": "cm", "IM_CLIENT_CFG_FILE": "/c"})
    assert arguments[-2:] == ["-x", "IM_CLIENT_CFG_FILE"]
    assert "OMPI_MCA_pml" not in arguments


def test_mpirun_within_a_step_uses_the_whole_allocation() -> None:
    outer = {"SLURM_TASKS_PER_NODE": "1", "SLURM_JOB_CPUS_PER_NODE": "8(x2)", "SLURM_JOB_NODELIST": "n[1-2]"}
    outer["HOME"] = "/home/user"
    changes = launcher("mpirun").environment(outer)
    assert changes == {"SLURM_TASKS_PER_NODE": "8(x2)", "SLURM_NODELIST": "n[1-2]"}


def test_mpirun_in_an_allocation_lets_its_daemons_overlap() -> None:
    assert launcher("mpirun").environment({"SLURM_JOB_ID": "7"})["SLURM_OVERLAP"] == "1"
    assert launcher("mpirun").environment({"HOME": "/home/user"}) == {}


def test_mpirun_has_a_home_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI 5 ends with 'Unable to get the user home directory'; a user may have no entry, either."""
    monkeypatch.delenv("HOME", raising=False)
    home = launcher("mpirun").environment({})["HOME"]
    assert home is not None
    assert Path(home).is_absolute()
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert launcher("mpirun").environment({})["HOME"] == "/"


@pytest.mark.parametrize(("nodes", "ppn"), GEOMETRIES)
def test_hydra_is_given_ranks_and_ranks_per_node(nodes: int, ppn: int) -> None:
    arguments = launcher("hydra").command(nodes, ppn, [], {})
    assert arguments == ["mpiexec.hydra", "-n", str(nodes * ppn), "-ppn", str(ppn)]


def test_hydra_under_an_outer_step_forgets_its_place_in_it() -> None:
    inner = launcher("hydra").environment({"PMI_RANK": "0", "PMIX_RANK": "0", "HOME": "/root"})
    assert inner == {"PMI_RANK": None, "PMIX_RANK": None}


def test_the_modules_of_a_centre_are_loaded_whatever_their_init_file_fails_at(tmp_path: Path) -> None:
    """Module systems are not written for set -eu."""
    # Its status is that of the last line.
    write_file(tmp_path / "init/bash", 'false\nmodule() { export LOADED="$2"; }\n[ -n "$UNSET" ]\n')
    done = ran(
        [GOLDEN.parents[1] / "config/sites/centre-template/with-modules", "sh", "-c", "echo $LOADED"],
        env={"PATH": "/usr/bin:/bin", "MODULESHOME": str(tmp_path), "WEIR_MODULES": "ior/4.0"},
    )
    assert (done.returncode, done.stdout) == (0, "ior/4.0\n"), done.stderr
