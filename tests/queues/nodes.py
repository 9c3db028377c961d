"""Virtual nodes for a batch system: each has a name, an address and temporary files of its own in the private
machine of the lab. So an MPI takes them for nodes, and each daemon finds itself by the name of its host.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.machine import Machine, environment_of
from tests.own_folders import own_folder
from tests.programs import ran

_NETWORK = "198.18.1"


@dataclass(frozen=True)
class Cluster:
    """A machine, which is the login node, and its nodes by the id of their first process inside of it."""

    machine: Machine
    variables: dict[str, str] = field(default_factory=dict)  # of all commands and daemons
    nodes: dict[str, int] = field(default_factory=dict)
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)  # nodes, until something starts their daemons again

    @property
    def folder(self) -> Path:
        return self.machine.folder

    def up(self, names: Sequence[str], private: Sequence[str] = ()) -> None:
        self.machine.start(private, ends_with_caller=True)
        lines = ["127.0.0.1 localhost", f"{_NETWORK}.254 {os.uname().nodename}"]
        lines += [f"{_NETWORK}.{number} {name}" for number, name in enumerate(names, 1)]
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")
        for line in (
            f"mount --bind {self.folder}/hosts /etc/hosts",
            "ip link add nodes type bridge",
            f"ip address add {_NETWORK}.254/24 dev nodes",
            "ip link set nodes up",
        ):
            self.machine.out(*line.split())
        for number, name in enumerate(names, 1):
            self._add(name, number)

    def _add(self, name: str, number: int) -> None:
        steps = [
            f"hostname {name}",
            "ip link set lo up",
            "mount -t tmpfs -o mode=1777 node /run/tmp",
            "mount -t tmpfs -o mode=1777 node /dev/shm",
            f"echo $$ >{self.folder}/{name}.pid",
            "exec sleep infinity",
        ]
        spaces = ["unshare", "--net", "--uts", "--mount", "bash", "-ec", "; ".join(steps)]
        self.spawn(f"{name}.first", [*self.machine.entering(), *spaces])
        self.machine.wait_for("test", "-s", self.folder / f"{name}.pid")
        self.nodes[name] = first = int((self.folder / f"{name}.pid").read_text())
        inside = ["nsenter", "--target", str(first), "--net"]
        ends = f"to-{name} master nodes type veth peer name nic netns {first}"
        self.machine.out("ip", "link", "add", *ends.split())
        self.machine.out("ip", "link", "set", f"to-{name}", "up")
        self.machine.out(*inside, "ip", "address", "add", f"{_NETWORK}.{number}/24", "dev", "nic")
        self.machine.out(*inside, "ip", "link", "set", "nic", "up")

    def on(self, node: str) -> list[str]:
        """What goes before a command that runs on the node; the login node is called login."""
        inside = ["nsenter", "--target", str(self.nodes.get(node)), "--net", "--uts", "--mount"]
        return [*self.machine.entering(), *(inside if node != "login" else [])]

    @property
    def environment(self) -> dict[str, str]:
        return environment_of("root", self.machine.home) | self.variables

    def run(
        self, *arguments: str | Path, node: str = "login", limit_s: float = 180, code: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [*self.on(node), *arguments]
        return ran(command, env=self.environment, timeout=limit_s, stdin=subprocess.DEVNULL, code=code)

    def out(self, *arguments: str | Path, node: str = "login", limit_s: float = 180) -> str:
        return self.run(*arguments, node=node, limit_s=limit_s, code=0).stdout

    def spawn(self, name: str, command: Sequence[str], **more: str) -> None:
        """A process that stays; its output goes to a log."""
        with (self.folder / f"{name}.out").open("ab") as output:
            self.daemons[name] = subprocess.Popen(
                list(command),
                env=self.environment | more,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def lose(self, node: str) -> None:
        """As a power cut does: everything on the node ends, and nobody is told."""
        self.lost.append(node)
        self.machine.out("ip", "link", "set", f"to-{node}", "down")
        space = os.readlink(f"/proc/{self._outside(node)}/ns/net")
        for pid in self.machine.processes():
            try:
                if os.readlink(f"/proc/{pid}/ns/net") == space and pid != self._outside(node):
                    os.kill(pid, signal.SIGKILL)
            except (OSError, ProcessLookupError):
                continue

    def found(self) -> list[str]:
        """The lost nodes, which have their network again, and nothing that runs."""
        names = list(self.lost)
        self.lost.clear()
        for name in names:
            self.machine.out("ip", "link", "set", f"to-{name}", "up")
        return names

    def _outside(self, node: str) -> int:
        """The id of the first process of the node as this process sees it."""
        for pid in self.machine.processes():
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            inner = next((line.split()[-1] for line in lines if line.startswith("NSpid:")), "")
            if inner == str(self.nodes[node]):
                return pid
        raise AssertionError(f"{node} has no first process")

    def down(self) -> None:
        self.machine.stop()
        for process in self.daemons.values():
            process.wait()


@contextmanager
def begun(kind: str) -> Iterator[Cluster]:
    """A cluster without nodes for a block that starts it, and of which nothing is left where that fails."""
    cluster = Cluster(Machine(own_folder(kind)))
    try:
        yield cluster
    except BaseException:
        cluster.down()
        raise
