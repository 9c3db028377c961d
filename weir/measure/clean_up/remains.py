"""Clean-up after measurements that were killed together with their guardians.

A guardian notes the facts of its batch beside the lock of the target, and deletes the note when nothing is
left. A note without a holder of its lock belongs to a killed measurement; another guardian, started
with the same facts, cleans up.
"""

import contextlib
import secrets
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from weir.base.errors import WeirError
from weir.base.files import fault_of, from_json, read_shaped
from weir.measure.clean_up.prepared_target import Guardian, NotCarriedOutError, facts_of
from weir.measure.launch import LAUNCH_FILE, STATUS_FILE, after, end_of, read_status
from weir.measure.lock import (
    NOTE_SUFFIX,
    Holder,
    Lock,
    launch_lock,
    lock_directory,
    machine_lock,
    this_process,
)
from weir.measure.session import PlannedBatch
from weir.runs.files import is_kept, run_folder
from weir.runs.ledger import Judge, end_run, finish_ended

_POLL_S = 0.2
# The keys that facts_of gives a guardian, and the shape of what is read here; a guardian reports the rest.
_KEYS = {
    "target", "results", "batch", "launches", "token", "holder", "machine_lock", "note", "since", "temporary",
}  # fmt: skip
_SHAPE = {"target": {"name": str}, "holder": {"host": str}, "results": str, "batch": str, "note": str}
ASIDE_SUFFIX = ".not-carried-out"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Cleaned:
    """One measurement that was killed, or that another process holds."""

    target: str
    batch: str
    results: str
    processes: int = 0  # that were ended
    held_by: str | None = None  # process that measures there now: nothing was touched
    complaints: tuple[str, ...] = ()  # what could not be cleaned up

    def __str__(self) -> str:
        what = f"batch {self.batch} of {self.results} on target {self.target}"
        if self.held_by:
            return f"{what}: not touched, {self.held_by} measures there"
        if self.complaints:
            return f"{what}: not all was cleaned up: {'; '.join(self.complaints)}"
        return f"{what}: cleaned up; {self.processes} processes ended"


def clean_up_after_kills(report: Report, wait_s: float = 0.0) -> list[Cleaned]:
    """Cleans up after killed measurements of this user on this machine; those that still run are left alone.
    wait_s: time for a guardian, or another process of this user, that is cleaning up."""
    found = []
    for note in sorted(lock_directory().glob(f"*{NOTE_SUFFIX}")):
        facts = _facts(note)
        if facts is None or facts["holder"]["host"] != socket.gethostname():
            continue
        found.append(_clean_up(facts, Lock(note.with_suffix("")), report, wait_s))
    return found


def clean_up_batch(planned: PlannedBatch, report: Report) -> Cleaned:
    """Clean up after a killed measurement of the batch that left no note on this machine."""
    lock, token = machine_lock(planned.target), secrets.token_hex(8)
    facts = facts_of(planned, token, this_process(planned.results, planned.batch), lock)
    return _clean_up(facts, lock, report, wait_s=0.0)


def _facts(note: Path) -> dict[str, Any] | None:
    """The facts of a note; None if its measurement has just ended. An unreadable note is deleted."""
    try:
        facts = read_shaped(note, _SHAPE, hint="")
        if not set(facts) >= _KEYS:
            raise WeirError("is damaged", file=str(note))
    except FileNotFoundError:
        return None
    except WeirError:
        note.unlink(missing_ok=True)
        return None
    return facts


def _clean_up(facts: Mapping[str, Any], lock: Lock, report: Report, wait_s: float) -> Cleaned:
    cleaned = Cleaned(facts["target"]["name"], facts["batch"], facts["results"])
    own = replace(this_process(Path(cleaned.results), cleaned.batch), cleans=True)
    holder = _take(lock, own, wait_s)
    if holder is not None:
        return replace(cleaned, held_by=str(holder))
    locks = [lock]
    # The disk of the results may be full: the target is emptied all the same.
    with contextlib.suppress(OSError, ValueError):
        if Path(cleaned.results).is_dir():
            of_launches = launch_lock(Path(facts["launches"]))
            holder = of_launches.take(own)
            locks.append(of_launches)
    if holder is not None and holder.is_alive() is not False:
        lock.release()
        return replace(cleaned, held_by=str(holder))
    report(f"cleaning up after a killed measurement: batch {cleaned.batch} on target {cleaned.target}")
    try:
        held = [each.descriptor for each in locks if each.descriptor >= 0]
        guardian = Guardian({**facts, "holder": vars(own)}, held)
    except WeirError as error:
        for each in locks:
            each.release()
        cleaned = replace(cleaned, complaints=(_kept(error, facts),))
    else:
        cleaned = _taken_over(guardian, cleaned, facts)
        is_done = guardian.dismiss(forget=not cleaned.complaints)
        for each in locks:
            each.release() if is_done else each.hand_over()
    for complaint in cleaned.complaints:
        report(f"clean-up: {complaint}")
    return cleaned


def _taken_over(guardian: Guardian, cleaned: Cleaned, facts: Mapping[str, Any]) -> Cleaned:
    try:
        answer = guardian.ask_to_delete(do="take over")
        cleaned = replace(cleaned, processes=answer["processes"], complaints=tuple(answer["complaints"]))
    except WeirError as error:
        cleaned = replace(cleaned, complaints=(_kept(error, facts),))
    guardian.nothing_left()
    return cleaned


def _kept(error: WeirError, facts: Mapping[str, Any]) -> str:
    """The message. A note that cannot be carried out is set aside: each later start would fail at it."""
    if not isinstance(error, NotCarriedOutError):
        return str(error)
    note = Path(facts["note"])
    aside = note.replace(note.with_suffix(ASIDE_SUFFIX))
    return f"{error.problems[0].message}; its note is set aside: {aside}"


def _take(lock: Lock, own: Holder, wait_s: float) -> Holder | None:
    over = time.monotonic() + wait_s
    while (holder := lock.take(own)) is not None and time.monotonic() < over:
        if holder.is_alive() and not holder.cleans:
            break
        time.sleep(_POLL_S)
    return holder


def settle(folder: Path, results: Path, judge: Judge | None = None) -> None:
    """Write the run files of the cells that have succeeded, and remove the launch folder.

    Whether the machine failed the others, nobody knows any more: they are measured again. A launch whose file
    is damaged is set aside; its cells have no run file either.
    """
    finish_ended(results)
    try:
        known = from_json((folder / LAUNCH_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        shutil.rmtree(folder, ignore_errors=True)
        return
    except ValueError:
        known = None
    if fault_of(known, {"*": {"host": dict, "cell?": {"cell": str, "rounds": int}, "run?": int}}):
        _set_aside(folder)
        return
    latest: datetime | None = None
    for line in read_status(folder / STATUS_FILE):
        cell, _, number = line.name.rpartition("-")
        if line.name in known and not is_kept(results, cell, int(number)):
            outputs = run_folder(results, cell, int(number))
            end = end_of(line, outputs)
            if end is not None and end.status == "done":
                # Cells ran in the order of their lines, whatever the clock of their files did.
                earliest = latest + timedelta(seconds=end.elapsed_s) if latest else end.ended_at
                latest = max(end.ended_at, earliest)
                end = replace(end, ended_at=latest)
                end_run(outputs, after(known[line.name], end, outputs), judge)
    shutil.rmtree(folder)


def _set_aside(folder: Path) -> None:
    attempts = len(list(folder.parent.glob(f"{folder.name}.damaged-*")))
    folder.rename(folder.with_name(f"{folder.name}.damaged-{attempts + 1}"))
