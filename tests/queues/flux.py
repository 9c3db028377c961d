"""A private Flux of virtual nodes: a broker on each."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.lab.machine import ROOT, Machine
from tests.queues.nodes import Cluster
from tests.queues.system import System

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
    folder = Path(tempfile.mkdtemp(prefix="weir-flux-", dir="/tmp"))
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


SYSTEM = System(
    "flux",
    "",
    missing,
    start,
    running,
    lambda cluster, job: cluster.out("flux", "cancel", job),
    "it was cancelled",
    launcher="flux",
)
