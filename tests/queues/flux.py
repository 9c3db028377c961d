"""A private Flux of virtual nodes: a broker on each."""

import os
import shutil
from collections.abc import Sequence

from tests.lab.machine import ROOT
from tests.needs import lab_machine
from tests.queues.nodes import Cluster, begun
from tests.queues.system import Fault, System, killed
from tests.workflow.processes import until

SETTINGS = """\
[bootstrap]
curve_cert = "{folder}/curve.cert"
default_port = 8050
default_bind = "tcp://nic:%p"
default_connect = "tcp://%h:%p"
hosts = [{{ host = "node[1-{count}]" }}]
"""


def missing() -> str:
    if shutil.which("flux") is None:
        return "not installed: flux"
    return lab_machine()


def start(names: Sequence[str]) -> Cluster:
    with begun("flux") as cluster:
        folder = cluster.folder
        cluster.variables.update(
            PATH=f"{ROOT}/.venv/bin:{os.environ['PATH']}", FLUX_URI=f"local://{folder}/node1/local-0"
        )
        cluster.up(names)
        cluster.out("flux", "keygen", folder / "curve.cert")
        (folder / "flux").mkdir()
        (folder / "flux" / "bootstrap.toml").write_text(SETTINGS.format(folder=folder, count=len(names)))
        for name in names:
            (folder / name).mkdir(mode=0o700)
        _start_brokers(cluster, names)
    return cluster


def _start_brokers(cluster: Cluster, names: Sequence[str]) -> None:
    """That of the first node is the server; the tests have its node do no work where the server must stay."""
    for name in reversed(names):
        folder = cluster.folder / name
        own = ["env", "-u", "FLUX_URI", "flux", "broker", f"--config-path={cluster.folder}/flux"]
        own += [f"-Srundir={folder}", f"-Sstatedir={folder}", f"-Sbroker.quorum={len(names)}"]
        cluster.spawn(f"broker-{name}", [*cluster.on(name), *own, "sleep", "infinity"])
    assert until(lambda: _free(cluster) == str(len(names)), 120), "the nodes are not free"


def _start_again(cluster: Cluster) -> None:
    """It cancels its jobs, and takes a node that was lost again, which it would not do without."""
    cluster.run("flux", "shutdown")
    for name in cluster.nodes:
        cluster.daemons[f"broker-{name}"].wait(timeout=120)
    _start_brokers(cluster, list(cluster.nodes))


def _free(cluster: Cluster) -> str:
    return cluster.run("flux", "resource", "list", "-s", "free", "-no", "{nnodes}").stdout.strip()


def running(cluster: Cluster) -> list[str]:
    return cluster.out("flux", "jobs", "--filter=running", "-no", "{id.f58plain}").split()


def _set(cluster: Cluster, table: str, line: str) -> None:
    (cluster.folder / "flux" / "fault.toml").write_text(f"[{table}]\n{line}\n")
    cluster.out("flux", "config", "reload")


def _unset(cluster: Cluster) -> None:
    (cluster.folder / "flux" / "fault.toml").unlink()
    cluster.out("flux", "config", "reload")


def _prologue(cluster: Cluster) -> None:
    _set(cluster, "job-manager.prolog", 'command = ["/bin/false"]')
    cluster.out("flux", "jobtap", "load", "perilog.so")


def _without_prologue(cluster: Cluster) -> None:
    cluster.out("flux", "jobtap", "remove", "perilog.so")
    _unset(cluster)


def _node_is_found(cluster: Cluster) -> None:
    cluster.found()
    cluster.out("flux", "resource", "undrain", "node1")
    _start_again(cluster)


FAULTS = {
    "cancelled in the middle": Fault(
        "it was cancelled", True, during=lambda job, *_: job.cluster.out("flux", "cancel", job.number)
    ),
    "time limit too short": Fault("its time of 2 s was over", True, time_s=2),
    "node down": Fault(
        "exec: node failure on node2",
        True,
        before=lambda cluster: cluster.out("flux", "resource", "drain", "node1"),
        during=lambda job, _, node: job.cluster.lose(node),
        after=_node_is_found,
        lasts=True,
    ),
    "server stopped and started again": Fault(
        "it was cancelled", True, during=lambda job, *_: _start_again(job.cluster)
    ),
    "accounting is off": Fault(
        "ended with exit code 3",
        True,
        before=lambda cluster: _set(cluster, "job-manager", "inactive-num-limit = 0"),
        after=_unset,
        code=3,
    ),
    "killed by the system": killed("Killed (rc=137)"),
    "queue stopped": Fault(
        "is waiting: Scheduling is stopped",
        False,
        before=lambda cluster: cluster.out("flux", "queue", "stop", "--all"),
        after=lambda cluster: cluster.out("flux", "queue", "start", "--all"),
    ),
    "prologue fails": Fault(
        "prolog: prolog exited with code=1", True, before=_prologue, after=_without_prologue
    ),
}
SYSTEM = System(
    "flux",
    "",
    missing,
    start,
    running,
    lambda cluster, job: cluster.out("flux", "cancel", job),
    "it was cancelled",
    launcher="flux",
    faults=FAULTS,
)
