"""A sandbox as the tests see it: its folder, and commands on its login node."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.own_folders import own_folder

HERE = Path(__file__).resolve().parent
SANDBOX = HERE / "sandbox" / "sandbox"


@dataclass
class Cluster:
    """A sandbox by its folder, and how to run commands on its login node, which is this machine."""

    folder: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "PMI"))}
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return clean | root | self.extra | {"PATH": f"{self.folder}/bin:{clean['PATH']}"}

    def run(self, *arguments: str | Path, limit_s: float = 180) -> subprocess.CompletedProcess[str]:
        """A command with a limit, so that a hang is a failure with a name."""
        return subprocess.run(
            [str(word) for word in arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def out(self, *arguments: str | Path, limit_s: float = 180) -> str:
        done = self.run(*arguments, limit_s=limit_s)
        assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def up(self, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run(SANDBOX, "up", self.folder, *options)

    def down(self) -> subprocess.CompletedProcess[str]:
        return self.run(SANDBOX, "down", self.folder)


def new_cluster() -> Cluster:
    """Not in pytest's own folders: the path of a socket is short."""
    return Cluster(own_folder("slurm"))
