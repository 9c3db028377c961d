"""Virtual nodes of a private Slurm in a machine of the lab, each a client of its own of a file system."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lab.filesystem import FileSystem
from tests.lab.machine import ADDRESS, HERE, ROOT, LabError, Machine
from tests.lab.weir_runs import records_of, weir, where

SITE = "cluster-lab"
SWITCH = "switch"  # a bridge of the machine, as the program node calls it
PROGRAMS = ("slurmctld", "slurmd", "munged", "mungekey", "srun", "sbatch", "tc")
# In the machine, where its path is short enough for sockets.
_FOLDER = Path("/run/slurm")
_SANDBOX = ROOT / "tests/slurm/sandbox/sandbox"
# As the program node numbers them.
_NETWORK, _FIRST_NODE = ADDRESS.rpartition(".")[0], 11
_PORT = 20000  # nobody else is in the network of the machine
_JOB_S = 600


@dataclass(frozen=True)
class Nodes:
    machine: Machine
    count: int

    def start(self, file_system: FileSystem, further: str = "true") -> None:
        """Each mounts the first target; the servers, slurmctld and the login node are the machine itself.

        Further: a command that mounts something else on each node.
        """
        assert file_system.client is not None
        client = shlex.join(file_system.client(self.machine, next(iter(file_system.targets))))
        self.machine.out("ip", "link", "set", "lab1", "master", SWITCH)
        self.machine.out("ip", "link", "set", SWITCH, "up")
        addresses = [ADDRESS, *(f"{_NETWORK}.{_FIRST_NODE + number}" for number in range(self.count))]
        arguments = ["up", _FOLDER, "--nodes", str(self.count), "--port", str(_PORT)]
        arguments += ["--addresses", ",".join(addresses), "--within", HERE / "node"]
        done = self.machine.run("python3", _SANDBOX, *arguments, LAB_CLIENTS=f"{client} && {further}")
        if done.returncode != 0:
            raise LabError(f"no Slurm: {done.stdout}{done.stderr}")

    def command(self, *arguments: str | Path) -> list[str | Path]:
        """Of Slurm, on the login node."""
        return [_FOLDER / "bin" / arguments[0], *arguments[1:]]

    def batch(self, *arguments: str | Path, limit_s: float = _JOB_S) -> str:
        """What a job on all nodes prints that has to succeed."""
        log = self.machine.home / "job.log"
        script = f"export PATH={_FOLDER}/bin:$PATH; {shlex.join(map(str, arguments))}"
        options = ["--wait", "--exclusive", f"--nodes={self.count}", f"--output={log}", f"--wrap={script}"]
        done = self.machine.run(*self.command("sbatch", *options), limit_s=limit_s)
        printed = log.read_text() if log.exists() else ""
        if done.returncode != 0:
            raise LabError(f"{script}: exit code {done.returncode}\n{done.stderr}{printed}")
        return printed

    def measured(self, config: Path, suite: str, targets: Sequence[str]) -> list[dict[str, str]]:
        """Records of a suite, which a job on all nodes has measured."""
        folder = self.machine.home / suite
        plan, results, table = folder / "plan.json", folder / "results", folder / "records.csv"
        folder.mkdir()
        weir(self.machine, "root", "plan", *where(config, SITE, suite, targets, folder), "--out", plan)
        python = ROOT / ".venv/bin/python"
        self.batch(python, "-m", "weir", "run", "--plan", plan, "--results", results)
        weir(self.machine, "root", "collect", "--plan", plan, "--results", results, "--out", table)
        return records_of(self.machine, table)
