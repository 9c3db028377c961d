"""A private PBS of virtual nodes, of an OpenPBS that PBS_EXEC names, or that is on the PATH."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.lab.machine import ROOT
from tests.needs import lab_machine
from tests.queues.nodes import Cluster, begun
from tests.queues.system import Fault, System, killed
from tests.workflow.processes import until

CORES = 4
_HOMES = Path("/mnt")  # of the machine: PBS refuses one below a directory that all may write to, such as /tmp
CONFIGURATION = """\
PBS_EXEC={exec}
PBS_HOME={home}
PBS_SERVER={server}
PBS_START_SERVER=1
PBS_START_SCHED=1
PBS_START_COMM=1
PBS_START_MOM=0
PBS_CORE_LIMIT=unlimited
"""
SETTINGS = """\
set server acl_roots = root
set server job_history_enable = True
set server scheduling = True
set server scheduler_iteration = 3
set server resources_default.place = free
create resource side type=string,flag=h
"""


def installed() -> Path | None:
    """The directory of a PBS with a server: bin, sbin, libexec."""
    found = shutil.which("pbs_server", path=f"{os.environ.get('PATH', '')}:/opt/pbs/sbin")
    given = os.environ.get("PBS_EXEC")
    top = Path(given) if given else Path(found).parent.parent if found else None
    return top if top and (top / "libexec" / "pbs_habitat").exists() else None


def missing() -> str:
    if installed() is None:
        return "not installed: OpenPBS with its server (PBS_EXEC names its directory)"
    return lab_machine()


def start(names: Sequence[str]) -> Cluster:
    top = _top()
    with begun("pbs") as cluster:
        path = f"{top}/bin:{ROOT}/.venv/bin:{os.environ['PATH']}"
        cluster.variables.update(PBS_CONF_FILE=f"{cluster.folder}/login.conf", PATH=path)
        cluster.up(names)
        cluster.folder.chmod(0o755)  # the data base is another user's
        _server(cluster, top)
        for name in names:
            _mom(cluster, top, name)
        _wait_for_nodes(cluster, names)
    return cluster


def _top() -> Path:
    top = installed()
    assert top is not None
    return top


def _write(cluster: Cluster, top: Path, node: str) -> Path:
    home = _HOMES / f"pbs-{node}"
    values = {"exec": top, "home": home, "server": os.uname().nodename}
    (cluster.folder / f"{node}.conf").write_text(CONFIGURATION.format(**values))
    return home


def _server(cluster: Cluster, top: Path) -> None:
    """What its own installation does in /etc is seen by nobody else."""
    over = cluster.folder / "etc"
    for part in ("upper", "work"):
        (over / part).mkdir(parents=True)
    layers = f"lowerdir=/etc,upperdir={over}/upper,workdir={over}/work"
    cluster.out("umount", "/etc/hosts")
    cluster.out("mount", "-t", "overlay", "overlay", "-o", layers, "/etc")
    cluster.out("cp", cluster.folder / "hosts", "/etc/hosts")
    cluster.out("install", "-d", "-o", "postgres", "/run/postgresql", "/run/lock")
    _write(cluster, top, "login")
    cluster.out(top / "libexec" / "pbs_habitat", limit_s=180)
    cluster.spawn("comm", [*cluster.on("login"), str(top / "sbin/pbs_comm"), "-N"])
    cluster.out(top / "sbin/pbs_server", limit_s=120)
    assert until(lambda: cluster.run("qstat", "-B").returncode == 0, 25), "pbs_server does not answer"
    settings = _HOMES / "pbs-login/sched_priv/sched_config"
    cluster.out("sed", "-i", 's/resources: "ncpus,/resources: "side, ncpus,/', settings)
    cluster.spawn("sched", [*cluster.on("login"), str(top / "sbin/pbs_sched"), "-N"])
    for line in SETTINGS.splitlines():
        cluster.out("qmgr", "-c", line)


def _mom(cluster: Cluster, top: Path, node: str) -> None:
    home = _write(cluster, top, node)
    version = cluster.out("qstat", "--version").split("=")[1].strip()
    conf = f"PBS_CONF_FILE={cluster.folder}/{node}.conf"
    install = [
        str(top / "libexec/pbs_postinstall"),
        "execution",
        version,
        str(top),
        str(home),
        "",
        "sameconf",
    ]
    cluster.out("env", conf, *install)
    settings = f"$clienthost {os.uname().nodename}\\n$usecp *:/ /\\n"
    cluster.out("bash", "-c", f"printf '{settings}' >{home}/mom_priv/config")
    cluster.out("bash", "-c", f"echo {conf} >>{home}/pbs_environment")  # of its jobs, which ask the server
    cluster.out("qmgr", "-c", f"create node {node}")
    side = "left" if int(node[-1]) <= 2 else "right"
    cluster.out(
        "qmgr", "-c", f"set node {node} resources_available.ncpus={CORES},resources_available.side={side}"
    )
    _start_mom(cluster, top, node)


def _start_mom(cluster: Cluster, top: Path, node: str) -> None:
    conf = f"PBS_CONF_FILE={cluster.folder}/{node}.conf"
    cluster.spawn(f"mom-{node}", [*cluster.on(node), "env", conf, str(top / "sbin/pbs_mom"), "-N"])


def _wait_for_nodes(cluster: Cluster, names: Sequence[str]) -> None:
    def told() -> str:
        return cluster.run("pbsnodes", "-a").stdout

    assert until(lambda: told().count("state = free") == len(names), 120), told()


def running(cluster: Cluster) -> list[str]:
    return cluster.out("qselect", "-s", "R").split()


def _prologue(cluster: Cluster) -> None:
    for node in cluster.nodes:
        file = _HOMES / f"pbs-{node}/mom_priv/prologue"
        cluster.out("bash", "-c", f"printf '#!/bin/sh\\nexit 1\\n' >{file}; chmod 500 {file}")


def _without_prologue(cluster: Cluster) -> None:
    cluster.out("rm", *(_HOMES / f"pbs-{node}/mom_priv/prologue" for node in cluster.nodes))


def _start_server(cluster: Cluster) -> None:
    cluster.out(_top() / "sbin/pbs_server", limit_s=120)


def _nodes_are_found(cluster: Cluster) -> None:
    cluster.out("qmgr", "-c", "unset server node_fail_requeue")
    for node in cluster.found():
        _start_mom(cluster, _top(), node)
    _wait_for_nodes(cluster, list(cluster.nodes))


FAULTS = {
    "cancelled in the middle": Fault(
        "it was cancelled by root@", True, during=lambda job, *_: job.cluster.out("qdel", job.number)
    ),
    "time limit too short": Fault("its time of 00:00:02 was over", True, time_s=2),
    "node down": Fault(
        "does not answer",
        False,
        before=lambda cluster: cluster.out("qmgr", "-c", "set server node_fail_requeue = 5"),
        during=lambda job, _, node: job.cluster.lose(node),
        after=_nodes_are_found,
        lasts=True,
    ),
    "killed by the system": killed("Killed"),  # its login shell writes that
    "queue stopped": Fault(
        "is waiting: Not Running: Queue not started",
        False,
        before=lambda cluster: cluster.out("qstop", "workq"),
        after=lambda cluster: cluster.out("qstart", "workq"),
    ),
    "prologue fails": Fault(
        "it could not be started, or a prologue failed", True, before=_prologue, after=_without_prologue
    ),
    "accounting is off": Fault(
        "ended with exit code 3",
        True,
        before=lambda cluster: cluster.out("qmgr", "-c", "set server job_history_enable = False"),
        after=lambda cluster: cluster.out("qmgr", "-c", "set server job_history_enable = True"),
        code=3,
    ),
    "server stopped and started again": Fault(
        "pbs does not tell the state of job",
        False,
        during=lambda job, *_: job.cluster.out("qterm", "-t", "quick"),
        after=_start_server,
    ),
}
SYSTEM = System(
    "pbs",
    "-q, workq",
    missing,
    start,
    running,
    lambda cluster, job: cluster.out("qdel", job),
    "it was cancelled",
    faults=FAULTS,
)
