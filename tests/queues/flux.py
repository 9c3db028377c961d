"""A private Flux of virtual nodes: a broker on each."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence

from tests.lab.machine import ROOT, Machine
from tests.own_folders import own_folder
from tests.queues.nodes import Cluster
from tests.queues.system import Fault, System, killed

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
    return "" if os.geteuid() == 0 else "only root makes namespaces with mounts"


def start(names: Sequence[str]) -> Cluster:
    folder = own_folder("flux")
    cluster = Cluster(Machine(folder))
    cluster.variables.update(
        PATH=f"{ROOT}/.venv/bin:{os.environ['PATH']}", FLUX_URI=f"local://{folder}/node1/local-0"
    )
    try:
        cluster.up(names)
        cluster.out("flux", "keygen", folder / "curve.cert")
        (folder / "flux").mkdir()
        (folder / "flux" / "bootstrap.toml").write_text(SETTINGS.format(folder=folder, count=len(names)))
        for name in reversed(names):
            (folder / name).mkdir(mode=0o700)
            own = ["env", "-u", "FLUX_URI", "flux", "broker", f"--config-path={folder}/flux"]
            own += [
                f"-Srundir={folder}/{name}",
                f"-Sstatedir={folder}/{name}",
                f"-Sbroker.quorum={len(names)}",
            ]
            cluster.spawn(f"broker-{name}", [*cluster.on(name), *own, "sleep", "infinity"])
        until = time.monotonic() + 120
        while _free(cluster) != str(len(names)):
            assert time.monotonic() < until, "the nodes are not free"
            time.sleep(0.3)
    except BaseException:
        cluster.down()
        raise
    return cluster


def _free(cluster: Cluster) -> str:
    return cluster.run("flux", "resource", "list", "-s", "free", "-no", "{nnodes}").stdout.strip()


def running(cluster: Cluster) -> list[str]:
    return cluster.out("flux", "jobs", "--filter=running", "-no", "{id.f58plain}").split()


def _prologue(cluster: Cluster) -> None:
    settings = '[job-manager.prolog]\ncommand = ["/bin/false"]\n'
    (cluster.folder / "flux" / "prologue.toml").write_text(settings)
    cluster.out("flux", "config", "reload")
    cluster.out("flux", "jobtap", "load", "perilog.so")


def _without_prologue(cluster: Cluster) -> None:
    cluster.out("flux", "jobtap", "remove", "perilog.so")
    (cluster.folder / "flux" / "prologue.toml").unlink()
    cluster.out("flux", "config", "reload")


FAULTS = {
    "cancelled in the middle": Fault(
        "it was cancelled", True, during=lambda job, *_: job.cluster.out("flux", "cancel", job.number)
    ),
    "time limit too short": Fault("its time of 2 s was over", True, time_s=2),
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
