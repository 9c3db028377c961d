"""The private Slurm comes up by itself, keeps to itself, and leaves nothing."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.needs import need, network_namespaces, user_namespaces
from tests.programs import ran
from tests.slurm.private_slurm import HERE, SANDBOX, Cluster

MARK = "SLURM_SANDBOX_MARK"


def state(cluster: Cluster) -> dict[str, object]:
    return json.loads((cluster.folder / "sandbox.json").read_text())


def carriers(mark: object) -> list[str]:
    """Command lines of the processes that carry a sandbox's mark."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def listening(ports: range) -> list[int]:
    """Ports in the range on which anything listens, from the kernel's own table."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    open_ports = {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A"}
    return sorted(open_ports & set(ports))


def wildcard(ports: range) -> list[int]:
    """Ports in the range that are open to other machines."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {int(row[1].split(":")[1], 16): row[1].split(":")[0] for row in rows if row[3] == "0A"}
    return [port for port in ports if addresses.get(port, "0100007F") != "0100007F"]


def assert_nothing_left(cluster: Cluster, facts: dict[str, object]) -> None:
    assert not cluster.folder.exists()
    assert carriers(facts["mark"]) == []
    first = int(str(facts["port"]))
    assert listening(range(first, first + int(str(facts["nodes"])) + 3)) == []
    assert str(cluster.folder) not in Path("/proc/net/unix").read_text()


def test_up_then_down_leaves_nothing(empty: Cluster) -> None:
    shared_memory = set(os.listdir("/dev/shm"))
    empty.up("--nodes", "2")
    facts = state(empty)
    first = int(str(facts["port"]))
    assert listening(range(first, first + 3)) == [first, first + 1, first + 2]
    assert wildcard(range(first, first + 3)) == []
    assert len(carriers(facts["mark"])) >= 4
    empty.run("sbatch", "-N2", "-o", empty.folder / "job.out", "--wrap", "trap '' TERM; sleep 100; sleep 100")
    empty.down(code=0)
    assert_nothing_left(empty, facts)
    assert not {name for name in set(os.listdir("/dev/shm")) - shared_memory if empty.folder.name in name}


def test_a_daemon_in_the_midst_of_an_exec_is_alive(
    empty: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its environment reads as empty then: a node was told dead that was starting."""
    monkeypatch.syspath_prepend(str(HERE / "sandbox"))
    layout, processes = importlib.import_module("layout"), importlib.import_module("processes")
    sandbox = layout.Sandbox(tmp_path, nodes=1, cores=1, port=1, accounting=False)
    script = tmp_path / "again"
    script.write_text('exec sh "$0"\n')
    daemon = subprocess.Popen(["sh", script], env=os.environ | {MARK: sandbox.mark})
    try:
        sandbox.pids["node1"] = daemon.pid
        assert all(processes.alive(sandbox, "node1") for _ in range(3000))
    finally:
        daemon.kill()
    processes.wait_until("its end", lambda: not processes.alive(sandbox, "node1"), 10)


def test_down_twice_and_down_of_nothing_are_fine(empty: Cluster) -> None:
    empty.down(code=0)
    assert not empty.folder.exists()
    empty.down(code=0)


def test_down_touches_no_folder_that_is_not_a_sandbox(empty: Cluster) -> None:
    (empty.folder / "thesis.tex").write_text("years of work")
    assert "not a sandbox" in empty.down(code=1).stderr
    assert (empty.folder / "thesis.tex").read_text() == "years of work"
    assert "not empty" in empty.up(code=1).stderr


def test_status_without_a_sandbox_says_how_to_start_one(empty: Cluster) -> None:
    done = empty.run(SANDBOX, "status", empty.folder, code=1)
    assert f"sandbox up {empty.folder}" in done.stderr


def test_a_taken_port_is_refused_by_number(empty: Cluster) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert str(port) in empty.up("--port", str(port), code=1).stderr


@pytest.mark.parametrize(
    ("namespace", "reason"),
    [
        (["--net"], "127.0.0.1 does not answer here (Network is unreachable)"),
        (["--user", "--map-root-user"], "in a user namespace that one user has made"),
    ],
)
def test_a_namespace_in_which_slurm_cannot_run_is_named(
    empty: Cluster, namespace: list[str], reason: str
) -> None:
    need(network_namespaces if namespace == ["--net"] else user_namespaces)
    done = empty.run("unshare", *namespace, SANDBOX, "up", empty.folder, code=1)
    assert reason in done.stderr
    assert list(empty.folder.iterdir()) == []


@pytest.mark.slow
def test_a_demo_that_fails_keeps_the_logs_of_slurm(tmp_path: Path) -> None:
    checkout = tmp_path / "weir"
    shutil.copytree(HERE, checkout / "tests/slurm", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "TMPDIR": "/tmp"}  # the path of a socket is short
    done = ran([checkout / "tests/slurm/demo.sh"], env=environment)  # there is nothing to measure with
    assert done.returncode != 0
    logs = checkout / "results/sandbox/nodes/logs/slurm"
    assert f"the logs of Slurm are in {logs}" in done.stderr
    assert "slurmctld version" in (logs / "slurmctld.log").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.05, 0.15, 0.3, 0.6])
def test_down_cleans_up_a_start_that_was_killed(empty: Cluster, after_s: float) -> None:
    start = subprocess.Popen([SANDBOX, "up", empty.folder], env=empty.environment, stdout=subprocess.DEVNULL)
    file = empty.folder / "sandbox.json"
    while not file.exists() and start.poll() is None:
        time.sleep(0.005)
    time.sleep(after_s)
    start.send_signal(signal.SIGKILL)
    start.wait()
    facts = state(empty)
    empty.down(code=0)
    assert_nothing_left(empty, facts)


@pytest.mark.slow
def test_up_hints_a_half_up_state(empty: Cluster) -> None:
    empty.up("--nodes", "2")
    assert "already up" in empty.up("--nodes", "2").stdout
    assert "another sandbox" in empty.up("--nodes", "3", code=1).stderr
    empty.out(SANDBOX, "kill", "slurmctld", empty.folder)
    empty.run(SANDBOX, "status", empty.folder, code=1)
    empty.up("--nodes", "2")
    names = empty.out("srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME").split()
    assert sorted(names) == ["node1", "node2"]
    empty.run(SANDBOX, "status", empty.folder, code=0)


@pytest.mark.slow
def test_two_sandboxes_side_by_side_do_not_see_each_other(cluster: Cluster, empty: Cluster) -> None:
    empty.up("--nodes", "2")
    assert cluster.out("sinfo", "-h", "-p", "debug", "-o", "%D").strip() == "4"
    assert empty.out("sinfo", "-h", "-p", "debug", "-o", "%D").strip() == "2"
    empty.out("sbatch", "--job-name=only-here", "-o", "/dev/null", "--wrap", "sleep 600")
    assert "only-here" in empty.out("squeue", "-o", "%j")
    assert "only-here" not in cluster.out("squeue", "-o", "%j")
    empty.down()
    assert cluster.out("srun", "-N4", "echo", "still here").count("still here") == 4


@pytest.mark.slow
def test_accounting_remembers_jobs(empty: Cluster) -> None:
    if shutil.which("mariadbd", path="/usr/sbin:/usr/bin") is None or not Path("/usr/sbin/slurmdbd").exists():
        pytest.skip("not installed: slurmdbd, mariadb-server")
    empty.up("--nodes", "2", "--accounting")
    facts = state(empty)
    empty.out("srun", "--job-name=remembered", "-N2", "true")
    arguments = ("sacct", "-X", "-n", "-P", "-o", "jobname,state,nnodes")
    end = time.monotonic() + 120  # slurmctld tells slurmdbd some seconds late
    while "remembered|COMPLETED|2" not in empty.out(*arguments) and time.monotonic() < end:
        time.sleep(0.3)
    assert "remembered|COMPLETED|2" in empty.out(*arguments)
    empty.down()
    assert_nothing_left(empty, facts)


@pytest.mark.slow
def test_any_user_can_have_one() -> None:
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv to become another user; as that user all other tests show it")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/tmp"]
    readable = subprocess.run([*nobody, "test", "-x", SANDBOX], check=False).returncode == 0
    if not readable:
        pytest.skip("the checkout is not readable for other users")
    folder = Path(f"/tmp/weir-slurm-nobody-{os.getpid()}")
    cluster = Cluster(folder)
    try:
        cluster.out(*nobody, SANDBOX, "up", folder, "--nodes", "2")
        facts = state(cluster)
        assert cluster.out(*nobody, folder / "bin" / "srun", "-N2", "id", "-u").split() == ["65534", "65534"]
    finally:
        cluster.out(*nobody, SANDBOX, "down", folder)
    assert_nothing_left(cluster, facts)
