"""The text of every file that Slurm reads, from the state of a sandbox."""

from layout import MARK, Sandbox, own_name

CLIENT_COMMANDS = ["srun", "sbatch", "salloc", "squeue", "scancel", "sinfo", "scontrol", "sacct", "sacctmgr"]
CLIENT_COMMANDS += ["sattach", "sbcast", "sstat", "sprio", "sshare", "sreport"]


def slurm_conf(sandbox: Sandbox) -> str:
    folder, user = sandbox.folder, own_name()
    return f"""\
ClusterName=sandbox
SlurmctldHost=localhost({sandbox.address()})
SlurmctldPort={sandbox.port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A job that is started again waits as long as a credential lives, by default two minutes.
AuthInfo=socket={folder}/run/munge.socket,cred_expire=15
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
# One for each node, or PMIx servers of two nodes meet in the same socket.
TmpFS={folder}/tmp/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd-%n.log
{_listening(sandbox)}
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
TopologyPlugin=topology/tree
MpiDefault=none
TaskProlog={folder}/etc/task_prolog
ReturnToService=2
SchedulerType=sched/backfill
# "defer" here would cost every srun a second.
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,preempt_youngest_first
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=5
KillWait=5
MinJobAge=600
SlurmctldTimeout=60
# Long, since a machine that is busy measuring answers late; a node is failed by `sandbox kill` and scontrol.
SlurmdTimeout=60
# For the same reason: a job whose start takes longer is held, "launch failed".
BatchStartTimeout=60
GetEnvTimeout=60
MailProg=/bin/true
{_accounting(sandbox)}
{_nodes(sandbox)}
PartitionName=debug Nodes=ALL Default=YES MaxTime=01:00:00 DefaultTime=00:10:00 PriorityTier=10 State=UP
PartitionName=scavenge Nodes=ALL MaxTime=01:00:00 DefaultTime=00:10:00 PriorityTier=1 State=UP
"""


def _listening(sandbox: Sandbox) -> str:
    """On the loopback only; a network of its own needs no such care, and its names do not resolve."""
    return "" if sandbox.addresses else "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"


def _accounting(sandbox: Sandbox) -> str:
    if not sandbox.accounting:
        return (
            "AccountingStorageType=accounting_storage/none\n"
            f"JobCompType=jobcomp/filetxt\nJobCompLoc={sandbox.folder}/log/jobcomp.txt"
        )
    return (
        "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
        f"AccountingStoragePort={slurmdbd_port(sandbox)}\nAccountingStoragePass={sandbox.folder}/run/munge.socket\n"
        "AccountingStoreFlags=job_comment\nAccountingStorageEnforce=associations,limits,qos"
    )


def _nodes(sandbox: Sandbox) -> str:
    """Half of the nodes have the feature left, the others right, each half on a switch of its own."""
    lines = []
    cores = f"CPUs={sandbox.cores} Boards=1 SocketsPerBoard=1 CoresPerSocket={sandbox.cores} ThreadsPerCore=1"
    for number, name in enumerate(sandbox.node_names, start=1):
        side = "left" if number <= (sandbox.nodes + 1) // 2 else "right"
        place = f"NodeHostname=localhost NodeAddr={sandbox.address(number)} Port={sandbox.port + number}"
        lines.append(f"NodeName={name} {place} {cores} RealMemory=4000 Feature={side} State=UNKNOWN")
    return "\n".join(lines)


def topology_conf(sandbox: Sandbox) -> str:
    half = (sandbox.nodes + 1) // 2
    left, right = sandbox.node_names[:half], sandbox.node_names[half:]
    lines = [f"SwitchName=left Nodes={','.join(left)}"]
    if right:
        lines += [f"SwitchName=right Nodes={','.join(right)}", "SwitchName=top Switches=left,right"]
    return "\n".join(lines) + "\n"


def slurmdbd_port(sandbox: Sandbox) -> int:
    return sandbox.port + sandbox.nodes + 1


def mariadb_port(sandbox: Sandbox) -> int:
    return sandbox.port + sandbox.nodes + 2


def slurmdbd_conf(sandbox: Sandbox) -> str:
    return f"""\
AuthType=auth/munge
AuthInfo={sandbox.folder}/run/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={slurmdbd_port(sandbox)}
SlurmUser={own_name()}
PidFile={sandbox.folder}/run/slurmdbd.pid
LogFile={sandbox.folder}/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={mariadb_port(sandbox)}
StorageUser=slurm
StoragePass={sandbox.mark}
StorageLoc=slurm_acct
"""


def task_prolog(sandbox: Sandbox) -> str:
    """What every task gets: the mark, and Open MPI transports that keep virtual nodes apart.

    Open MPI's shared-memory transport takes ranks of two virtual nodes for neighbours, and its TCP transport
    under srun --mpi=pmix crashes now and then; libfabric's tcp provider does neither. Only what is not set
    already is set, so that a stack may say otherwise.
    """
    return f"""\
#!/bin/sh
echo "export {MARK}={sandbox.mark}"
[ -n "${{OMPI_MCA_pml-}}" ] || cat <<'END'
export OMPI_MCA_pml=cm
export OMPI_MCA_mtl=ofi
export OMPI_MCA_mtl_ofi_provider_include=tcp;ofi_rxm
END
echo "export OMPI_MCA_btl_vader_backing_directory={sandbox.folder}/tmp/$SLURMD_NODENAME"
"""


def shim(sandbox: Sandbox, program: str) -> str:
    """A command that leads here by its position on the PATH: some tools strip SLURM_* from the environment.

    It carries the mark, so that a client that waits for a job ends with the sandbox.
    """
    return f'#!/bin/sh\n{MARK}={sandbox.mark} SLURM_CONF={sandbox.conf} exec {program} "$@"\n'


def write_all(sandbox: Sandbox, programs: dict[str, str]) -> None:
    """Folders and files; programs maps a client command to where it is installed."""
    folder = sandbox.folder
    for name in ("etc", "run", "log", "state", "bin", "spool", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    for node in sandbox.node_names:
        (folder / "spool" / node).mkdir(exist_ok=True)
        (folder / "tmp" / node).mkdir(exist_ok=True)
    sandbox.conf.write_text(slurm_conf(sandbox))
    (folder / "etc" / "topology.conf").write_text(topology_conf(sandbox))
    # Nothing here uses cgroups; but where none are mounted, slurmd ends if it has to find their kind.
    (folder / "etc" / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    files = {folder / "etc" / "task_prolog": task_prolog(sandbox)}
    files |= {folder / "bin" / command: shim(sandbox, program) for command, program in programs.items()}
    for path, text in files.items():
        path.write_text(text)
        path.chmod(0o755)
    if sandbox.accounting:
        secret = folder / "etc" / "slurmdbd.conf"
        secret.touch(mode=0o600)
        secret.write_text(slurmdbd_conf(sandbox))
