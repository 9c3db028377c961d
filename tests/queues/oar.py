"""A private OAR of virtual nodes, of Debian's packages."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.needs import lab_machine, not_installed
from tests.programs import write_program
from tests.queues.nodes import Cluster, begun
from tests.queues.system import Fault, System, killed
from tests.workflow.processes import until

PROGRAMS = ("Almighty", "oarsub", "oarnodesetting", "oarsh", "sshd")
CORES = 4
_STATE = Path("/var/lib/oar")
_SETTINGS = {
    "DB_HOSTNAME": "{server}",
    "DB_BASE_PASSWD": "oar",
    "DB_BASE_PASSWD_RO": "oar_ro",
    "LOG_FILE": "{folder}/oar.log",
    "SERVER_HOSTNAME": "{server}",
    "OARSH_OPENSSH_DEFAULT_OPTIONS": "-oProxyCommand=none -oPermitLocalCommand=no",
    "SCHEDULER_JOB_SECURITY_TIME": "1",
    "FINAUD_FREQUENCY": "10",  # suspected nodes are looked at again
    "#PROLOGUE_EXEC_FILE": "{folder}/prologue",
}
# Processes of a job are told by cgroups, which are the machine's and not a node's.
_WITHOUT = ("CPUSET_PATH", "JOB_RESOURCE_MANAGER_FILE")


def missing() -> str:
    absent = not_installed(*PROGRAMS) or ("" if _postgres() else "not installed: postgres")
    if absent:
        packages = "oar-server oar-server-pgsql oar-user oar-user-pgsql oar-node postgresql"
        return f"{absent} (Debian: {packages})"
    return lab_machine()


def _postgres() -> Path | None:
    return next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None)


def start(names: Sequence[str]) -> Cluster:
    with begun("oar") as cluster:
        folder = cluster.folder
        cluster.up(names, private=[str(_STATE)])
        folder.chmod(0o755)  # the server is another user's
        subprocess.run(["cp", "-a", f"{_STATE}/.", f"{folder}/private{_STATE}"], check=True)
        # By it each shell of a job reads ~/.bashrc, and one that starts a shell there would never end.
        (folder / f"private{_STATE}" / ".batch_job_bashrc").write_text("")
        _configure(cluster)
        _prologue(cluster)
        _data_base(cluster)
        _start_server(cluster)
        cluster.out("install", "-d", "/run/sshd")
        for name in names:
            _start_node(cluster, name)
        _nodes(cluster, names)
    return cluster


def _configure(cluster: Cluster) -> None:
    """Over the file of this machine, which is seen by nobody else."""
    values = {"folder": cluster.folder, "server": os.uname().nodename}
    lines = []
    for line in Path("/etc/oar/oar.conf").read_text().splitlines():
        key = line.partition("=")[0]
        if key in _SETTINGS:
            line = f'{key.lstrip("#")}="{_SETTINGS[key].format(**values)}"'
        lines.append(f"#{line}" if key in _WITHOUT else line)
    file = cluster.folder / "oar.conf"
    file.write_text("\n".join(lines) + "\n")
    (cluster.folder / "oar.log").touch()
    for each in ("oar.conf", "oar.log"):
        shutil.chown(cluster.folder / each, "oar", "oar")
    file.chmod(0o600)
    for node in ("login", *cluster.nodes):  # a job asks the data base, too
        cluster.out("mount", "--bind", file, "/etc/oar/oar.conf", node=node)


def _data_base(cluster: Cluster) -> None:
    top = _postgres()
    assert top is not None
    folder = cluster.folder / "data"
    folder.mkdir()
    shutil.chown(folder, "postgres")
    cluster.out("install", "-d", "-o", "postgres", "/run/postgresql")
    as_owner = cluster.machine.entering("postgres")
    make = [*as_owner, str(top / "initdb"), "-A", "trust", "--no-sync", str(folder)]
    subprocess.run(make, check=True, capture_output=True, cwd="/")
    with (folder / "pg_hba.conf").open("a") as stream:
        stream.write("host all all 198.18.0.0/16 trust\n")
    _start_data_base(cluster)
    create = ["--db-admin-user=postgres", "--db-admin-pass=none", "--force-yes"]
    cluster.out("oar-database", "--create", *create)
    rule = "delete from admission_rules where rule like '%users oar and root%'"  # the tests are root's
    cluster.out("psql", "-h", "127.0.0.1", "-U", "postgres", "oar", "-c", rule)


def _start_data_base(cluster: Cluster) -> None:
    options = ["-D", f"{cluster.folder}/data", "-F", "-c", "listen_addresses=*"]
    cluster.spawn("data", [*cluster.machine.entering("postgres"), f"{_postgres()}/postgres", *options])
    cluster.machine.wait_for("psql", "-h", "127.0.0.1", "-U", "postgres", "-c", "select 1")


def _start_server(cluster: Cluster) -> None:
    cluster.spawn("server", [*cluster.on("login"), "/usr/sbin/Almighty"])


def _start_node(cluster: Cluster, name: str) -> None:
    daemon = ["/usr/sbin/sshd", "-D", "-f", "/etc/oar/sshd_config"]
    cluster.spawn(f"node-{name}", [*cluster.on(name), *daemon])


def _nodes(cluster: Cluster, names: Sequence[str]) -> None:
    """OAR connects to a node when it is added."""
    cluster.out("oarproperty", "-a", "side", "-c")
    lines = ["set -e"]
    for number, name in enumerate(names):
        side = "left" if number < len(names) / 2 else "right"
        lines += [f"oarnodesetting -a -h {name} -p cpuset={core} -p side={side} &" for core in range(CORES)]
        lines += ["wait"]
    cluster.out("bash", "-c", "\n".join(lines))
    _wait_for_nodes(cluster)


def _wait_for_nodes(cluster: Cluster) -> None:
    def told() -> str:
        return cluster.run("oarnodes", "-s").stdout

    assert until(lambda: told().count("Alive") >= CORES * len(cluster.nodes), 120), told()


def _stop_server(cluster: Cluster) -> None:
    """With its data base, which answers the commands."""
    for pid in cluster.machine.processes():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if b"Almighty" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
    stop = [f"{_postgres()}/pg_ctl", "stop", "-m", "immediate", "-D", f"{cluster.folder}/data"]
    subprocess.run([*cluster.machine.entering("postgres"), *stop], check=True, capture_output=True)


def _start_server_again(cluster: Cluster) -> None:
    _start_data_base(cluster)
    _start_server(cluster)


def _prologue(cluster: Cluster, code: int = 0) -> None:
    write_program(cluster.folder / "prologue", f"#!/bin/sh\nexit {code}\n")


def running(cluster: Cluster) -> list[str]:
    return [line.split()[0] for line in cluster.out("oarstat").splitlines() if " R " in line]


def _nodes_are_alive(cluster: Cluster) -> None:
    cluster.out("oarnodesetting", "--sql", "state = 'Absent'", "-s", "Alive")
    _wait_for_nodes(cluster)


FAULTS = {
    "cancelled in the middle": Fault(
        "it was cancelled", True, during=lambda job, *_: job.cluster.out("oardel", job.number)
    ),
    "time limit too short": Fault("its time was over", True, time_s=2),
    # An administrator tells it; OAR itself looks at no node with jobs.
    "node down": Fault(
        "it was cancelled",
        True,
        during=lambda job, _, node: job.cluster.run("oarnodesetting", "-h", node, "-s", "Absent"),
        after=_nodes_are_alive,
        lasts=True,
    ),
    "killed by the system": killed("signal 9 ended it"),
    "queue stopped": Fault(
        "is waiting: OAR plans no start for it",
        False,
        before=lambda cluster: cluster.out("oarnotify", "-d", "default"),
        after=lambda cluster: cluster.out("oarnotify", "-e", "default"),
    ),
    "server stopped and started again": Fault(
        "oar does not tell the state of job",
        False,
        during=lambda job, *_: _stop_server(job.cluster),
        after=_start_server_again,
    ),
    "prologue fails": Fault(
        "after PROLOGUE_ERROR OAR has submitted it again",
        False,
        before=lambda cluster: _prologue(cluster, code=1),
        after=_prologue,
    ),
}
SYSTEM = System(
    "oar",
    "",
    missing,
    start,
    running,
    lambda cluster, job: cluster.out("oardel", job),
    "it was cancelled",
    faults=FAULTS,
)
