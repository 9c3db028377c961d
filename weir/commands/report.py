"""weir report: measure suites and report them; `make report` calls it."""

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from weir.base.errors import InputError, WeirError
from weir.base.options import Parser
from weir.base.processes import EXIT_INTERRUPTED, Interrupt, children_of, without_terminal
from weir.base.units import about_duration
from weir.collect.progress import StudyProgress
from weir.commands.show import read_page
from weir.commands.watch import PageWriter
from weir.decide.compare.sides import RECORDS_FILE
from weir.measure.clean_up.starter import Starter, follow_the_starter
from weir.measure.handover import MEASURED_PLAN, Handover
from weir.plan import Plan, make_plan
from weir.plan.card import other_scale, short_card
from weir.plan.config import load_config
from weir.plan.config.suite import FULL
from weir.report.live import LIVE_PAGE, LIVE_TEXT, LiveStudy
from weir.report.page import PAGE_FILE, publication_lines
from weir.report.text import lines
from weir.workflow.follow import follow, is_queued
from weir.workflow.study import (
    cells_left,
    forget_failed,
    hand_over,
    measured_study,
    reasons_together,
    why_not_measured,
)
from weir.workflow.takeover import provide_cache

NAME = "report"
GROUP = "measure"
HELP = "measure suites, show the progress, and print the answer and the path of the report"
EXAMPLE = "weir report --suites quick --site local"

_SEEN_OF_LOG = 12
_SET_UP = "envs/setup.sh"
_ANALYSIS = ("analyse", "report")  # its roles; measuring needs neither R nor TeX
_CHECK = ("Rscript", "analysis/draw.R", "check")
_WHOLE = f"--scale {FULL}, or make ... SCALE={FULL}"
_WEIR = (sys.executable, "-m", "weir")
_LOOK_S = 0.05
_PROGRESS = re.compile(r"(draw|print): \d")  # by weir.workflow.step
_ENDS_S = 90.0  # the time to end a measurement on a target that hangs, and more
_IDLE_S = 10.0  # seconds that a program may take to end when nothing that it started is left


def add_arguments(parser: Parser) -> None:
    parser.value("--suites", "SUITES", "suites to measure, joined by commas (default: those of config.yaml)")
    parser.value("--site", "SITE", "site in config/sites (default: that of config.yaml)")
    parser.repeated("--target", "TARGET", "target to measure; may be repeated")
    parser.value("--scale", "SCALE", "edition of the suites (default: that of the site)")
    parser.value("--campaign", "NAME", "repeat the study in results/SITE@NAME")
    parser.flag("--retry-failed", "measure again what failed in a batch that is through")
    parser.flag("--page-only", "end when report.html is complete, without the PDF")
    parser.flag("--set-up", f"call {_SET_UP} for what analysis and print lack, when all is measured")
    parser.flag("--json", "print errors as JSON")


def execute(args: argparse.Namespace) -> int:
    if not Path("Snakefile").is_file():
        raise InputError(
            "there is no Snakefile here",
            hint="run it in a checkout of weir, or in a directory that weir init made",
        )
    chosen = {
        key: getattr(args, key) for key in ("suites", "site", "scale", "campaign") if getattr(args, key)
    }
    if args.target:
        chosen["targets"] = f"[{','.join(args.target)}]"  # as Snakemake takes a list
    interrupt = Interrupt()
    follow_the_starter()
    starter = Starter()
    try:
        return _report(args, chosen)
    except KeyboardInterrupt:
        hint = "run it again: finished runs are kept"
        raise WeirError(interrupt.text, hint=hint, exit_code=EXIT_INTERRUPTED) from None
    finally:
        starter.let_go()


def _report(args: argparse.Namespace, chosen: dict[str, str]) -> int:
    requested = chosen | {"targets": args.target}
    plan = make_plan(load_config(overrides=requested))
    study = measured_study(plan, Path.cwd(), args.campaign or "")
    folder = Path(study.folder)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    left = {batch.batch: len(cells_left(batch, folder.parent)) for batch in plan.batches}
    if args.retry_failed:
        left |= forget_failed(plan, folder)
    scale = other_scale(plan, lambda: make_plan(load_config(overrides=requested | {"scale": FULL})), _WHOLE)
    print(short_card(plan, sum(left.values()), hand_over(plan, folder), scale), flush=True)
    provide_cache(Path(".snakemake"))
    workflow = BackgroundWorkflow(plan, folder, chosen, args.page_only)
    to_measure = [name for name, count in left.items() if count]
    if args.set_up and subprocess.call([_SET_UP, "--look", *_ANALYSIS]) != 0:
        preflight(plan, folder, to_measure)
        if status := workflow.measure():
            return status
        set_up_analysis()
    else:
        check(plan, folder, to_measure)
    status = workflow.run()
    if status == 0 and args.campaign:
        return add_comparison(Path(replace(study, campaign="").folder), folder)
    return status


def set_up_analysis() -> None:
    """Installing is work for processors and disk: only now is nothing timed any more."""
    if _status_of(subprocess.Popen([_SET_UP, *_ANALYSIS])) != 0:
        hint = "everything is measured and kept: the same command again goes on from here"
        raise WeirError("what analysis and print need could not be installed", hint=hint)
    analysis = subprocess.Popen(_CHECK, stderr=subprocess.PIPE, text=True)
    if problems := _problems(analysis):
        raise WeirError(problems, hint="everything is measured and kept; see: " + " ".join(_CHECK))


def check(plan: Plan, folder: Path, batches: Sequence[str]) -> None:
    """The targets, and at the same time the files of the analysis."""
    analysis = subprocess.Popen(_CHECK, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        preflight(plan, folder, batches)
        if problems := _problems(analysis):
            raise WeirError(f"{problems}; nothing was measured", hint="see: " + " ".join(_CHECK))
    except KeyboardInterrupt:
        analysis.send_signal(signal.SIGINT)  # the only one at which R deletes its temporary directory
        raise
    finally:
        analysis.wait()


def add_comparison(first: Path, folder: Path) -> int:
    """Print how the campaign differs from the first measurement, and put the figure into its report."""
    if not (first / RECORDS_FILE).is_file():
        print(f"no comparison: there is no {first / RECORDS_FILE}")
        return 0
    arguments = ["compare", str(first), str(folder), "--into", str(folder / "report.html")]
    return subprocess.call([*_WEIR, *arguments])


def preflight(plan: Plan, folder: Path, batches: Sequence[str]) -> None:
    """Checks all targets before anything is measured. On a cluster each job checks its own when it starts."""
    partition_of = {name: plan.site.partitions[plan.batch(name).partition] for name in batches}
    local = [name for name, partition in partition_of.items() if partition.scheduler == "local"]
    if not local:
        return
    began = time.monotonic()
    command = [*_WEIR, "run", "--preflight", "--json", "--plan", str(folder / MEASURED_PLAN)]
    command += ["--results", str(folder.parent), *(item for name in local for item in ("--batch", name))]
    printed, errors = _printed(command)
    try:
        checks = json.loads(printed)
    except ValueError:
        raise WeirError(
            f"the preflight failed: {_message_of(errors)}", hint=f"run it alone: {' '.join(command)}"
        ) from None
    # A program's message may have several lines.
    told = [(row, " ".join(row["problem"].split())) for row in reversed(checks) if row["problem"]]
    problems = {row["batch"]: problem for row, problem in told if not row["unavailable_cells"]}
    needed = [name for name in problems if not plan.site.targets[plan.batch(name).target].optional]
    ready = len(local) - len(problems)
    if needed and not ready:
        every = reasons_together({name: problems[name] for name in needed})
        raise WeirError("; ".join(every), hint="nothing was measured")
    for row, problem in told:
        if row["unavailable_cells"]:
            print(f"  {row['batch']}: {problem}")
    for name, problem in problems.items():
        if name in needed:
            print(f"  {name} cannot be measured: {problem}; the others are measured, the report waits for it")
        else:
            print(f"  {plan.batch(name).target} is skipped: {problem}")
    print(
        f"preflight: {ready} of {len(local)} batches can start ({about_duration(time.monotonic() - began)})",
        flush=True,
    )


def _printed(command: Sequence[str]) -> tuple[str, str]:
    """An interrupt lets the command clean up; subprocess.run would kill it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return process.communicate()
    except KeyboardInterrupt:
        _end(process)
        raise


def _problems(analysis: subprocess.Popen[str]) -> str:
    """The findings of `draw.R check`, which ran beside the preflight."""
    errors = analysis.communicate()[1]
    return (errors.strip() or "analysis/draw.R check failed") if analysis.returncode else ""


def _message_of(errors: str) -> str:
    """The messages of a JSON document that lines about a clean-up may precede; else the last line."""
    document = re.search(r"^\{.*", errors, re.MULTILINE | re.DOTALL)
    try:
        return "; ".join(error["message"] for error in json.loads(document[0] if document else "")["errors"])
    except (ValueError, KeyError, TypeError):
        return (errors.strip().splitlines() or ["no message"])[-1]


def _status_of(process: subprocess.Popen[Any]) -> int:
    try:
        return process.wait()
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen[Any]) -> None:
    """Ends a process and all that it started, whatever happens meanwhile."""
    process.terminate()
    idle_from = began = time.monotonic()
    while process.poll() is None:
        now = time.monotonic()
        if children_of(process.pid):
            idle_from = now
        if now > began + _ENDS_S or now > idle_from + _IDLE_S:
            process.kill()
            process.wait()
        time.sleep(_LOOK_S)


def _nothing() -> None:
    """Writes nothing: the process that measures writes the page."""


def _unless(over: Callable[[], bool], write: Callable[[], None]) -> None:
    """Writes the live page unless the report is there, to which the page then leads."""
    if not over():
        write()


class BackgroundWorkflow:
    """Snakemake in the background: its output goes to a log; progress comes from the files of the study."""

    def __init__(self, plan: Plan, folder: Path, chosen: dict[str, str], page_only: bool) -> None:
        self._plan, self._folder, self._page_only = plan, folder, page_only
        self._config = [f"plan={folder / MEASURED_PLAN}", *(f"{key}={one}" for key, one in chosen.items())]
        self._log = folder / "logs" / "workflow.log"
        self._page = folder / PAGE_FILE
        self._before = self._written()
        self._measured = False  # by measure()
        # Real storage is measured before emulated storage.
        self._real = [
            str(Handover.of(folder, batch.batch).receipt)
            for batch in plan.batches
            if not plan.site.targets[batch.target].emulated
        ]

    def measure(self) -> int:
        """All that needs neither R nor TeX."""
        status = self._snakemake("collect")
        self._measured = True
        return status

    def run(self) -> int:
        status = self._snakemake("draw" if self._page_only else "", self._answer)
        if status != 0 or self._page_only:
            return status
        print(*publication_lines(self._folder), f"PDF:  {self._folder / 'report.pdf'}", sep="\n", flush=True)
        return self._provenance()

    def _snakemake(self, until: str, then: Callable[[subprocess.Popen[bytes]], None] | None = None) -> int:
        self._forget_failures()
        with self._log.open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "snakemake", *self._arguments(until)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            if not self._measured:
                self._follow(process)
            if then:
                then(process)
            status = self._tell_steps(process)
        except BaseException:
            _end(process)
            raise
        if status == -signal.SIGINT:  # as it began: it does not catch the signal yet
            raise KeyboardInterrupt
        return self._failed() if status != 0 else 0

    def _tell_steps(self, process: subprocess.Popen[bytes]) -> int:
        """Shows what the steps tell of their progress, and returns the exit code of the workflow."""
        begun = ""
        with self._log.open(encoding="utf-8", errors="replace") as log:
            log.seek(0, os.SEEK_END)
            while (over := process.poll()) is None:
                *lines, begun = (begun + log.read()).split("\n")
                with contextlib.suppress(BrokenPipeError), without_terminal():  # the PDF is made anyway
                    for line in filter(_PROGRESS.match, lines):
                        print(line, flush=True)
                time.sleep(_LOOK_S)
            return over

    def _forget_failures(self) -> None:
        """Reasons and logs of an earlier start are not those of this one."""
        for batch in self._plan.batches:
            handover = Handover.of(self._folder, batch.batch)
            if not handover.receipt.exists():
                handover.errors.unlink(missing_ok=True)
                handover.log.unlink(missing_ok=True)

    def _arguments(self, until: str = "") -> list[str]:
        quiet = ["--cores", "all", "--quiet", "host", "progress", "reason"]
        ahead = ["--prioritize", *self._real] if self._real else []
        here = [] if is_queued(self._plan) else ["--executor", "local"]  # also with a SNAKEMAKE_PROFILE
        only = [*here, "--until", until] if until else here
        return [*quiet, "--config", *self._config, *ahead, *only, "--", "report"]

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        over = partial(self._is_over, process)
        if is_queued(self._plan):
            live = LiveStudy(self._plan, self._folder)  # the nodes that measure leave it to this one
            writer = PageWriter(live)
            progress = live.progress
            looked: Callable[[], None] = partial(_unless, over, writer.write_what_is_new)
        else:
            progress, looked = StudyProgress(self._plan, self._folder), _nothing
        print(f"page: {self._folder / LIVE_PAGE} after the first round", flush=True)
        follow(progress, sys.stdout, over, looked, self._folder / LIVE_TEXT)

    def _is_over(self, process: subprocess.Popen[bytes]) -> bool:
        return self._answered() or process.poll() is not None

    def _answer(self, process: subprocess.Popen[bytes]) -> None:
        while not self._is_over(process):
            time.sleep(_LOOK_S)
        if self._answered() or (process.poll() == 0 and self._page.is_file()):
            print("\n".join(["", *lines(read_page(self._page)), ""]))
            print(f"HTML: {self._folder / 'report.html'}", flush=True)

    def _written(self) -> int:
        with contextlib.suppress(OSError):
            return self._page.stat().st_mtime_ns
        return 0

    def _answered(self) -> bool:
        """The facts of the page are written whole, before figures are drawn."""
        return self._written() not in (0, self._before)

    def _failed(self) -> int:
        reasons = why_not_measured(self._plan, self._folder)
        text = self._log.read_text(encoding="utf-8", errors="replace")
        if not reasons:
            rules = re.findall(r"Error in rule (\w+)", text)
            reasons = [f"weir: the step '{rules[0]}' failed" if rules else "weir: the workflow failed"]
            reasons += [f"    {one}" for one in text.strip().splitlines()[-_SEEN_OF_LOG:]]
        print("\n".join([*reasons, f"the whole log: {self._log}"]), file=sys.stderr)
        return 1

    def _provenance(self) -> int:
        """workflow.html, by Snakemake: rules, times and code; the page links it."""
        log = self._folder / "logs" / "html.log"
        snakemake = [sys.executable, "-m", "snakemake", "--report", str(self._folder / "workflow.html")]
        with log.open("w", encoding="utf-8") as stream:
            status = subprocess.call(
                [*snakemake, *self._arguments()], stdout=stream, stderr=subprocess.STDOUT
            )
        if status != 0:
            print(f"weir: workflow.html was not written; the log: {log}", file=sys.stderr)
        return 0 if status == 0 else 1
