"""The whole tree: threads that take directories from a queue, each finished one noted in the state."""

import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weir.base.errors import WeirError
from weir.base.processes import INTERRUPTS
from weir.survey.directory import EndedError, Folder, Folders, Pace, Rules, Selection, scan_directory
from weir.survey.tally import FormatTally, State

# A signal that comes between Python's last look and a wait is seen after it only.
_LONGEST_WAIT_S = 0.5
_FINISH_S = 2.0  # after an interrupt, for the operations that have begun
_Found = tuple[Folder, FormatTally, list[str]]


def scan_tree(
    tree: Path,
    selection: Selection,
    pace: Pace,
    threads: int,
    state: State | None,
    progress: Callable[[FormatTally], None] = lambda tally: None,
) -> FormatTally:
    """Counts of everything below the tree. Files are read only; nothing is created in it. An interrupt does
    not wait for the directories that are being read. progress is called at least every half second."""
    root = _open_root(tree)
    with _interrupts_held():
        folders = Folders(root, pace, selection.digest)
        readers = _Readers(threads, folders, Rules(os.fstat(root).st_dev, selection, pace))
        try:
            return _scan(readers, folders.root, state, progress)
        finally:
            pace.end()
            if readers.end():
                folders.close()
                os.close(root)


def _scan(
    readers: "_Readers", root: Folder, state: State | None, progress: Callable[[FormatTally], None]
) -> FormatTally:
    total, waiting = FormatTally(), [root]
    while waiting or readers.running:
        while waiting and readers.have_room():
            folder = waiting.pop()
            known = state.finished.get(folder.path) if state else None
            if known:
                total.add(known[0])
                waiting += [folder.child(path.rpartition("/")[2]) for path in known[1]]
            else:
                readers.begin(folder)
        if found := readers.next():
            folder, tally, inner = found
            if state:
                path = folder.path
                state.finish(path, tally, [f"{path}/{name}" if path else name for name in inner])
            total.add(tally)
            waiting += map(folder.child, inner)
        progress(total)
    return total


class _Readers:
    """A storage that hangs keeps its threads: they end with the process, which waits for none of them."""

    def __init__(self, count: int, folders: Folders, rules: Rules) -> None:
        self.running = 0
        self._folders, self._rules = folders, rules
        self._waiting = queue.SimpleQueue[Folder | None]()
        self._found = queue.SimpleQueue[_Found | Exception]()
        self._threads = [threading.Thread(target=self._read, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def have_room(self) -> bool:
        return self.running < 2 * len(self._threads)

    def begin(self, folder: Folder) -> None:
        self.running += 1
        self._waiting.put(folder)

    def next(self) -> _Found | None:
        """The only place at which an interrupt comes."""
        if not self.running:
            return None
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
            found = self._found.get(timeout=_LONGEST_WAIT_S)
        except queue.Empty:
            return None
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
        self.running -= 1
        if isinstance(found, Exception):
            raise found
        return found

    def end(self) -> bool:
        """Whether all have ended."""
        for _ in self._threads:
            self._waiting.put(None)
        over = time.monotonic() + _FINISH_S
        for thread in self._threads:
            thread.join(max(0, over - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _read(self) -> None:
        try:
            while (folder := self._waiting.get()) is not None:
                self._found.put((folder, *scan_directory(self._folders, folder, self._rules)))
        except EndedError:
            pass
        except Exception as error:
            self._found.put(error)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Holds interrupts back for _Readers.next, since Python loses an interrupt that comes within a callback
    of its own."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _open_root(tree: Path) -> int:
    try:
        return os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        hint = "name an existing directory that you may read"
        raise WeirError(
            f"cannot be scanned: {error.strerror}", file=str(tree), hint=hint, exit_code=2
        ) from None
