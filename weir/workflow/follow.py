"""The lines of a study that is being measured: redrawn on a terminal for each batch, appended elsewhere."""

import contextlib
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from weir.base.errors import WeirError, unfiltered, visible
from weir.base.processes import without_terminal
from weir.base.units import about_duration, three_digits
from weir.collect.progress import BatchProgress, StudyProgress
from weir.measure.handover import PLAN_FILES
from weir.plan import Plan, read_plan
from weir.records.model import Partition

POLL_S = 1.0
_POLL_END_S = 0.05
PLAIN_LINES_S = 10.0
_BAR = 16
_NAMED = 3  # the names of more batches fill a line
_OVER = ("finished", "skipped", "failed")


def is_over(progress: StudyProgress) -> bool:
    return all(one.state in _OVER for one in progress.batches)


def state(one: BatchProgress) -> dict[str, Any]:
    """The state of a batch as data; times in seconds."""
    expected, low, high = one.time_left_s() if one.left else (0.0, 0.0, 0.0)
    return {
        "batch": one.batch.batch,
        "state": one.state,
        "reason": one.reason,
        "executions": one.executions,
        "done": one.ended,
        "failed": one.failures,
        "degraded": one.degraded,
        "invalid": one.invalid,
        "rates_mib_s": one.rates_mib_s,
        "left_s": {"expected": expected, "low": low, "high": high},
    }


def progress_of(study: Path) -> StudyProgress:
    return StudyProgress(plan_of(study), study)


def measured_partitions(plan: Plan) -> list[Partition]:
    return [plan.site.partitions[name] for name in {batch.partition for batch in plan.batches}]


def is_queued(plan: Plan) -> bool:
    """Whether jobs of a batch system measure any of it."""
    return any(partition.scheduler != "local" for partition in measured_partitions(plan))


def plan_of(study: Path) -> Plan:
    found = [study / name for name in PLAN_FILES if (study / name).is_file()]
    if not found:
        raise WeirError(
            f"has none of {' and '.join(PLAN_FILES)}",
            file=str(study),
            hint="name the folder of a measured study, such as results/local/quick",
            exit_code=2,
        )
    return read_plan(found[0])


def follow(
    progress: StudyProgress,
    stream: TextIO,
    over: Callable[[], bool],
    looked: Callable[[], None] = lambda: None,
    answer: Path | None = None,
) -> None:
    """Redraw a line for each batch on a terminal; elsewhere print one line of all that run every 10 s.

    looked: is called after each look; answer: a text to show below, and anew when it has changed."""
    show = _redraw(stream, answer) if stream.isatty() else _append(stream, answer)
    while True:
        last = over()
        progress.look()
        looked()
        with without_terminal():
            show(progress.batches)
        if last:
            return
        look_again = time.monotonic() + POLL_S
        while time.monotonic() < look_again and not over():
            time.sleep(_POLL_END_S)


def line(one: BatchProgress, bar: bool = False) -> str:
    """One batch in one line."""
    if one.state == "skipped":
        return f"{one.batch.batch}: skipped: {one.reason}"
    if one.state == "failed":
        return f"{one.batch.batch}: failed: {one.reason}"
    filled = _BAR * one.ended // max(1, one.executions)
    drawn = f" [{'#' * filled}{'.' * (_BAR - filled)}]" if bar else ""
    counts = f"{one.ended}/{one.executions} done, {_counts([one])}"
    parts = [f"{one.batch.batch}:{drawn} {counts}", _rates(one), _time_left([one])]
    return "; ".join(part for part in parts if part)


def line_of_several(several: Sequence[BatchProgress]) -> str:
    """Batches that run at the same time, or in turns, in one line; the rates are of the last execution."""
    if len(several) == 1:
        return line(several[0])
    if len(several) <= _NAMED:
        done = ", ".join(f"{one.batch.batch} {one.ended}/{one.executions}" for one in several)
    else:
        ended, executions = (sum(getattr(one, name) for one in several) for name in ("ended", "executions"))
        done = f"{len(several)} batches: {ended}/{executions}"
    last = max(several, key=lambda one: one.last_ended)
    parts = [f"{done} done, {_counts(several)}", _rates(last, f"{last.batch.target} ")]
    return "; ".join(part for part in [*parts, _time_left(several)] if part)


def _counts(several: Sequence[BatchProgress]) -> str:
    """INVALID and unavailable are named only where there is one: INVALID matters more than all else."""
    counts = {
        "failed": sum(one.failures for one in several),
        "INVALID": sum(one.invalid for one in several),
        "degraded": sum(one.degraded for one in several),
        "unavailable": sum(one.unavailable for one in several),
    }
    always = ("failed", "degraded")
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count or name in always)


def _rates(one: BatchProgress, where: str = "") -> str:
    rates = ", ".join(f"{access} {three_digits(rate)}" for access, rate in one.rates_mib_s.items())
    return f"{where}{rates} MiB/s" if rates else ""


def _time_left(several: Sequence[BatchProgress]) -> str:
    """Batches in turns count each other's time already; of the rest, the longest decides."""
    left = [one.time_left_s() for one in several if one.left]
    if not left:
        return ""
    expected, low, high = (max(column) for column in zip(*left, strict=True))
    return f"{about_duration(expected)} left ({about_duration(low)} to {about_duration(high)})"


def _idle_line(batches: Sequence[BatchProgress]) -> str:
    """The line while no batch runs: a job waits in a queue, or the runs are not here."""
    waiting = sum(one.state == "waiting" for one in batches)
    if not waiting or any(one.state == "running" for one in batches):
        return ""
    ended, executions = (sum(getattr(one, name) for one in batches) for name in ("ended", "executions"))
    wait = "1 batch waits" if waiting == 1 else f"{waiting} batches wait"
    return f"nothing is being measured: {ended} of {executions} executions done, {wait}"


def _redraw(stream: TextIO, answer: Path | None = None) -> Callable[[list[BatchProgress]], None]:
    drawn = 0
    answered = _Answer(answer)

    def show(batches: list[BatchProgress]) -> None:
        nonlocal drawn
        size = shutil.get_terminal_size()
        # Skip waiting batches; more lines than the terminal has cannot be redrawn.
        texts = [line(one, bar=True) for one in batches if one.state != "waiting"]
        texts = [text for text in (*texts, _idle_line(batches), *answered.lines()) if text][
            -(size.lines - 1) :
        ]
        back = f"\x1b[{drawn}F" if drawn else ""
        below = "\x1b[J" if drawn > len(texts) else ""  # the idle line is gone
        lines = [visible(text)[: size.columns - 1] for text in texts]
        unfiltered(stream).write(back + "".join(f"\x1b[2K{text}\n" for text in lines) + below)
        stream.flush()
        drawn = len(texts)

    return show


class _Answer:
    """The text that the measurement writes between rounds; none of an earlier measurement."""

    def __init__(self, file: Path | None) -> None:
        self._file, self._text, self._news = file, "", 0
        self._before = self._read_at = self._written_ns()

    def lines(self) -> list[str]:
        written = self._written_ns()
        if self._file and written not in (self._before, self._read_at):
            with contextlib.suppress(OSError):
                text = self._file.read_text(encoding="utf-8")
                self._news += text != self._text and not text.startswith("0 ")
                self._read_at, self._text = written, text
        return self._text.splitlines()

    def news(self) -> list[str]:
        """The first, the second, the fourth and so on."""
        before = self._news
        lines = self.lines()
        return lines if self._news > before and self._news & before == 0 else []

    def _written_ns(self) -> int:
        with contextlib.suppress(AttributeError, OSError):
            return self._file.stat().st_mtime_ns  # type: ignore[union-attr]
        return 0


def _append(stream: TextIO, answer: Path | None = None) -> Callable[[list[BatchProgress]], None]:
    told: set[str] = set()
    answered = _Answer(answer)
    last, told_idle = time.monotonic(), ""

    def show(batches: list[BatchProgress]) -> None:
        nonlocal last, told_idle
        running = [one for one in batches if one.state == "running"]
        # Batches in turns end together: the line of the first to end waits for the others.
        over = [one for one in batches if one.state in _OVER and one.batch.batch not in told]
        ended = [
            one for one in over if one.state == "finished" and not any(it in running for it in one.in_turns)
        ]
        lines = [line(one) for one in over if one.state != "finished"]
        lines += [line_of_several(ended)] if ended else []
        told.update(one.batch.batch for one in over if one.state != "finished" or one in ended)
        if time.monotonic() - last >= PLAIN_LINES_S:
            lines += [line_of_several(running)] if running else []
            idle = _idle_line(batches)
            lines += [idle] if idle != told_idle and idle else []
            told_idle, last = idle, time.monotonic()
        for text in (*lines, *answered.news()):
            print(text, file=stream, flush=True)

    return show
