"""What a sandbox is: a folder with a state file, written before anything is started."""

import json
import os
import pwd
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

# Daemons and everything they start carry the sandbox's mark in their environment.
MARK = "SLURM_SANDBOX_MARK"
# Of the 107 bytes of a socket's path Slurm and PMIx need some for their own names.
LONGEST_FOLDER = 60


class SandboxError(Exception):
    """A sentence for the person who typed the command."""


@dataclass
class Sandbox:
    """State of one sandbox; process ids are added as daemons are started."""

    folder: Path
    nodes: int
    cores: int
    port: int
    accounting: bool
    addresses: list[str] = field(
        default_factory=list
    )  # of this machine and of each node; default: the loopback
    within: str = ""  # program that runs its further arguments as the node that its first one names
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    pids: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def state_file(folder: Path) -> Path:
        return folder / "sandbox.json"

    @classmethod
    def load(cls, folder: Path) -> "Sandbox":
        try:
            state = json.loads(cls.state_file(folder).read_text())
        except FileNotFoundError:
            raise SandboxError(f"no sandbox in {folder}; start one with: sandbox up {folder}") from None
        return cls(**{**state, "folder": folder})

    def save(self) -> None:
        text = json.dumps({**asdict(self), "folder": str(self.folder)}, indent=1)
        new = self.state_file(self.folder).with_suffix(".new")
        new.write_text(text)
        new.replace(self.state_file(self.folder))

    @property
    def node_names(self) -> list[str]:
        return [f"node{number}" for number in range(1, self.nodes + 1)]

    def address(self, node: int = 0) -> str:
        """Of a node from 1 on; 0: where slurmctld runs."""
        return self.addresses[node] if self.addresses else "127.0.0.1"

    @property
    def conf(self) -> Path:
        return self.folder / "etc" / "slurm.conf"

    @property
    def ports(self) -> int:
        """Ports in a row: slurmctld, a slurmd for each node, slurmdbd, mariadbd."""
        return self.nodes + 3

    def environment(self) -> dict[str, str]:
        """For the daemons; Slurm's own variables of a surrounding job must not reach them."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "PMIX"))}
        path = f"{self.folder / 'bin'}:{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin"
        return clean | {"SLURM_CONF": str(self.conf), MARK: self.mark, "PATH": path}


def own_name() -> str:
    """The user of this process; the environment may name the one who became this user."""
    return pwd.getpwuid(os.geteuid()).pw_name
