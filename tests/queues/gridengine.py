"""A private Grid Engine of virtual nodes, of Debian's packages."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.needs import lab_machine, not_installed
from tests.queues.nodes import Cluster, begun
from tests.queues.system import Fault, System, killed
from tests.workflow.processes import until

PROGRAMS = ("sge_qmaster", "sge_execd", "qconf", "qsub")
CORES = 4
PARALLEL_ENVIRONMENT = f"""\
pe_name mpi
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule {CORES}
control_slaves TRUE
job_is_first_task FALSE
urgency_slots min
accounting_summary TRUE
qsort_args NONE
"""
COMPLEXES = """\
exclusive excl BOOL EXCL YES YES 0 1000
left left BOOL == YES NO 0 0
right right BOOL == YES NO 0 0
"""
QUEUE = {
    "qname": "all.q",
    "hostlist": "@allhosts",
    "slots": str(CORES),
    "load_thresholds": "NONE",  # else a queue closes at a load of 1.75 for each core
    "pe_list": "mpi",
    "shell": "/bin/bash",
    "tmpdir": "/run/tmp",
    "rerun": "TRUE",
}
SCHEDULING = {
    "schedule_interval": "0:0:1",
    "flush_submit_sec": "1",
    "flush_finish_sec": "1",
    "schedd_job_info": "true",
}
_SHARE = Path("/usr/share/gridengine")
_LIB = Path("/usr/lib/gridengine")


def missing() -> str:
    if absent := not_installed(*PROGRAMS):
        return f"{absent} (Debian: gridengine-master gridengine-exec)"
    return lab_machine()


def start(names: Sequence[str]) -> Cluster:
    with begun("gridengine") as cluster:
        root = cluster.folder / "sge"
        ports = {"SGE_QMASTER_PORT": "20100", "SGE_EXECD_PORT": "20101"}
        cluster.variables.update(ports, SGE_ROOT=str(root), SGE_CELL="default", SGE_ND="1")
        cluster.up(names)
        _configure(cluster, root)
        _start_server(cluster)
        _describe(cluster, names)
        _start_nodes(cluster, names)
    return cluster


def _start_server(cluster: Cluster) -> None:
    cluster.spawn("qmaster", [*cluster.on("login"), "sge_qmaster"])
    cluster.machine.wait_for(*_with(cluster, "qconf", "-sh"))


def _start_nodes(cluster: Cluster, names: Sequence[str]) -> None:
    for name in names:
        cluster.spawn(f"execd-{name}", [*cluster.on(name), "sge_execd"])
    _wait_for_nodes(cluster, names)


def _with(cluster: Cluster, *arguments: str) -> list[str]:
    return ["env", *(f"{key}={value}" for key, value in cluster.variables.items()), *arguments]


def _configure(cluster: Cluster, root: Path) -> None:
    """As Debian's init_cluster does, in a folder of ours and with files as the data base."""
    common, spool = root / "default" / "common", root / "spool"
    for folder in (common, spool / "qmaster" / "job_scripts", spool / "data"):
        folder.mkdir(parents=True)
    # Where an MPI looks for qrsh, and qrsh for its helpers.
    for folder in ("bin", "utilbin"):
        (root / folder).mkdir()
        (root / folder / "lx-amd64").symlink_to(_LIB)
    (common / "act_qmaster").write_text(f"{os.uname().nodename}\n")
    text = (_SHARE / "default-bootstrap").read_text()
    settings = dict(line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#"))
    settings |= {
        "admin_user": "none",
        "default_domain": "none",
        "spooling_method": "classic",
        "spooling_lib": "libspoolc",
        "spooling_params": f"{common};{spool}/qmaster",
        "qmaster_spool_dir": f"{spool}/qmaster",
    }
    (common / "bootstrap").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    own = {
        "execd_spool_dir": f"{spool}/execd",
        "min_uid": "0",
        "min_gid": "0",
        "reschedule_unknown": "00:00:10",
        "max_unheard": "00:00:20",
        "load_report_time": "00:00:02",
        "reporting_params": "accounting=true reporting=false flush_time=00:00:01 joblog=false",
    }
    configuration = _edited((_SHARE / "default-configuration").read_text(), own)
    (cluster.folder / "configuration").write_text(configuration)
    for arguments in (
        ["spoolinit", "classic", "libspoolc", f"{common};{spool}/qmaster", "init"],
        ["spooldefaults", "configuration", str(cluster.folder / "configuration")],
        ["spooldefaults", "complexes", str(_SHARE / "util/resources/centry")],
        ["spooldefaults", "usersets", str(_SHARE / "util/resources/usersets")],
        ["spooldefaults", "managers", "root"],
    ):
        cluster.out(_LIB / arguments[0], *arguments[1:])


def _describe(cluster: Cluster, names: Sequence[str]) -> None:
    """Hosts, a parallel environment that takes whole nodes, one queue; a job may have nodes of its own."""
    for name in names:
        cluster.out("qconf", "-ah", name)
    cluster.out("qconf", "-as", ",".join([os.uname().nodename, *names]))
    _change(cluster, "-Mc", cluster.out("qconf", "-sc") + COMPLEXES)
    nothing = ("load_scaling", "user_lists", "xuser_lists", "projects", "xprojects", "usage_scaling")
    for number, name in enumerate(names):
        side = "left" if number < len(names) / 2 else "right"
        lines = [f"hostname {name}", f"complex_values exclusive=true,{side}=true", "report_variables NONE"]
        _change(cluster, "-Ae", "\n".join([*lines, *(f"{key} NONE" for key in nothing)]) + "\n")
    _change(cluster, "-Ahgrp", f"group_name @allhosts\nhostlist {' '.join(names)}\n")
    _change(cluster, "-Ap", PARALLEL_ENVIRONMENT)
    _change(cluster, "-Aq", _edited(cluster.out("qconf", "-sq"), QUEUE))
    _change(cluster, "-Msconf", _edited(cluster.out("qconf", "-ssconf"), SCHEDULING))


def _edited(text: str, values: Mapping[str, str]) -> str:
    lines = []
    for line in text.splitlines():
        key = line.split()[0] if line.split() else ""
        lines.append(f"{key} {values[key]}" if key in values else line)
    return "\n".join(lines) + "\n"


def _change(cluster: Cluster, option: str, text: str) -> None:
    file = cluster.folder / f"qconf{option}"
    file.write_text(text)
    cluster.out("qconf", option, file)


def _wait_for_nodes(cluster: Cluster, names: Sequence[str]) -> None:
    def answering() -> set[str]:
        lines = [line.split() for line in cluster.run("qhost").stdout.splitlines()]
        return {line[0] for line in lines if line[0] in names and line[1] != "-"}

    assert until(lambda: answering() == set(names), 120), f"nodes that answer: {answering()}"


def running(cluster: Cluster) -> list[str]:
    return [line.split()[0] for line in cluster.out("qstat", "-s", "r").splitlines()[2:]]


def _accounting(cluster: Cluster, kept: bool) -> None:
    text = cluster.out("qconf", "-sconf").replace("\\\n", " ")
    old, new = ("accounting=false", "accounting=true") if kept else ("accounting=true", "accounting=false")
    file = cluster.folder / "global"
    file.write_text(text.replace(old, new))
    cluster.out("qconf", "-Mconf", file)


def _without_prologue(cluster: Cluster) -> None:
    cluster.out("qconf", "-mattr", "queue", "prolog", "NONE", "all.q")
    cluster.out("qmod", "-c", "*")


FAULTS = {
    "cancelled in the middle": Fault(
        "it was cancelled or killed", True, during=lambda job, *_: job.cluster.out("qdel", job.number)
    ),
    "time limit too short": Fault("its time of 2 s was over", True, time_s=2),
    "node down": Fault(
        "does not answer",
        False,
        during=lambda job, _, node: job.cluster.lose(node),
        after=lambda cluster: _start_nodes(cluster, cluster.found()),
        lasts=True,
    ),
    "server stopped and started again": Fault(
        "gridengine does not tell the state of job",
        False,
        during=lambda job, *_: job.cluster.out("qconf", "-km"),
        after=_start_server,
    ),
    "killed by the system": killed("it was cancelled or killed"),
    "queue stopped": Fault(
        "is waiting: queue instance",
        False,
        before=lambda cluster: cluster.out("qmod", "-d", "all.q"),
        after=lambda cluster: cluster.out("qmod", "-e", "all.q"),
    ),
    "prologue fails": Fault(
        "exit_status of prolog = 1",
        False,
        before=lambda cluster: cluster.out("qconf", "-mattr", "queue", "prolog", "/bin/false", "all.q"),
        after=_without_prologue,
    ),
    "accounting is off": Fault(
        "ended with exit code 3",
        True,
        before=lambda cluster: _accounting(cluster, kept=False),
        after=lambda cluster: _accounting(cluster, kept=True),
        code=3,
    ),
}
SYSTEM = System(
    "gridengine",
    "-pe, mpi, -l, exclusive=true",
    missing,
    start,
    running,
    lambda cluster, job: cluster.out("qdel", job),
    "it was cancelled or killed",
    faults=FAULTS,
)
