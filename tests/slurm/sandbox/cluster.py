"""Bring the daemons up in order, look at them, and take them down without a trace."""

import contextlib
import random
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import database
import processes
from configuration import CLIENT_COMMANDS, write_all
from layout import LONGEST_FOLDER, Sandbox, SandboxError

# Below the ports that the kernel hands out, so that no passing connection sits on one of ours.
PORTS = range(20000, 32000)
NEEDED = ("slurmctld", "slurmd", "munged", "mungekey")
UP_LIMIT_S = 120.0
# Somebody else may take a port between the look and the use of it.
ATTEMPTS = 3
ANSWER_S = 5.0


def program(name: str) -> str:
    """Daemons live in sbin, which is not on everybody's PATH."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")
    if found is None:
        package = "mariadb-server" if name.startswith("mariadb") else "slurm-wlm munge slurmdbd"
        raise SandboxError(f"{name} is not installed; on Debian: apt-get install {package}")
    return found


def free_ports(first: int, count: int) -> int:
    """First of `count` free ports in a row; a given first port is checked, not trusted."""
    starts = [first] if first else [random.randrange(PORTS.start, PORTS.stop - count) for _ in range(100)]
    for start in starts:
        if all(_is_free(port) for port in range(start, start + count)):
            return start
    raise SandboxError(f"ports {starts[0]} to {starts[0] + count - 1} are not all free; leave --port out")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def ask(sandbox: Sandbox, *arguments: str, limit_s: float = 5.0) -> str:
    """Output of a client command; empty if it fails, does not answer, or there is nobody to ask."""
    if not processes.alive(sandbox, "slurmctld"):
        return ""
    command = [str(sandbox.folder / "bin" / arguments[0]), *arguments[1:]]
    try:
        done = subprocess.run(
            command, env=sandbox.environment(), capture_output=True, text=True, timeout=limit_s, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def idle_nodes(sandbox: Sandbox) -> int:
    return ask(sandbox, "sinfo", "-h", "-N", "-p", "debug", "-o", "%T").split().count("idle")


def healthy(sandbox: Sandbox) -> bool:
    daemons = ["munged", "slurmctld", *sandbox.node_names] + (["mariadbd", "slurmdbd"] * sandbox.accounting)
    return all(processes.alive(sandbox, name) for name in daemons)


def up(wanted: Sandbox) -> int:
    folder = wanted.folder
    if Sandbox.state_file(folder).exists():
        sandbox = Sandbox.load(folder)
        same = _requested(sandbox) == _requested(wanted)
        if healthy(sandbox) and same:
            print(f"sandbox: already up in {folder}")
            return 0
        if healthy(sandbox):
            raise SandboxError(f"{folder} holds another sandbox; take it down first: sandbox down {folder}")
        down(folder)
    _check(wanted)
    began = time.monotonic()
    for left in reversed(range(1 if wanted.port else ATTEMPTS)):
        sandbox = replace(wanted, port=free_ports(wanted.port, wanted.ports), pids={})
        try:
            _bring_up(sandbox)
            break
        except BaseException as problem:
            logs = _last_words(sandbox)
            down(folder)
            if not left or not isinstance(problem, SandboxError) or "bind" not in logs:
                print(logs, file=sys.stderr)
                raise
    print(f"sandbox: {sandbox.nodes} nodes idle after {time.monotonic() - began:.1f} s")
    print(f"export PATH={folder}/bin:$PATH")
    return 0


def _requested(sandbox: Sandbox) -> tuple[object, ...]:
    return sandbox.nodes, sandbox.accounting, sandbox.addresses, sandbox.within


def _check(sandbox: Sandbox) -> None:
    folder = sandbox.folder
    if sandbox.nodes < 1 or sandbox.cores < 1:
        raise SandboxError("a sandbox has at least one node of one core")
    if sandbox.addresses and len(sandbox.addresses) != sandbox.nodes + 1:
        raise SandboxError(f"{sandbox.nodes} nodes and this machine have {sandbox.nodes + 1} addresses")
    if len(str(folder)) > LONGEST_FOLDER:
        raise SandboxError(f"{folder} is too long for sockets; take at most {LONGEST_FOLDER} letters")
    if folder.exists() and any(folder.iterdir()):
        raise SandboxError(f"{folder} is not empty and not a sandbox; name another folder")
    for name in NEEDED:
        program(name)
    _check_namespaces()


def _check_namespaces() -> None:
    """What the daemons need, and would miss in messages that tell no cause."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            socket.create_connection(server.getsockname(), timeout=ANSWER_S).close()
        except OSError as error:
            raise SandboxError(
                f"127.0.0.1 does not answer here ({error.strerror or error}): in a network namespace, "
                "first `ip link set lo up`"
            ) from None
    allowed = Path("/proc/self/setgroups")
    if allowed.exists() and allowed.read_text().strip() == "deny":
        raise SandboxError(
            "Slurm cannot set its groups in a user namespace that one user has made (setgroups: deny): "
            "start the sandbox outside of it"
        )


def _bring_up(sandbox: Sandbox) -> None:
    sandbox.folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    sandbox.save()
    write_all(sandbox, {command: program(command) for command in CLIENT_COMMANDS})
    key = sandbox.folder / "etc" / "munge.key"
    subprocess.run([program("mungekey"), "--create", f"--keyfile={key}"], check=True)
    start(sandbox, "munged")
    if sandbox.accounting:
        database.bring_up(sandbox, program)
    start(sandbox, "slurmctld")
    for node in sandbox.node_names:
        start(sandbox, node)
    processes.wait_until("all nodes idle", lambda: _all_idle(sandbox), UP_LIMIT_S)


def _all_idle(sandbox: Sandbox) -> bool:
    for name in sandbox.pids:
        if not processes.alive(sandbox, name):
            raise SandboxError(f"{name} ended as soon as it was started")
    return idle_nodes(sandbox) == sandbox.nodes


def start(sandbox: Sandbox, name: str) -> int:
    """Start one daemon, also again after `kill`."""
    run = sandbox.folder / "run"
    if processes.alive(sandbox, name):
        raise SandboxError(f"{name} is running already")
    if name == "munged":
        arguments = [program("munged"), "--foreground", "--force", "--num-threads=4"]
        arguments += [f"--key-file={sandbox.folder}/etc/munge.key", f"--socket={run}/munge.socket"]
        arguments += [f"--pid-file={run}/munged.pid", f"--log-file={sandbox.folder}/log/munged.log"]
        processes.start(sandbox, name, [*arguments, f"--seed-file={run}/munged.seed"])
        processes.wait_until("munge's socket", (run / "munge.socket").is_socket, 120.0)
    elif name in ("slurmctld", "slurmdbd"):
        processes.start(sandbox, name, [program(name), "-D"])
    elif name in sandbox.node_names:
        within = [sandbox.within, name] if sandbox.within else []
        daemon = [*within, program("slurmd"), "-D", "-N", name]
        processes.start(sandbox, name, daemon, {"SLURM_SANDBOX_NODE": name})
    else:
        raise SandboxError(f"no daemon is called {name}; there are {', '.join(sandbox.pids)}")
    return 0


def kill(sandbox: Sandbox, name: str) -> int:
    """End a daemon as a power cut does: no chance to tidy up; a node takes its steps and tasks along."""
    if name not in sandbox.pids:
        raise SandboxError(f"no daemon is called {name}; there are {', '.join(sandbox.pids)}")
    victims = {sandbox.pids[name]}
    if name in sandbox.node_names:
        victims |= set(processes.of_node(sandbox, name))
    processes.end(sandbox, victims, grace_s=0.0)
    return 0


def status(sandbox: Sandbox) -> int:
    for name in sandbox.pids:
        print(f"{name:<10} {'runs' if processes.alive(sandbox, name) else 'dead'} {sandbox.pids[name]}")
    print(ask(sandbox, "sinfo", "-N", "-o", "%8N %10P %8T %4c %10f") + ask(sandbox, "squeue"), end="")
    return 0 if healthy(sandbox) and idle_nodes(sandbox) + _busy(sandbox) == sandbox.nodes else 1


def _busy(sandbox: Sandbox) -> int:
    states = ask(sandbox, "sinfo", "-h", "-N", "-p", "debug", "-o", "%T").split()
    return sum(states.count(state) for state in ("allocated", "mixed", "completing"))


def down(folder: Path) -> int:
    """Idempotent, and good for any half-up state: everything that was ever started carries the mark."""
    if not folder.exists():
        return 0
    if not Sandbox.state_file(folder).exists():
        if any(folder.iterdir()):
            raise SandboxError(f"{folder} is not a sandbox; nothing was touched")
        folder.rmdir()
        return 0
    sandbox = Sandbox.load(folder)
    segments = processes.shared_memory(processes.marked(sandbox))
    if processes.alive(sandbox, "slurmctld"):
        ask(sandbox, "scancel", "--quiet", "--state=PENDING", "--me")
        ask(sandbox, "scancel", "--quiet", "--full", "--signal=KILL", "--me")
        ask(sandbox, "scancel", "--quiet", "--me")
        with contextlib.suppress(SandboxError):
            processes.wait_until("jobs gone", lambda: not _jobs_running(sandbox), 8.0)
    # Patience is for the database only: nothing else has anything to lose, and a slurmd without its slurmctld
    # would go on asking for it.
    for names, grace_s in ((["slurmctld"], 3.0), (sandbox.node_names, 1.0), (["slurmdbd", "mariadbd"], 5.0)):
        processes.end(sandbox, [sandbox.pids[name] for name in names if name in sandbox.pids], grace_s)
    processes.end(sandbox, processes.marked(sandbox), grace_s=2.0)
    for segment in segments:
        segment.unlink(missing_ok=True)
    shutil.rmtree(folder)
    print(f"sandbox: {folder} is gone")
    return 0


def _jobs_running(sandbox: Sandbox) -> bool:
    return bool(ask(sandbox, "squeue", "-h", "--states=RUNNING,COMPLETING", "-o", "%i"))


def _last_words(sandbox: Sandbox) -> str:
    """The fatal lines of each log, else its errors, else its end: a failed start removes the logs."""
    lines = []
    for log in sorted((sandbox.folder / "log").glob("*")) if sandbox.folder.exists() else []:
        text = log.read_text(errors="replace").splitlines()
        found = [[line for line in text if word in line] for word in ("fatal", "error", "")]
        lines += [f"{log.name}: {line}" for line in next(filter(None, found), [])[-3:]]
    return "\n".join(lines)
