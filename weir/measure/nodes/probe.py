"""Started once on each node: how long does this node take for work that every node should do alike?

python -m weir.measure.nodes.probe [FOLDER] prints one line of JSON: the best of three, since what else
happens on a node for a moment does not describe the node.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable

MIB = 2**20
_TRIES = 3


def processor() -> None:
    hashlib.sha256(bytes(32 * MIB)).digest()


def memory() -> None:
    bytes(bytearray(128 * MIB))


def storage(folder: str) -> None:
    """A small file to the very storage: what is slow here would be slow in every measurement."""
    with tempfile.TemporaryFile(dir=folder) as stream:
        stream.write(bytes(8 * MIB))
        stream.flush()
        os.fsync(stream.fileno())


def best_s(work: Callable[[], None]) -> float:
    return min(_seconds(work) for _ in range(_TRIES))


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main(arguments: list[str]) -> None:
    node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    if arguments and not os.path.isdir(arguments[0]):
        sys.exit(f"{node}: there is no folder {arguments[0]}")
    times_s = {"processor": best_s(processor), "memory": best_s(memory)}
    if arguments:
        times_s["storage"] = best_s(lambda: storage(arguments[0]))
    print(json.dumps({"node": node, "times_s": times_s}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
