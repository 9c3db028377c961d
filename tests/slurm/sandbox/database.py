"""slurmdbd and a private mariadb, for a sandbox whose sacct answers."""

import subprocess
from collections.abc import Callable

import processes
from configuration import mariadb_port
from layout import Sandbox, SandboxError, own_name


def bring_up(sandbox: Sandbox, program: Callable[[str], str]) -> None:
    """Install an empty database, start it, start slurmdbd, and register cluster, account and user."""
    _start_mariadb(sandbox, program)
    processes.start(sandbox, "slurmdbd", [program("slurmdbd"), "-D"])
    manager = sandbox.folder / "bin" / "sacctmgr"
    question = [str(manager), "-n", "show", "cluster"]
    processes.wait_until("slurmdbd's answer", lambda: _succeeds(sandbox, question), 120.0)
    additions = (
        ["add", "cluster", "sandbox"],
        ["add", "account", "bench", "Cluster=sandbox"],
        ["add", "user", own_name(), "Account=bench"],
    )
    for arguments in additions:
        _succeeds(sandbox, [str(manager), "-i", *arguments])  # root is there from the beginning


def _start_mariadb(sandbox: Sandbox, program: Callable[[str], str]) -> None:
    data, socket = sandbox.folder / "db", sandbox.folder / "run" / "mysql.sock"
    own = ["--no-defaults", f"--user={own_name()}", f"--datadir={data}"]
    install = [program("mariadb-install-db"), *own]
    install += ["--auth-root-authentication-method=normal", "--skip-test-db"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SandboxError(f"mariadb-install-db failed: {(done.stderr + done.stdout).strip()[-300:]}")
    arguments = [program("mariadbd"), *own, f"--socket={socket}", "--bind-address=127.0.0.1"]
    arguments += [f"--port={mariadb_port(sandbox)}", f"--pid-file={sandbox.folder}/run/mariadb.pid"]
    arguments += [
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=0",
        "--skip-name-resolve",
    ]
    processes.start(sandbox, "mariadbd", arguments)
    client = [program("mariadb"), "--no-defaults", f"--socket={socket}", "-uroot", "-e"]
    processes.wait_until("mariadb's answer", lambda: _succeeds(sandbox, [*client, "select 1"]), 120.0)
    user = "slurm@'127.0.0.1'"
    grant = f"create user {user} identified by '{sandbox.mark}'; grant all on slurm_acct.* to {user}"
    if not _succeeds(sandbox, [*client, grant]):
        raise SandboxError("mariadb refused to make slurmdbd's user")


def _succeeds(sandbox: Sandbox, arguments: list[str]) -> bool:
    try:
        done = subprocess.run(
            arguments, env=sandbox.environment(), capture_output=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
