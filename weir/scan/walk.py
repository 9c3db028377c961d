"""The whole tree: threads that take directories from a queue, each finished one noted in the state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

from weir.errors import WeirError
from weir.scan.directory import Rules, Selection, scan_directory
from weir.scan.pace import Pace
from weir.scan.state import State
from weir.scan.tally import Tally

# A signal that comes between Python's last look and the wait below is seen after it only.
_LONGEST_WAIT_S = 0.5
_Found = tuple[Tally, list[str]]


def scan_tree(
    tree: Path,
    selection: Selection,
    pace: Pace,
    threads: int,
    state: State | None,
    progress: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Counts of everything below the tree. Files are read only; nothing is created in it. An interrupt does
    not wait for the directories that are being read."""
    root = _open_root(tree)
    total = Tally()
    waiting, running = [""], dict[Future[_Found], str]()
    try:
        rules = Rules(os.fstat(root).st_dev, selection, pace)
        with ThreadPoolExecutor(threads) as pool, _ending(pace):
            while waiting or running:
                while waiting and len(running) < 2 * threads:
                    path = waiting.pop()
                    if state and path in state.finished:
                        tally, inner = state.finished[path]
                        total.add(tally)
                        waiting += inner
                    else:
                        running[pool.submit(scan_directory, root, path, rules)] = path
                done = wait(running, _LONGEST_WAIT_S, return_when=FIRST_COMPLETED).done
                for future in done:
                    path = running.pop(future)
                    tally, inner = future.result()
                    if state:
                        state.finish(path, tally, inner)
                    total.add(tally)
                    waiting += inner
                    progress(total)
    finally:
        os.close(root)
    return total


@contextmanager
def _ending(pace: Pace) -> Iterator[None]:
    try:
        yield
    finally:
        pace.end()


def _open_root(tree: Path) -> int:
    try:
        return os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        hint = "name an existing directory that you may read"
        raise WeirError(
            f"cannot be scanned: {error.strerror}", file=str(tree), hint=hint, exit_code=2
        ) from None
