"""elbencho on several nodes: a service on each, and one process that directs them.

The launcher starts the same shell script on every node. Each rank tells its host and port by a file among the
outputs of the run, and becomes a service; rank 0 starts one, too, waits for the others and then measures with
all of them. At its end it ends them, so that each leaves what libweir-witness counted. The port is that of
the process: a service of another user at elbencho's own one is none of ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

WAIT_S = 60
_SCRIPT = """\
rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{FLUX_TASK_RANK:-${{SLURM_PROCID:-0}}}}}}}}}}
port=$((20000 + $$ % 10000))
mkdir -p {folder}
printf '%s:%s\\n' "$(hostname)" "$port" > {folder}/"new-$rank"
mv {folder}/"new-$rank" {folder}/"at-$rank"
[ "$rank" -eq 0 ] || exec {program} --service --foreground --port "$port" > {folder}/"log-$rank" 2>&1
{program} --service --foreground --port "$port" > {folder}/log-0 2>&1 &
tries=0
until [ "$(ls {folder} | grep -c '^at-')" -eq {nodes} ]; do
    tries=$((tries + 1))
    [ "$tries" -le {wait_s} ] || {{ echo "ERROR: not all of {nodes} services told their host" >&2; exit 1; }}
    sleep 1
done
hosts=$(cat {folder}/at-* | tr '\\n' ',')
measure() {{
    "$@" --hosts "${{hosts%,}}" --svcwait {wait_s} {path}
}}
{starts}
code=$?
{program} --hosts "${{hosts%,}}" --quit > /dev/null 2>&1
wait
[ "$code" -ne 0 ] || rm -r {folder}
exit "$code"
"""


def on_nodes(
    program: Sequence[str], starts: Sequence[Sequence[str]], path: str, nodes: int, outputs: Path
) -> list[str]:
    """The arguments after a launcher of one rank a node. starts: what measures, one after the other."""
    script = _SCRIPT.format(
        folder=shlex.quote(str(outputs.resolve() / "services")),
        program=shlex.join(program),
        starts=" && ".join(shlex.join(["measure", *start]) for start in starts),
        nodes=nodes,
        wait_s=WAIT_S,
        path=shlex.quote(path),
    )
    return ["sh", "-c", script]
