"""Where ranks differ before a run begins, it ends with one message or goes on; no rank waits for ever."""

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.engine.runs import QUIET_MPI, Done, Engine, mpirun, open_mpi
from tests.programs import ran

LIMIT_S = 30
SHAPE = ["-w", "-t", "4k", "-b", "64k"]


def two_ranks(engine: Engine, first: Sequence[object], second: Sequence[object], folder: Path) -> Done:
    """Rank 0 works in folder/0 and rank 1 in folder/1.

    By a script of each rank: the mpirun of Open MPI 5.0.7 crashes at two programs with a colon between.
    """
    for number, arguments in enumerate((first, second)):
        (folder / str(number)).mkdir(exist_ok=True)
        command = shlex.join([str(engine.program), *(str(word) for word in arguments)])
        (folder / f"rank-{number}.sh").write_text(
            f"cd {shlex.quote(str(folder / str(number)))}\nexec {command}\n"
        )
    ranks = ["-n", "2", "sh", "-c", 'exec sh "$1/rank-$OMPI_COMM_WORLD_RANK.sh"', "sh", str(folder)]
    done = ran([mpirun(), *QUIET_MPI, *ranks], env={**os.environ, **open_mpi()}, timeout=LIMIT_S)
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_hints_file_that_only_rank_0_has_is_read_for_all(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "hints").write_text("IOR_HINT__MPI__cb_nodes=1\n")
    document = tmp_path / "summary.json"
    arguments = ["ior", "-a", "MPIIO", "-U", "hints", *SHAPE, "-o", tmp_path / "f", f"--json={document}"]
    done = two_ranks(engine, arguments, arguments, tmp_path)
    assert done.code == 0, done.err
    assert json.loads(document.read_text())["requested"]["hints"] == {"cb_nodes": "1"}


def test_a_hints_file_that_rank_0_lacks_ends_the_run_with_one_message(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "hints").write_text("IOR_HINT__MPI__cb_nodes=1\n")
    arguments = ["ior", "-a", "MPIIO", "-U", "hints", *SHAPE, "-o", tmp_path / "f"]
    done = two_ranks(engine, arguments, arguments, tmp_path)
    assert done.code == 2
    assert done.complaints == ["weir-io: ior: cannot read the hints file hints: No such file or directory"]


@pytest.mark.parametrize("rank", [0, 1])
def test_counters_are_looked_for_where_they_are_sampled(engine: Engine, tmp_path: Path, rank: int) -> None:
    """The first rank of a node samples for the node: what the others lack does not matter."""
    (tmp_path / str(rank)).mkdir()
    (tmp_path / str(rank) / "counters").write_text("reads 1\n")
    arguments = ["io-model", "-w", "-t", "4k", "-n", "4", "-o", tmp_path / "f", "--counters", "counters"]
    done = two_ranks(engine, *([[*arguments, "--samples", tmp_path / "s"]] * 2), tmp_path)
    if rank == 0:
        assert done.code == 0, done.err
        assert "counters_reads" in (tmp_path / "s-0.csv").read_text()
    else:
        assert done.code == 2
        assert done.complaints == ["weir-io: io-model: --counters counters: No such file or directory"]


PERSONALITIES = {
    "ior": [*SHAPE, "-o", "f"],
    "mdtest": ["-n", "2", "-d", "tree"],
    "madbench": ["-p", "32", "-o", "f"],
    "io-model": ["-w", "-n", "4", "-o", "f"],
    "netcdf-bench": ["-d=2:4:4:2", "-n=1", "-p=2", "-f=f"],
    "find": ["."],
}


@pytest.mark.parametrize("name", PERSONALITIES)
def test_ranks_with_other_options_are_told_apart_at_once(engine: Engine, tmp_path: Path, name: str) -> None:
    arguments = [name, *PERSONALITIES[name]]
    done = two_ranks(engine, arguments, [*arguments, "--bogus"], tmp_path)
    assert done.code == 2
    assert done.complaints == [
        f"weir-io: {name}: rank 1 was started with other options than rank 0; hint: start all ranks alike"
    ]
