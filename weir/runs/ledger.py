"""The end of a run: its run.json, and before it a line in the ledger of the results directory, with the hash
of the line before.

A run that is deleted, measured again, exchanged or copied is known by its line. The line names the SHA-256
of run.json, which holds those of the outputs. Whoever rewrites all lines is found by a head that was written
down or signed elsewhere, and by nothing else.
"""

import contextlib
import errno
import fcntl
import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import WRONG_CONTENT, fault_of, file_sha256, from_json, whole_bytes, write_atomically
from weir.runs.files import ROWS_FILE, RUN_FILE

LEDGER = "ledger.jsonl"
ROUNDS_FILE = "rounds.json"  # the findings of a study's collection, and the head of the ledger then
COLLECTED_LEDGER = "ledger-collected.jsonl"  # the ledger at a collection, for copies elsewhere
NOTHING_BEFORE = "0" * 64
# Makes the text of ROWS_FILE from a run's folder and run.json; weir.collect, which knows it, lies above.
Judge = Callable[[Path, Mapping[str, Any]], str | None]
DONE = "done"
_TAIL_BYTES = 4096  # a line is shorter
_ENDING_BYTES = 16 * _TAIL_BYTES  # lines of sessions that may have been killed at once
LOCK_S, _POLL_S = 60.0, 0.02  # a line takes milliseconds, on a slow server seconds
# Errors of file systems without locks, such as Lustre mounted without flock.
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)


@dataclass(frozen=True)
class Entry:
    """One run that ended."""

    line: int  # of the ledger, from 1
    cell: str
    run: int
    status: str
    planned: int  # rounds of the cell in the plan by which it was measured
    ended: str
    sha256: str  # of run.json

    @property
    def ended_s(self) -> float:
        """The end in seconds since 1970; a time without a zone is one of UTC."""
        time = datetime.fromisoformat(self.ended)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


_ENTRY = {"cell": str, "run": int, "status": str, "planned": int, "ended": str, "sha256": str}


@dataclass(frozen=True)
class Ledger:
    """All lines; heads[n] is the hash of line n, heads[0] that of an empty ledger."""

    entries: tuple[Entry, ...]
    heads: tuple[str, ...]
    broken: str | None = None  # the first line that does not follow from the one before, and why

    @property
    def head(self) -> str:
        return self.heads[-1]


def end_run(folder: Path, document: Mapping[str, Any], judge: Judge | None = None) -> None:
    """Write what the run is judged, then run.json with the sums of all, its line in the ledger before it: no
    run counts that the ledger does not know. run.json is whole before that line, so that a kill between them
    leaves nothing to measure again: finish_ended gives it its name."""
    # A weir that was killed within this function leaves them.
    for left in (folder / ROWS_FILE, *folder.glob(f".{ROWS_FILE}.*"), *folder.glob(f".{RUN_FILE}.*")):
        left.unlink(missing_ok=True)
    document = _with_sums(folder, document)
    if rows := judge and judge(folder, document):
        write_atomically(folder / ROWS_FILE, rows)
        document["sha256"][ROWS_FILE] = hashlib.sha256(rows.encode()).hexdigest()
    text = _run_text(document)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    whole = _unnamed(folder, sha256)
    write_atomically(whole, text)
    append(folder.parents[2] / LEDGER, document, sha256, lambda: whole.replace(folder / RUN_FILE))


def finish_ended(results: Path) -> None:
    """Give run.json its name in the runs that a killed weir ended in the ledger alone: a second line would
    tell that they were replaced."""
    try:
        with (results / LEDGER).open("rb") as stream:
            lines = _tail(stream.fileno(), _ENDING_BYTES).split(b"\n")
    except FileNotFoundError:
        return
    left = []
    for line in lines:
        with contextlib.suppress(*WRONG_CONTENT):
            entry = from_json(line)
            folder = results / "runs" / Path(entry["cell"]).name / f"{int(entry['run']):03d}"
            left += [whole] if (whole := _unnamed(folder, str(entry["sha256"]))).is_file() else []
    if left:  # also those that another process is about to name, which has the lock then
        with _locked(results / LEDGER):
            for whole in left:
                with contextlib.suppress(FileNotFoundError):
                    whole.replace(whole.with_name(RUN_FILE))


def _unnamed(folder: Path, sha256: str) -> Path:
    return folder / f".{RUN_FILE}.{Path(sha256).name}"


def write_run_file(folder: Path, document: Mapping[str, Any]) -> None:
    """run.json of a copy, for which no ledger gets a line."""
    write_atomically(folder / RUN_FILE, _run_text(_with_sums(folder, document)))


def _with_sums(folder: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The content of run.json, with the checksum of every file beside it: none is written afterwards."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != RUN_FILE)
    return {**document, "sha256": {str(file.relative_to(folder)): file_sha256(file) for file in files}}


def _run_text(document: Mapping[str, Any]) -> str:
    """run.json, as its checksum knows it."""
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def append(
    file: Path, document: Mapping[str, Any], sha256: str, then: Callable[[], object] = lambda: None
) -> None:
    """The line of one run.json (as data, with its SHA-256). then: what nobody else may do meanwhile."""
    cell = document["cell"]
    entry = {
        "cell": cell["cell"],
        "run": document["run"],
        "status": document["status"],
        "planned": cell["rounds"],
        "ended": document["ended"],
        "sha256": sha256,
    }
    with _locked(file) as descriptor:
        _append(descriptor, file, entry)
        then()


def copy_ledger(source: Ledger, file: Path, sums: Mapping[str, str]) -> None:
    """The ledger of copied runs, as a bundle has it: the same lines, with the SHA-256 of the copies.

    sums: by the SHA-256 of what was copied. A chain that is broken stays broken."""
    last, lines = b"", []
    for entry in source.entries:
        line = {name: value for name, value in vars(entry).items() if name != "line"}
        last = _line(line | {"sha256": sums.get(entry.sha256, entry.sha256)}, last)
        lines.append(last.decode())
    if source.broken:
        lines.append(f"broken in the source: {source.broken}")
    write_atomically(file, "".join(f"{line}\n" for line in lines))


def ledger_of(study: Path, sums: Mapping[str, str]) -> tuple[Ledger | None, str | None]:
    """The ledger that tells of a study, and why it is not the one of the collection (None: it is).

    sums: those of the study's manifest. A copy of a study without its runs has none but its own, which ends
    with the collection. Where the runs are, only the ledger of their directory counts: it goes on."""
    ledger = read_ledger(_results_of(study, sums) / LEDGER)
    changed = _changed(study, sums, ledger)
    if changed is None or _has_its_runs(study, sums):
        return ledger, changed
    own = read_ledger(study / COLLECTED_LEDGER)
    if own is None:
        text = f"copy runs/ and {LEDGER} of the site's directory to the directory above the study, too"
        return ledger, f"{changed}; the study was copied without its runs: {text}"
    return own, _changed(study, sums, own)


def keep_ledger(results: Path, study: Path, lines: int) -> Path:
    """The first lines of a ledger beside the tables that were collected from its runs."""
    kept = study / COLLECTED_LEDGER
    with (results / LEDGER).open("rb") as stream, whole_bytes(kept) as out:
        out.writelines(itertools.islice(stream, lines))
    return kept


def is_copy(study: Path, sums: Mapping[str, str]) -> bool:
    """Whether a study was copied elsewhere by its tables alone."""
    return ROUNDS_FILE in sums and COLLECTED_LEDGER in sums and not _has_its_runs(study, sums)


def _changed(study: Path, sums: Mapping[str, str], ledger: Ledger | None) -> str | None:
    if ROUNDS_FILE not in sums:
        return None
    try:
        then = from_json((study / ROUNDS_FILE).read_text(encoding="utf-8"))["ledger"]
        count, head = int(then["lines"]), then["head"]
    except (OSError, *WRONG_CONTENT):
        return f"{ROUNDS_FILE} is missing or damaged"
    if count and (ledger is None or len(ledger.heads) <= count or ledger.heads[count] != head):
        return f"{LEDGER} is not the one of the collection: line {count} is another or gone"
    return None


def _has_its_runs(study: Path, sums: Mapping[str, str]) -> bool:
    """Any of them, as it was collected; the same path elsewhere may hold a run of another machine."""
    files = ((study / name, checksum) for name, checksum in sums.items() if Path(name).name == RUN_FILE)
    return any(file.is_file() and file_sha256(file) == checksum for file, checksum in files)


def _results_of(study: Path, sums: Mapping[str, str]) -> Path:
    """The directory above the runs of a manifest: mostly that above the study."""
    runs = (Path(name) for name in sums if Path(name).name == RUN_FILE)
    return next((study / run.parents[3] for run in runs), study.resolve().parent)


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[int]:
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        _lock(descriptor, file)
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, file: Path) -> None:
    over = time.monotonic() + LOCK_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < over:
                time.sleep(_POLL_S)
                continue
            text = f"another process has locked it for {LOCK_S:g} s"
            raise WeirError(
                text, file=str(file), hint=f"end it (lslocks, fuser {file}), and run again"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return


def _tail(descriptor: int, size: int) -> bytes:
    return os.pread(descriptor, size, max(os.fstat(descriptor).st_size - size, 0))


def _append(descriptor: int, file: Path, entry: Mapping[str, Any]) -> None:
    size, tail = os.fstat(descriptor).st_size, _tail(descriptor, _TAIL_BYTES)
    # This line ends one that a power cut left; whoever reads the ledger finds it.
    lead = b"" if not tail or tail.endswith(b"\n") else b"\n"
    last = tail.rstrip(b"\n").rpartition(b"\n")[2]
    data = lead + _line(entry, last) + b"\n"
    try:
        written = os.write(descriptor, data)
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except OSError as error:
        os.ftruncate(descriptor, size)
        error.filename = str(file)
        raise


def _line(entry: Mapping[str, Any], before: bytes) -> bytes:
    return json.dumps(
        {**entry, "before": _hash(before) if before else NOTHING_BEFORE}, sort_keys=True
    ).encode()


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def read_ledger(file: Path) -> Ledger | None:
    """The ledger; None where there is none. It is read to its end also where the chain is broken."""
    try:
        lines = file.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        hint = "let this user read it"
        raise WeirError(f"cannot be read: {error.strerror}", file=str(file), hint=hint) from None
    entries, heads, broken = [], [NOTHING_BEFORE], None
    if lines.pop():
        broken = "its last line is truncated"
    for number, line in enumerate(lines, start=1):
        try:
            data = from_json(line)
            before = data.pop("before")
            entry = Entry(line=number, **data)
            if fault_of(vars(entry), _ENTRY) or not entry.ended_s:
                raise ValueError("a value has another type")
            entries.append(entry)
        except WRONG_CONTENT:
            broken = broken or f"line {number} is damaged"
            before = heads[-1]
        if before != heads[-1]:
            broken = broken or f"line {number} does not follow from line {number - 1}"
        heads.append(_hash(line))
    return Ledger(tuple(entries), tuple(heads), broken)
