"""A sandbox as the tests see it: its folder, and commands on its login node."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.own_folders import own_folder
from tests.programs import ran

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

    def run(
        self, *arguments: str | Path, limit_s: float = 180, code: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A command with a limit, so that a hang is a failure with a name."""
        return ran(arguments, env=self.environment, timeout=limit_s, stdin=subprocess.DEVNULL, code=code)

    def out(self, *arguments: str | Path, limit_s: float = 180) -> str:
        return self.run(*arguments, limit_s=limit_s, code=0).stdout

    def up(self, *options: str, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        return self.run(SANDBOX, "up", self.folder, *options, code=code)

    def down(self, code: int | None = None) -> subprocess.CompletedProcess[str]:
        return self.run(SANDBOX, "down", self.folder, code=code)


def new_cluster() -> Cluster:
    """Not in pytest's own folders: the path of a socket is short."""
    return Cluster(own_folder("slurm"))
